// The subset of Standard Schema (https://standardschema.dev, version 1) used here, and the text of
// a schema's issues. Paths and messages may contain client text, so both are truncated.

/** The subset of a Standard Schema used here. */
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

/** One issue as reported to the client. */
export interface ReportedIssue {
  path: string;
  message: string;
}

const MAX_ISSUES = 20;
const MAX_MESSAGE = 500;
/** Limit for rejected arguments, whose issues share one line. */
const MAX_IN_LINE = 5;
const MAX_STEPS = 64;

export function reportedIssues(name: string, issues: readonly StandardIssue[]): ReportedIssue[] {
  return issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: placeOf(name, issue?.path ?? []),
    message: String(issue?.message ?? "refused").slice(0, MAX_MESSAGE),
  }));
}

/** Returns text such as `content.to (ends before it begins); content.lines[0].count (too many)`. */
export function issuesText(name: string, issues: readonly StandardIssue[]): string {
  if (issues.length === 0) return `${name} (refused)`;
  const reported = reportedIssues(name, issues.slice(0, MAX_IN_LINE));
  const omitted = issues.length - reported.length;
  const texts = reported.map(({ path, message }) => `${path} (${message})`);
  return [...texts, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join("; ");
}

/** Returns a path such as `content.lines[0].count`. */
function placeOf(name: string, path: NonNullable<StandardIssue["path"]>): string {
  const keys = path.slice(0, MAX_STEPS).map((part) => (typeof part === "object" ? part.key : part));
  const texts = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return `${name}${texts.join("")}`.slice(0, MAX_MESSAGE);
}
