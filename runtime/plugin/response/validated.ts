// Values that a schema of zod, valibot, arktype or whoever else speaks Standard Schema describes:
// what its types cannot say, the schema itself checks. https://standardschema.dev, version 1.

import { HttpError } from "./http-error.js";

/** The part of a Standard Schema that is used here. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const MAX_ISSUES = 20;
const MAX_MESSAGE = 500;

/** A value that a schema refuses: answered with 400, and every fault with its place. */
export class InvalidValue extends HttpError {
  declare readonly details: { issues: { path: string; message: string }[] };

  /** @param issues the first of which is what the message says */
  constructor(name: string, issues: readonly StandardIssue[]) {
    const told = issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => ({
      path: placeOf(name, path),
      message: message.slice(0, MAX_MESSAGE),
    }));
    const [first] = told;
    super(400, first ? `${first.path} (${first.message})` : name, { issues: told });
  }
}

/**
 * The value as the schema gives it back: checked, and changed where the schema changes it.
 * @param name of the parameter, for the answer
 * @throws InvalidValue
 * @example const order = await validated(Order, content);
 */
export async function validated<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
  name = "content",
): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new InvalidValue(name, result.issues);
  return result.value;
}

/** Such as `content.lines[0].count`. */
function placeOf(name: string, path: NonNullable<StandardIssue["path"]>): string {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const texts = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return `${name}${texts.join("")}`.slice(0, MAX_MESSAGE);
}
