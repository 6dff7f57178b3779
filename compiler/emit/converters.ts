// `.svc/converters.js`: one exported function per plugin that converts the text of a request
// directly to the plugin's arguments. One pass over the query finds the position of each parameter;
// values are converted in signature order, in the call itself.

import type { Wire } from "../../argspec/wire.js";
import { admitsNull, admitsText, hasParts, removeNull, unionMembers } from "../record/admits.js";
import {
  isFile,
  type PluginRecord,
  type ReservedParam,
  type UserParam,
} from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { CheckFunctions } from "./check-functions.js";
import { PluginModules } from "./modules.js";
import { ResultChecks } from "./result-checks.js";
import { HEADER, identifier, jsonText, propertyAccess, propertyKey, quote } from "./text.js";
import { isTypedResult, TypedValues } from "./typed-values.js";

export interface ConverterOptions {
  /** Import specifier of the file that exports the plugins' functions, see PluginModules. */
  readonly modules: string;
  /** Import specifier of the converters' runtime. */
  readonly convert: string;
}

const READERS: Readonly<Record<Wire, string>> = {
  int: "readInt",
  float: "readFloat",
  str: "readStr",
  bytes: "readBytes",
  json: "readJson",
};

const HEADER_READERS: Readonly<Record<string, string>> = {
  bytes: "headersBytes",
  str: "headersStr",
  dict: "headersDict",
  list: "headersList",
};

const CONTENT_READERS: Readonly<Record<string, string>> = {
  bytes: "contentBytes",
  str: "contentStr",
  json: "contentJson",
};

/** All names that the runtime exports for converters; a file imports the ones it uses. */
const HELPERS = [
  ...[
    "callValidated",
    "checked",
    "callWithForm",
    "createJob",
    "fileArgument",
    "truncateForMessage",
    ...Object.values(CONTENT_READERS),
    "requireBoundGraph",
    "hasValue",
    "limitCheck",
  ],
  ...[...Object.values(HEADER_READERS), "isObject", "keyEnd", "missing", "ownProperty", "pairEnd"],
  ...[...Object.values(READERS), "readUnionValue", "readKey", "readUntyped", "memoizedCheck"],
  ...["skipQuery", "skipValue"],
  ...["readFields", "integerFault", "isFraction", "isTooDeep", "listItems", "mediaTypeFault"],
  ...["temporalClass", "toBuffer", "toCursor", "typedArgument", "typedResult"],
].sort();

/** Name of a plugin's converter. The `$` distinguishes it from all other names in the file. */
export function converterName(plugin: PluginRecord): string {
  return `${identifier(plugin.name)}$${plugin.role}`;
}

/** Name of the parameter readers; null if there are no parameters. */
export function readersName(plugin: PluginRecord): string | null {
  const hasParams =
    plugin.role !== "post" &&
    plugin.params.some((param) => param.kind === "user" && !isFile(param));
  return hasParams ? `${converterName(plugin)}$readers` : null;
}

/** Name of the result check; null if there is nothing to check. */
export function resultCheckName(plugin: PluginRecord, types: TypeTable): string | null {
  return resultFaults(plugin, new ResultChecks(types)).length === 0
    ? null
    : `${converterName(plugin)}$result`;
}

export function emitConverters(
  plugins: readonly PluginRecord[],
  types: TypeTable,
  options: ConverterOptions,
): string {
  const checks = new CheckFunctions(types);
  const results = new ResultChecks(types);
  const modules = new PluginModules(plugins);
  const typed = new TypedValues(types, modules);
  const all = plugins
    .map(
      (plugin) =>
        emitConverter(plugin, types, modules, { checks, typed }) +
        emitResultCheck(plugin, results) +
        emitResultConverter(plugin, typed),
    )
    .join("\n");
  const functions = [typed.emit(), all].filter((text) => text !== "").join("\n");
  const body = [functions, checks.emit(), results.emit()].filter((text) => text !== "").join("\n");
  const used = HELPERS.filter((helper) => new RegExp(`\\b${helper}\\(`).test(body));
  const imports =
    emitImport(used, options.convert) + emitImport(modules.names(functions), options.modules);
  return `${HEADER}\n${imports}\n${body}`;
}

/** Empty if there is nothing to import. */
export function emitImport(names: readonly string[], specifier: string): string {
  const list = names.map((name) => `  ${name},\n`).join("");
  return names.length === 0 ? "" : `import {\n${list}} from ${quote(specifier)};\n`;
}

interface Emitters {
  readonly checks: CheckFunctions;
  readonly typed: TypedValues;
}

function emitConverter(
  plugin: PluginRecord,
  types: TypeTable,
  modules: PluginModules,
  emitters: Emitters,
): string {
  const users = plugin.params.filter(
    (param) => param.kind === "user" && !isFile(param),
  ) as UserParam[];
  const files = plugin.params.filter(isFile).map((file) => file.name);
  const readers = readersName(plugin);
  const args = plugin.params.map((param) =>
    param.kind === "user"
      ? userArgument(param, readers)
      : reservedArgument(param, plugin, emitters),
  );
  const first = plugin.role === "post" ? "response" : "request";
  const name = converterName(plugin);
  const schemas = schemaTable(plugin, modules);
  return [
    `// ${plugin.module}:${plugin.position.line}`.replaceAll(/[\r\n\u2028\u2029]/g, " "),
    ...(readers === null ? [] : readerTable(readers, plugin.name, users, types, emitters)),
    ...schemas,
    ...(files.length === 0
      ? [`export function ${name}(${first}, source) {`]
      : [
          `export function ${name}(${first}, received) {`,
          `  return callWithForm(received, ${jsonText(files)}, (source) => {`,
        ]),
    ...(plugin.role === "post" ? [] : queryWalk(users)),
    ...(schemas.length === 0
      ? [`  return ${modules.reference(plugin)}(`, ...args.map((arg) => `    ${arg},`), "  );"]
      : validatedCall(plugin, args, modules)),
    ...(files.length === 0 ? [] : ["  });"]),
    "}",
    "",
  ].join("\n");
}

function emitResultCheck(plugin: PluginRecord, results: ResultChecks): string {
  const faults = resultFaults(plugin, results);
  if (faults.length === 0) return "";
  const name = `${converterName(plugin)}$result`;
  return `\nexport function ${name}(result) {\n  return ${faults.join(" ?? ")};\n}\n`;
}

/** Name of the function that converts a result; null if there is nothing to convert. */
export function resultConverterName(plugin: PluginRecord, types: TypeTable): string | null {
  return isTypedResult(plugin, types) ? `${converterName(plugin)}$typed` : null;
}

function emitResultConverter(plugin: PluginRecord, typed: TypedValues): string {
  const converter = typed.result(plugin.result);
  return converter === null
    ? ""
    : `\nexport const ${converterName(plugin)}$typed = ${converter};\n`;
}

/** Returns expressions for the faults of a result that its declared type excludes. */
function resultFaults({ role, result }: PluginRecord, results: ResultChecks): string[] {
  const { kind, shape, mediaTypes = [] } = result;
  if (role !== "engine") return [];
  const isChecked = kind === "value" || kind === "stream" || kind === "http";
  const integers = isChecked && shape !== null ? results.functionFor(shape) : null;
  return [
    ...(mediaTypes.length > 0 ? [`mediaTypeFault(result, ${jsonText(mediaTypes)})`] : []),
    ...(integers === null ? [] : [`${integers}(result, "", 0)`]),
  ];
}

/** Returns a call whose arguments are checked by schemas. */
function validatedCall(plugin: PluginRecord, args: readonly string[], modules: PluginModules) {
  const call = `(...args) => ${modules.reference(plugin)}(...args)`;
  const list = args.map((arg) => `    ${arg},`);
  return ["  return callValidated([", ...list, `  ], ${schemasName(plugin)}, ${call});`];
}

function schemasName(plugin: PluginRecord): string {
  return `${converterName(plugin)}$schemas`;
}

/** Returns the arguments with schemas, and the positions of the schemas. */
function schemaTable(plugin: PluginRecord, modules: PluginModules): string[] {
  const checkedParams = plugin.params.flatMap(({ name, schemas = [] }, at) =>
    schemas.map(({ path, schema }) => {
      const facts = [`at: ${at}`, `name: ${quote(name)}`, `path: ${jsonText(path)}`];
      const { acceptsAbsence } = schema;
      return [
        ...facts,
        `acceptsAbsence: ${acceptsAbsence}`,
        `schema: ${modules.reference(schema)}`,
      ];
    }),
  );
  if (checkedParams.length === 0) return [];
  const entries = checkedParams.map((facts) => `  { ${facts.join(", ")} },`);
  return [`const ${schemasName(plugin)} = [`, ...entries, "];"];
}

/** Returns the reader of each parameter, for the function and for `request.params`. */
function readerTable(
  name: string,
  plugin: string,
  users: readonly UserParam[],
  types: TypeTable,
  { checks, typed }: Emitters,
): string[] {
  const readers = users.map((param) => {
    const text = parameterReader(param, types, checks);
    const name = quote(param.name);
    const read =
      param.textClass === "Cursor"
        ? `toCursor(${name}, ${text}, ${quote(plugin)})`
        : param.isBuffer
          ? `toBuffer(${text})`
          : typed.argument(param.shape, text, name);
    return `  ${propertyKey(param.name)}: (query, at) => ${read},`;
  });
  return [`export const ${name} = {`, ...readers, "};"];
}

/** Returns an expression that reads the value whose key ends at `at` in `query`. */
export function parameterReader(
  param: UserParam,
  types: TypeTable,
  checks: CheckFunctions,
): string {
  const name = quote(param.name);
  const from = `query, ${name}, at`;
  const { wire } = param;
  if (param.untyped) return `readUntyped(${from})`;
  if (wire === "json") {
    const check = checkFor(param.shape, wire, checks);
    if (check === null) return `readJson(${from})`;
    if (!admitsText(param.shape, types)) return `readJson(${from}, ${check})`;
    const more = hasParts(unionMembers(param.shape, types)) ? ", true" : "";
    return `readUnionValue(${from}, ${check}${more})`;
  }
  // For these types, only a key without a value is null.
  const check = checkFor(removeNull(param.shape), wire, checks);
  const read = `${READERS[wire]}(${from})`;
  const value = check === null ? read : `checked(${read}, ${name}, ${check})`;
  return admitsNull(param.shape, types) ? `hasValue(query, at) ? ${value} : null` : value;
}

/** Emits statements that find the last pair of each parameter name. */
function queryWalk(users: readonly UserParam[]): string[] {
  if (users.length === 0) {
    return ["  skipQuery(source.query);"];
  }
  return [
    "  const query = source.query;",
    ...users.map((param) => `  let ${position(param)} = -1;`),
    "  for (let at = 0; at < query.length; ) {",
    "    const equals = keyEnd(query, at);",
    "    const key = readKey(query, at, equals);",
    "    switch (key) {",
    ...users.flatMap((param) => [
      `      case ${quote(param.name)}:`,
      `        ${position(param)} = equals;`,
      "        break;",
    ]),
    "      default:",
    "        skipValue(query, key, equals);",
    "    }",
    "    at = pairEnd(query, equals) + 1;",
    "  }",
  ];
}

/** Local variable of a parameter; no other name of the file ends with `$`. */
function position(param: UserParam): string {
  return `${identifier(param.name)}$`;
}

function userArgument(param: UserParam, readers: string | null): string {
  if (isFile(param)) return `fileArgument(source, ${quote(param.name)}, ${param.required})`;
  const absent = param.required ? `missing(${quote(param.name)})` : "undefined";
  const read = `${propertyAccess(readers!, param.name)}(query, ${position(param)})`;
  return `${position(param)} < 0 ? ${absent} : ${read}`;
}

/** Name of the check for a converted value; null if conversion suffices. */
function checkFor(shape: TypeShape | null, wire: Wire, checks: CheckFunctions): string | null {
  if (shape === null || shape.kind === "json" || shape.kind === wire) {
    return null;
  }
  return checks.functionFor(shape);
}

function reservedArgument(
  param: ReservedParam,
  plugin: PluginRecord,
  { checks, typed }: Emitters,
): string {
  switch (param.name) {
    case "request":
    case "response":
      return param.name;
    case "method":
      return "source.method";
    case "job":
      return "createJob(source)";
    case "headers":
      return `${HEADER_READERS[param.form ?? "bytes"]}(source)`;
    case "content": {
      const check = checkFor(param.shape, "json", checks);
      const from = check === null ? "source" : `source, ${check}`;
      const read = `${CONTENT_READERS[param.form ?? "bytes"]}(${from})`;
      if (param.isBuffer) return `toBuffer(${read})`;
      return typed.argument(param.shape, read, quote("content"));
    }
    case "graph":
      return plugin.graph === null ? "undefined" : `requireBoundGraph(${quote(plugin.graph)})`;
  }
}
