// SVC1xxx: what the compiler finds. Part of the one table in error-codes.ts.

import type { ErrorCode } from "./error-code.js";

export const COMPILER_CODES = {
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
  SVC1062: {
    title: "text that fits two members of a parameter's type",
    fix: "declare members that differ as text, or send the text in the quotes of JSON",
  },
  SVC1070: {
    title: "unknown name in an expression",
    fix: "use a name of the expression language (docs/reference/expressions.md)",
  },
  SVC1071: {
    title: "expression that cannot be read",
    fix: "correct the text where the message points",
  },
  SVC1072: {
    title: "expression glued together from texts",
    fix: "put values into it with the template `expr`",
  },
  SVC1073: {
    title: "expression whose value is always the same",
    fix: "compare numbers with numbers and texts with texts",
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
  SVC1120: {
    title: "tag that nearly is `@plugin`",
    fix: "write `@plugin`, or another word if it is meant for another tool",
  },
  SVC1121: {
    title: "name that a CommonJS package does not export",
    fix: "import the package by default, and take the name from it",
  },
  SVC1122: {
    title: "code that does something else than it seems to",
    fix: "write what is meant",
  },
  SVC1140: {
    title: "tag that says no limit",
    fix: "give it the value that it needs: `@minimum 1`, `@format date`",
  },
  SVC1141: {
    title: "limit on a type that it cannot hold for",
    fix: "remove the tag, or declare a type with such values",
  },
  SVC1144: {
    title: "`@before` without a function that can run before a plugin",
    fix: "name a function that this project exports, declared in this file or imported into it",
  },
  SVC1321: {
    title: "plugin that cannot be inline",
    fix: "leave out `@inline`, or let the plugin answer at once and without a graph",
  },
  SVC1145: {
    title: "time-out that is no time",
    fix: "write a number and its unit: `@timeout 2s`",
  },
  SVC1146: {
    title: "limit that applies to nothing",
    fix: "write it in a `/** */` comment right before the parameter, property or type",
  },
  SVC1147: {
    title: "misspelled limit",
    fix: "use a limit tag, such as `@minimum`, `@maxLength` or `@pattern`",
  },
  SVC1142: {
    title: "pattern that cannot be run in one pass",
    fix: "write it without references back and without looking around",
  },
  SVC1143: {
    title: "limit without the parameter that it is for",
    fix: "begin with its name: `@minimum count 1`, or write the tag before the parameter",
  },
  SVC1180: {
    title: "system descriptor does not run",
    fix: "mend the file; the message says where",
  },
  SVC1181: {
    title: "system descriptor is not valid",
    fix: "mend what each line names",
  },
  SVC1220: {
    title: "HttpError whose status the contract cannot tell",
    fix: "give `super` a number, or begin the text with it: `@throws {Gone} 410 it was sold`",
  },
  SVC1250: {
    title: "file with `@plugin` that is not searched for plugins",
    fix: "name it `.ts` or `.mts`, or name it with `plugins` in svc.config.ts",
  },
  SVC1270: {
    title: "svc-server is not installed where the project is",
    fix: "run `npm install svc-server` there, or in the folder of its workspace",
  },
  SVC1271: {
    title: "schema that the server cannot reach",
    fix: "declare it at the top of a module, and import it as a value where a type names it",
  },
  SVC1272: {
    title: "schema in a place where it would not be asked",
    fix: "make it the type of a parameter, of a property or of the elements of an array",
  },
  SVC1273: {
    title: "schemas that could not be asked for their limits",
    fix: "put them into a module that needs nothing which a build does not have",
  },
} as const satisfies Record<string, ErrorCode>;
