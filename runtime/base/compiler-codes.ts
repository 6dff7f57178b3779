// Diagnostics of the compiler: SVC1xxx, in numeric order. See error-codes.ts.

import type { ErrorCode } from "./error-code.js";

export const COMPILER_CODES = {
  SVC1001: {
    title: "decorator on a plain function",
    fix: "write `/** @plugin */` above an exported function",
  },
  SVC1002: {
    title: "plugin is not exported",
    fix: "add `export` to the function, or assign the wrapper's result to an exported const",
  },
  SVC1003: {
    title: "`@plugin` on a declaration that cannot be a plugin",
    fix: "move the tag above an exported function",
  },
  SVC1004: {
    title: "plugin decorator requires a static method of an exported class",
    fix: "make the method `static` and export its class",
  },
  SVC1005: {
    title: "`@plugin` in a comment that is not a doc comment",
    fix: "use a doc comment: `/** @plugin */`",
  },
  SVC1006: {
    title: "plugin has no name",
    fix: 'name it: `/** @plugin name */` or `plugin({ name: "name" }, ...)`',
  },
  SVC1007: {
    title: "plugin option is not a literal",
    fix: "write a literal value: the compiler reads options without running code",
  },
  SVC1008: {
    title: "invalid plugin option",
    fix: "use name, graph, role or readonly",
  },
  SVC1009: {
    title: "cannot resolve the function passed to the plugin wrapper",
    fix: "define the function in the call, or pass a function declared in this project",
  },
  SVC1010: {
    title: "plugin function is overloaded",
    fix: "give the plugin one signature with a body",
  },
  SVC1011: {
    title: "plugin function has type parameters",
    fix: "use concrete types",
  },
  SVC1012: {
    title: "rest parameter",
    fix: "use one array parameter instead",
  },
  SVC1013: {
    title: "destructured parameter",
    fix: "name the parameter and destructure it in the body",
  },
  SVC1014: {
    title: "`this` parameter",
    fix: "remove it: plugins are called without a receiver",
  },
  SVC1015: {
    title: "configured plugin function not found",
    fix: "export it from that module, or fix the entry in svc.config.ts",
  },
  SVC1016: {
    title: "signature of a plugin is unknown at build time",
    fix: "annotate the wrapper or factory, so that its result has the parameters of the plugin",
  },
  SVC1017: {
    title: "re-exported plugin of a package is ignored",
    fix: "repeat the tag above the export: `/** @plugin */ export { name } from ...`",
  },
  SVC1020: {
    title: "invalid plugin name",
    fix: "use at most 255 letters, digits and underscores; do not start with a digit",
  },
  SVC1021: {
    title: "duplicate plugin name",
    fix: "rename one of the plugins",
  },
  SVC1022: {
    title: "invalid parameter name",
    fix: "use letters, digits and underscores; do not start with a digit",
  },
  SVC1030: {
    title: "first plugin argument is missing",
    fix:
      "start the signature with `request: PluginRequest` (`response: PluginResponse` for " +
      "post plugins)",
  },
  SVC1031: {
    title: "argument not allowed in a post plugin",
    fix: "declare only `response` and, for a bound plugin, `graph`",
  },
  SVC1032: {
    title: "reserved argument has a default",
    fix: "remove the default: the server always passes this argument",
  },
  SVC1033: {
    title: "bound plugin has no `graph` argument",
    fix: "add `graph: Graph` to the signature",
  },
  SVC1034: {
    title: "reserved argument has the wrong type",
    fix: "declare one of the types that the server passes",
  },
  SVC1040: {
    title: "parameter type cannot be sent in a request",
    fix: "use JSON types: numbers, strings, booleans, arrays, plain objects",
  },
  SVC1041: {
    title: "result type cannot be serialized",
    fix: "return JSON types: numbers, strings, booleans, arrays, plain objects",
  },
  SVC1042: {
    title: "parameter arrives as a string",
    fix: "add a type annotation, or convert the text in the schema",
  },
  SVC1043: {
    title: "default does not match its type",
    fix: "use a default of the parameter's type",
  },
  SVC1044: {
    title: "sort key type is not orderable",
    fix: "use int, float, str or bytes as the key type of PluginResponse",
  },
  SVC1045: {
    title: "engine plugin returns a PluginRequest",
    fix: "return it from a pre or post plugin: only those can forward requests",
  },
  SVC1046: {
    title: "result cannot be merged by a dispatcher",
    fix: "return a PluginResponse",
  },
  SVC1047: {
    title: "example does not match the plugin's signature",
    fix: "fix the call so that the plugin would accept it",
  },
  SVC1050: {
    title: "blocking call in a plugin",
    fix: "use the asynchronous variant and await it",
  },
  SVC1051: {
    title: "mutable module state with several executors",
    fix: "keep shared state in a graph, or set `executors: 1`",
  },
  SVC1060: {
    title: "type checker not available",
    fix: "run `npm install typescript@7`",
  },
  SVC1061: {
    title: "cannot read tsconfig.json",
    fix: "fix the file",
  },
  SVC1062: {
    title: "text matches several members of a union parameter",
    fix: "make the members distinguishable as text, or send the string in JSON quotes",
  },
  SVC1070: {
    title: "unknown name in an expression",
    fix: "use a name of the expression language (docs/reference/expressions.md)",
  },
  SVC1071: {
    title: "expression syntax error",
    fix: "fix the expression at the marked position",
  },
  SVC1072: {
    title: "expression built by string concatenation",
    fix: "insert values with the `expr` template tag",
  },
  SVC1073: {
    title: "comparison is always constant",
    fix: "compare numbers with numbers and strings with strings",
  },
  SVC1101: {
    title: "configuration failed to load",
    fix: "make the file run and export a configuration as its default export",
  },
  SVC1102: {
    title: "invalid configuration",
    fix: "replace the listed values with valid ones",
  },
  SVC1103: {
    title: "no plugin files found",
    fix: "add a file under `plugins/`, or set `plugins` in svc.config.ts",
  },
  SVC1104: {
    title: "plugin bundling failed",
    fix: "fix the import: the package must be installed, the file must exist",
  },
  SVC1105: {
    title: "cannot write the build folder",
    fix: "fix the permissions of the project folder",
  },
  SVC1120: {
    title: "misspelled tag of a plugin",
    fix: "write the suggested tag, or rename the tag if another tool reads it",
  },
  SVC1121: {
    title: "CommonJS package does not export this name",
    fix: "import the package's default export and read the name from it",
  },
  SVC1122: {
    title: "misleading code",
    fix: "write what you mean explicitly",
  },
  SVC1140: {
    title: "constraint tag has no value",
    fix: "add the value: `@minimum 1`, `@format date`",
  },
  SVC1141: {
    title: "constraint does not apply to this type",
    fix: "remove the tag, or change the type",
  },
  SVC1142: {
    title: "pattern is not linear-time",
    fix: "remove backreferences and lookaround",
  },
  SVC1143: {
    title: "constraint tag names no parameter",
    fix:
      "start with the parameter name (`@minimum count 1`), or move the tag in front of the " +
      "parameter",
  },
  SVC1144: {
    title: "`@before` does not name a callable function",
    fix: "name a function exported by this project and declared in, or imported into, this file",
  },
  SVC1145: {
    title: "invalid timeout",
    fix: "write a number and a unit: `@timeout 2s`",
  },
  SVC1146: {
    title: "constraint tag without effect",
    fix: "write it in a `/** */` comment right before the parameter, property or type",
  },
  SVC1147: {
    title: "misspelled constraint tag",
    fix: "use a constraint tag, such as `@minimum`, `@maxLength` or `@pattern`",
  },
  SVC1148: {
    title: "invalid access tag",
    fix: "write `@public`, or `@scope` with the scopes that callers need",
  },
  SVC1149: {
    title: "invalid media type of an HttpResponse",
    fix: 'declare it in the type, as `HttpResponse<"image/png">`, or by `@produces image/png`',
  },
  SVC1150: {
    title: "schedule on a declaration that cannot be a job",
    fix: "move `@cron` or `@every` above an exported function without `@plugin`",
  },
  SVC1151: {
    title: "invalid schedule",
    fix: "write `@cron` with five fields and a time zone, or `@every` with a duration",
  },
  SVC1152: {
    title: "invalid signature of a scheduled function",
    fix: "declare no parameters except `job: Job` and `graph: Graph`",
  },
  SVC1153: {
    title: "page without a cursor",
    fix: "add the optional parameter `cursor?: Cursor<{ ... }>`",
  },
  SVC1154: {
    title: "file parameter is not possible here",
    fix: "take files in an engine plugin, without the parameter `content`",
  },
  SVC1155: {
    title: "state of a cursor differs from what its page passes on",
    fix: "declare the state of the page, of plain JSON values: `Cursor<{ after: str }>`",
  },
  SVC1180: {
    title: "system descriptor failed to run",
    fix: "fix the file at the position in the message",
  },
  SVC1181: {
    title: "invalid system descriptor",
    fix: "fix each line listed in the message",
  },
  SVC1220: {
    title: "HttpError status is not statically known",
    fix:
      "pass a number to `super`, or start the tag text with it: `@throws {Gone} 410 product " +
      "was discontinued`",
  },
  SVC1250: {
    title: "file contains `@plugin` but is not scanned for plugins",
    fix: "rename it to `.ts` or `.mts`, or add it to `plugins` in svc.config.ts",
  },
  SVC1251: {
    title: "scope without authentication",
    fix: "set `auth` in svc.config.ts, or remove `@scope`",
  },
  SVC1252: {
    title: "plugin without a scope beside plugins with scopes",
    fix: "write `@scope`, or `@public` if the plugin needs no principal",
  },
  SVC1253: {
    title: "scope in the configuration without authentication",
    fix: "set `auth` in svc.config.ts, or remove the scope",
  },
  SVC1270: {
    title: "svc-server is not installed for this project",
    fix: "run `npm install svc-server` in the project or in its workspace root",
  },
  SVC1271: {
    title: "schema is not reachable from the server",
    fix: "declare it at module level, and import it as a value where a type refers to it",
  },
  SVC1272: {
    title: "schema in a position that is not validated",
    fix: "use it as the type of a parameter, a property or an array element",
  },
  SVC1273: {
    title: "cannot inspect the constraints of schemas",
    fix:
      "move the schemas to a module without run-time dependencies such as environment " +
      "variables or connections",
  },
  SVC1321: {
    title: "plugin cannot be `@inline`",
    fix: "remove `@inline`, or return a synchronous result without using a graph",
  },
} as const satisfies Record<string, ErrorCode>;
