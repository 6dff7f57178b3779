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
  SVC2002: {
    title: "graphs not available",
    fix: "remove the binding to a graph; this version serves plugins without graphs only",
  },
  SVC3001: {
    title: "unknown command",
    fix: "run `svc --help` for the commands",
  },
  SVC3002: {
    title: "unknown option",
    fix: "run the command with `--help` for its options",
  },
  SVC3003: {
    title: "invalid option value",
    fix: "run the command with `--help` for the values of its options",
  },
  SVC3004: {
    title: "wrong number of arguments",
    fix: "run the command with `--help` for its usage",
  },
  SVC3005: {
    title: "not a project folder",
    fix: "name an existing folder, or write a project with `svc init <folder>`",
  },
  SVC3006: {
    title: "project not built",
    fix: "run `svc build <folder>` first",
  },
  SVC3007: {
    title: "port in use",
    fix: "choose another with `--port <n>`, or let the system choose one with `--port 0`",
  },
  SVC3008: {
    title: "root not usable",
    fix: "choose another with `--root <folder>`, or mend its permissions",
  },
  SVC3009: {
    title: "folder not empty",
    fix: "name a new or an empty folder",
  },
  SVC3010: {
    title: "Node too old",
    fix: "use a newer Node",
  },
  SVC3011: {
    title: "package not built",
    fix: "run `npm run build` in the package",
  },
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof table;
export const ERROR_CODES: Readonly<Record<ErrorCodeName, ErrorCode>> = table;
