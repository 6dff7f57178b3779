// The OpenAPI 3.1 document of a service or of some of its plugins. It promises no more than servers
// enforce, and depends on neither the date nor the machine.

import type { Argspec } from "../argspec.js";
import { securityRequirement, securitySchemes } from "./access.js";
import { SHARED_PARAMETERS, SHARED_RESPONSES, SHARED_SCHEMAS } from "./components.js";
import { namedOperations } from "./named-operations.js";
import type { ParameterOptions } from "./parameters.js";
import { pathItem, resultComponent } from "./path-items.js";
import { buildInfoObject, buildServers, usedComponents } from "./project-facts.js";
import { schemaObject } from "./schemas.js";

export interface OpenapiOptions {
  /**
   * How `json` parameters are described: as content, which is exact, or as a string that contains
   * JSON, for generators that support nothing else.
   */
  readonly jsonParams?: ParameterOptions["jsonParams"];
}

const DIALECT = "https://spec.openapis.org/oas/3.1/dialect/base";
const DESCRIPTION =
  "Responses are JSON in an envelope. With `Accept: text/plain`, the response is the " +
  "bare result or error text. Parameters of type `json` are JSON-encoded.";

/** @param argspec accepted by `readArgspec` or written by a build */
export function openapiDocument(argspec: Argspec, options: OpenapiOptions = {}): object {
  const { service, $defs } = argspec;
  const schemes = securitySchemes(service);
  const { operations, types } = namedOperations(argspec);
  const parameterOptions = { types, jsonParams: options.jsonParams ?? "content" };
  const tags = [...new Set(operations.flatMap(({ tag }) => tag ?? []))];
  const results = operations.flatMap((named) => {
    const schema = resultComponent(named, types);
    return schema === null ? [] : [[named.resultName, schema]];
  });
  const named = Object.entries($defs).map(([name, schema]) => [
    types.get(name)!,
    schemaObject(schema, types),
  ]);
  const paths = Object.fromEntries(
    operations.map((named) => [named.operation.path, pathItem(named, parameterOptions, service)]),
  );
  return {
    openapi: "3.1.0",
    info: buildInfoObject(argspec, DESCRIPTION),
    jsonSchemaDialect: DIALECT,
    servers: buildServers(service),
    security: securityRequirement(schemes),
    tags: tags.map((name) => ({ name, description: `Plugins of \`${name}\`.` })),
    paths,
    components: {
      ...usedComponents(paths, {
        schemas: { ...Object.fromEntries([...named, ...results]), ...SHARED_SCHEMAS },
        parameters: SHARED_PARAMETERS,
        responses: SHARED_RESPONSES,
      }),
      ...(Object.keys(schemes).length > 0 && { securitySchemes: schemes }),
    },
  };
}
