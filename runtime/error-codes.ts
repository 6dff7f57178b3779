// The one table of error codes: SVC1xxx compiler, SVC2xxx runtime and library, SVC3xxx command
// line. `title` says what happened in general, `fix` what to do; the message of an occurrence
// carries the particulars. Tests assert codes, never words.

export interface ErrorCode {
  readonly title: string;
  readonly fix: string;
}

const table = {
  SVC1001: {
    title: "decorator on a plain function",
    fix: "write `/** @plugin */` above an exported function",
  },
  SVC2001: {
    title: "invalid query parameter",
    fix: "send a value of the declared type",
  },
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof table;
export const ERROR_CODES: Readonly<Record<ErrorCodeName, ErrorCode>> = table;
