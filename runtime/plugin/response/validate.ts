// Validates values with a schema of zod, valibot, arktype or another implementation of Standard
// Schema (version 1, https://standardschema.dev): constraints beyond the schema's types are checked
// by the schema itself.

import { HttpError } from "./http-error.js";
import { reportedIssues, type StandardIssue, type StandardSchema } from "./schema-issues.js";

/** A value that a schema rejects: answered with 400 and the path of each issue. */
export class ValidationError extends HttpError {
  declare readonly details: { issues: { path: string; message: string }[] };

  /** @param issues the first one is the message */
  constructor(name: string, issues: readonly StandardIssue[]) {
    const reported = reportedIssues(name, issues);
    const [first] = reported;
    super(400, first ? `${first.path} (${first.message})` : name, { issues: reported });
  }
}

/**
 * Validates a value and returns the output of the schema.
 * @param name of the parameter, for the response
 * @throws ValidationError
 * @example const order = await validate(Order, content);
 */
export async function validate<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
  name = "content",
): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new ValidationError(name, result.issues);
  return result.value;
}
