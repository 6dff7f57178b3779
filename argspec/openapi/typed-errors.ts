// Responses for errors that clients know by name: one for each status, combined with the server's
// own meaning of that status.

import type { ErrorSpec, JsonSchema } from "../argspec.js";
import type { TypedError } from "../error-kinds.js";
import { statusText } from "./components.js";
import { schemaObject, schemaReference } from "./schemas.js";

export function errorText({ exception, description }: ErrorSpec): string {
  return description === "" ? `- \`${exception}\`` : `- \`${exception}\`: ${description}`;
}

export function typedResponses(
  errors: readonly TypedError[],
  types: ReadonlyMap<string, string>,
): Readonly<Record<string, object>> {
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const statusErrors = errors.filter((error) => error.status === status);
      const text = [statusText(status), statusErrors.map(errorText).join("\n")].filter(Boolean);
      const schemas = statusErrors.map((error) => errorSchema(error, types));
      const schema = { anyOf: [...schemas, schemaReference("SvcError")] };
      const content = { "application/json": { schema } };
      return [status, { description: text.join("\n\n"), content }];
    }),
  );
}

function errorSchema({ exception, details }: TypedError, types: ReadonlyMap<string, string>) {
  const members = {
    exception: { type: "string", const: `<class '${exception}'>` },
    ...(details !== undefined && { details: schemaObject(details, types) }),
  };
  const plugin = object(members);
  return { allOf: [schemaReference("SvcError"), object({ message: object({ plugin }) })] };
}

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}
