// Checks the environment variables by the schema of the project before a server starts, and reports
// all faults at once. Values are secrets: no message contains one.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILD_FOLDER, ENV_FILE } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import {
  reportedIssues,
  type StandardIssue,
  type StandardSchema,
} from "../../runtime/plugin/response/schema-issues.js";
import type { ServerSettings } from "../../runtime/settings/server-settings.js";

/** Shorter values are not secrets, and occur in ordinary words. */
const MIN_SECRET_LENGTH = 4;
const MASK = "…";

/** @throws SvcError SVC3025 if the schema rejects the variables or cannot be used */
export async function checkEnvironment({
  env: [reference],
  projectDir,
}: Pick<ServerSettings, "env" | "projectDir">): Promise<void> {
  if (reference === undefined) return;
  const issues = await validate(reference, join(projectDir, BUILD_FOLDER, ENV_FILE));
  if (issues.length === 0) return;
  const lines = reportedIssues("", issues).map(
    ({ path, message }) => `\n  ${path.replace(/^\./, "")}: ${withoutValues(message)}`,
  );
  throw new SvcError(
    "SVC3025",
    `environment variables do not match ${reference}:${lines.join("")}`,
  );
}

async function validate(reference: string, file: string): Promise<readonly StandardIssue[]> {
  try {
    const { exported } = (await import(pathToFileURL(file).href)) as { exported: unknown[] };
    const schema = exported[0] as Partial<StandardSchema> | undefined;
    const rules = schema?.["~standard"];
    if (typeof rules?.validate !== "function") throw unusable(reference, "not a Standard Schema");
    const { issues = [] } = await rules.validate({ ...process.env });
    return issues;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // The error message may contain a value.
    throw unusable(reference, error instanceof Error ? error.name : typeof error);
  }
}

function unusable(reference: string, reason: string): SvcError {
  return new SvcError("SVC3025", `${reference} cannot be used: ${reason}`);
}

function withoutValues(message: string): string {
  const values = Object.values(process.env).filter(
    (value): value is string => value !== undefined && value.length >= MIN_SECRET_LENGTH,
  );
  values.sort((a, b) => b.length - a.length);
  return values.reduce((text, value) => text.replaceAll(value, MASK), message);
}
