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
  SVC1002: {
    title: "plugin that is not exported",
    fix: "write `export` before the function, or bind the wrapper's result to an exported const",
  },
  SVC1003: {
    title: "`@plugin` on something that cannot be a plugin",
    fix: "put the tag above an exported function",
  },
  SVC1004: {
    title: "plugin decorator outside a static method of an exported class",
    fix: "make the method `static` and export its class",
  },
  SVC1005: {
    title: "`@plugin` in an ordinary comment",
    fix: "write a documentation comment: `/** @plugin */`",
  },
  SVC1006: {
    title: "plugin without a name",
    fix: 'name it: `/** @plugin name */` or `plugin({ name: "name" }, ...)`',
  },
  SVC1007: {
    title: "plugin option that is not a literal",
    fix: "write the value itself: the compiler does not run code to learn it",
  },
  SVC1008: {
    title: "invalid plugin option",
    fix: "use the options name, graph, role and readonly",
  },
  SVC1009: {
    title: "plugin wrapper without a readable function",
    fix: "write the function in the call, or pass the name of one that this project declares",
  },
  SVC1010: {
    title: "overloaded plugin function",
    fix: "give the plugin one signature with a body",
  },
  SVC1011: {
    title: "plugin function with type parameters",
    fix: "write concrete types",
  },
  SVC1012: {
    title: "rest parameter",
    fix: "take one array parameter instead",
  },
  SVC1013: {
    title: "destructured parameter",
    fix: "give the parameter a name, and take it apart in the body",
  },
  SVC1014: {
    title: "`this` parameter",
    fix: "remove it: plugins are called without an object",
  },
  SVC1015: {
    title: "configured plugin function that is not there",
    fix: "export it from that module, or correct the entry in svc.config.ts",
  },
  SVC1020: {
    title: "invalid plugin name",
    fix: "use letters, digits and underscores, first no digit, at most 255",
  },
  SVC1021: {
    title: "plugin name used twice",
    fix: "rename one of them",
  },
  SVC1022: {
    title: "invalid parameter name",
    fix: "use letters, digits and underscores, first no digit",
  },
  SVC1030: {
    title: "plugin without its first argument",
    fix: "begin the signature with `request: PluginRequest` (`response: PluginResponse` in a post)",
  },
  SVC1031: {
    title: "argument that a post plugin cannot have",
    fix: "a post plugin takes `response` and, when bound, `graph`",
  },
  SVC1032: {
    title: "default on a reserved argument",
    fix: "remove the default: the server always passes this argument",
  },
  SVC1033: {
    title: "bound graph without a `graph` argument",
    fix: "add `graph: Graph` to the signature",
  },
  SVC1034: {
    title: "reserved argument of another type",
    fix: "declare one of the types that the server passes",
  },
  SVC1040: {
    title: "parameter type that a request cannot carry",
    fix: "use what JSON can carry: numbers, strings, booleans, arrays, plain objects",
  },
  SVC1041: {
    title: "result type that cannot be rendered",
    fix: "return what JSON can carry: numbers, strings, booleans, arrays, plain objects",
  },
  SVC1042: {
    title: "parameter without a type",
    fix: "annotate it; without a type it arrives as text",
  },
  SVC1043: {
    title: "default that its type cannot hold",
    fix: "write a default of the parameter's type",
  },
  SVC1044: {
    title: "sort key type that cannot be compared",
    fix: "use one of int, float, str and bytes as the key of PluginResponse",
  },
  SVC1045: {
    title: "engine that returns a PluginRequest",
    fix: "only a pre or post plugin forwards a request",
  },
  SVC1046: {
    title: "result that a dispatcher cannot merge",
    fix: "return a PluginResponse",
  },
  SVC1047: {
    title: "example that calls the plugin wrongly",
    fix: "write a call that the plugin would accept",
  },
  SVC1050: {
    title: "blocking call in a plugin",
    fix: "use the asynchronous form and await it",
  },
  SVC1051: {
    title: "mutable module state with more than one executor",
    fix: "keep shared state in a graph, or run one executor",
  },
  SVC1060: {
    title: "type check could not run",
    fix: "install the package `typescript`, version 7",
  },
  SVC1061: {
    title: "unreadable tsconfig.json",
    fix: "correct the file",
  },
  SVC1101: {
    title: "configuration cannot be loaded",
    fix: "correct the file so that it runs and exports a configuration by default",
  },
  SVC1102: {
    title: "invalid configuration",
    fix: "write the expected values",
  },
  SVC1103: {
    title: "no plugin files",
    fix: "put a file below `plugins`, or name others with `plugins` in svc.config.ts",
  },
  SVC1104: {
    title: "plugins cannot be bundled",
    fix: "correct the import; packages must be installed, files must exist",
  },
  SVC1105: {
    title: "build folder cannot be written",
    fix: "mend the permissions of the project folder",
  },
  SVC2001: {
    title: "invalid query parameter",
    fix: "send a value of the declared type",
  },
  SVC2101: {
    title: "invalid argument of a library call",
    fix: "pass a value of the documented type",
  },
  SVC2102: {
    title: "invalid plugin request",
    fix: "give a plugin name, and parameters and header fields that HTTP can carry",
  },
  SVC2103: {
    title: "invalid plugin response",
    fix: "append sort keys of one type, in the order of sortby, and no more than maxhits",
  },
  SVC2104: {
    title: "plugin cannot be registered",
    fix: "start the system first; give `parameters` or a function that loadPlugins returned",
  },
  SVC2105: {
    title: "damaged partial response",
    fix: "let every instance of a matrix run the same version",
  },
  SVC2201: {
    title: "plugins cannot be loaded",
    fix: "mend the module that the message names, then `svc build` again",
  },
  SVC2202: {
    title: "port cannot be bound",
    fix: "choose another with `--port`, or 0 for any free pair of ports",
  },
  SVC2203: {
    title: "server already running",
    fix: "call `stopHTTP` first",
  },
  SVC2204: {
    title: "server not running",
    fix: "call `startHTTP` first",
  },
  SVC2205: {
    title: "invalid server argument",
    fix: "pass a value of the type that the message names",
  },
  SVC2206: {
    title: "not supported yet",
    fix: "leave out what the message names",
  },
  SVC2207: {
    title: "invalid dispatcher configuration",
    fix: "correct what the path names; the README lists the keys of `dispatcher`",
  },
  SVC2301: {
    title: "transport cannot be loaded",
    fix: "install hyper-express in the project, or choose `auto` or `net` as transport",
  },
  SVC2401: {
    title: "graph not accessible",
    fix: "release the lock that the message names, or wait for it with `timeout`",
  },
  SVC2402: {
    title: "graph full",
    fix: "spread the data over several graphs, or over the partitions of a matrix",
  },
  SVC2403: {
    title: "invalid arc",
    fix: "give relationship, modifier and a value that the modifier can hold",
  },
  SVC2404: {
    title: "enumeration failed",
    fix: "use fewer names, or one that is defined",
  },
  SVC2405: {
    title: "invalid vertex",
    fix: "give an id of 1 to 131,000 bytes without control characters, and its own type",
  },
  SVC2406: {
    title: "invalid query",
    fix: "correct the part that the message names",
  },
  SVC2407: {
    title: "query failed",
    fix: "allow it more time with `timeout`, or ask for less",
  },
  SVC2408: {
    title: "graph operation not possible in time",
    fix: "close the vertices that the message names, or allow it more time",
  },
  SVC2409: {
    title: "graph data not usable",
    fix: "mend the path or the file that the message names",
  },
  SVC2410: {
    title: "no such object",
    fix: "create it first, or name one that exists",
  },
  SVC2411: {
    title: "invalid value",
    fix: "pass a value of the range that the message names",
  },
  SVC2412: {
    title: "not supported yet",
    fix: "leave out what the message names",
  },
  SVC2413: {
    title: "defect of the graph engine",
    fix: "report it with the message",
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
    fix: "build the project first",
  },
  SVC3007: {
    title: "build not current",
    fix: "run `svc build` without `--check`",
  },
  SVC3008: {
    title: "root not usable",
    fix: "choose another with `--root <folder>`, or mend its permissions",
  },
  SVC3009: {
    title: "folder not usable for a new project",
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
  SVC3012: {
    title: "no size of a matrix",
    fix: "name replicas and partitions, such as `svc matrix 2x3`",
  },
  SVC3013: {
    title: "instance of a matrix that cannot be started",
    fix: "mend what it says above",
  },
  SVC3014: {
    title: "argspec not found",
    fix: "name the URL of a server, an argspec file, or a folder that was built",
  },
  SVC3015: {
    title: "not an argspec",
    fix: "let `svc build` or `svc argspec` of the same version write it",
  },
  SVC3016: {
    title: "server that does not answer",
    fix: "start it, or correct the URL",
  },
  SVC3017: {
    title: "server that tells no argspec",
    fix: "let it run this version of svc, or name the folder of its project",
  },
  SVC3018: {
    title: "no such plugin",
    fix: "run `svc argspec` without `--plugin` for all of them",
  },
  SVC3019: {
    title: "file that cannot be written",
    fix: "name another, or mend the permissions of its folder",
  },
  SVC3020: {
    title: "folder not usable for a client",
    fix: "name a new folder with `--out`, or one that `svc client` has written",
  },
  SVC3021: {
    title: "service that cannot be started for its tools",
    fix: "mend what it says above; one that is running already is reached with `--from <url>`",
  },
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof table;
export const ERROR_CODES: Readonly<Record<ErrorCodeName, ErrorCode>> = table;

/** True for a code of the table. */
export function isErrorCode(code: string): code is ErrorCodeName {
  return Object.hasOwn(table, code);
}
