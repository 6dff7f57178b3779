// Reads an argspec from a file or server without trusting it: the result is a new object of exactly
// the known format, so that generators may print its names. Members of later versions are dropped;
// a later format is rejected.

import {
  type AccessSpec,
  ARGSPEC_VERSION,
  type Argspec,
  type ArgspecService,
  type ErrorSpec,
  type ExampleSpec,
  type GuardSpec,
  type JsonSchema,
  type ParamSpec,
  type PluginSpec,
  type ResultSpec,
} from "./argspec.js";
import { readProject } from "./read-project.js";
import { collectAliases, readSchema } from "./read-schema.js";
import { UntrustedJson } from "./untrusted-json.js";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
/** Type names must be valid in TypeScript. */
const TYPE_NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]{0,254}$/u;
/** Two leading slashes would name another host. */
const PREFIX = /^\/[A-Za-z0-9\-.=@_~][A-Za-z0-9\-./=@_~]{0,999}$/;
/** Errors that clients know by name; built-in kinds start with a small letter. */
const ERROR_NAME = /^[A-Z][A-Za-z0-9_]{0,254}$/;
/** OAuth 2 flows. */
const SCOPE = /^[!#-[\]-~]{1,100}$/;
const HASH = /^[0-9a-f]{64}$/;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;
const MAX_PLUGINS = 20_000;
const MAX_PARAMS = 1000;
const WIRES = ["int", "float", "str", "bytes", "json"] as const;

/**
 * Checks and copies a parsed argspec.
 * @throws SvcError SVC3015, with the path of the fault
 */
export function readArgspec(value: unknown): Argspec {
  const document = UntrustedJson.document(value);
  readVersion(document.member("argspec"));
  const definitions = document.member("$defs");
  const names = new Set(definitions.members().map(([name]) => name));
  return {
    argspec: ARGSPEC_VERSION,
    service: readService(document.member("service")),
    hash: document.member("hash").matching(HASH, "64 hexadecimal digits"),
    plugins: readPlugins(document.member("plugins"), names),
    $defs: readDefinitions(definitions, names),
  };
}

function readVersion(version: UntrustedJson): void {
  const number = version.count();
  if (number === ARGSPEC_VERSION) return;
  throw version.fault(
    `unsupported argspec format ${number}; this version reads format ${ARGSPEC_VERSION}`,
  );
}

function readService(service: UntrustedJson): ArgspecService {
  const [name, prefix] = [service.member("name"), service.member("prefix")];
  return {
    name: name.isNull ? null : name.text(1000),
    prefix: prefix.isNull ? null : prefix.matching(PREFIX, "a path"),
    ...readProject(service),
  };
}

function readDefinitions(definitions: UntrustedJson, names: ReadonlySet<string>): Argspec["$defs"] {
  const entries = definitions.members().map(([name, schema]): [string, JsonSchema] => {
    if (!TYPE_NAME.test(name)) throw schema.fault("invalid type name");
    return [name, readSchema(schema, names)];
  });
  const aliases = new Map(entries.map(([name, schema]) => [name, collectAliases(schema)]));
  const circle = findCircle(aliases);
  if (circle !== null) throw definitions.fault(`circular definition: \`${circle}\``);
  return Object.fromEntries(entries);
}

/** Returns a name that refers to itself, or null. */
function findCircle(edges: ReadonlyMap<string, readonly string[]>): string | null {
  const state = new Map<string, "open" | "done">();
  for (const start of edges.keys()) {
    // Uses an explicit stack: chains may be deeper than the call stack.
    const trail = [start];
    for (let name = trail.at(-1); name !== undefined; name = trail.at(-1)) {
      if (state.has(name)) {
        state.set(name, "done");
        trail.pop();
        continue;
      }
      state.set(name, "open");
      const next = edges.get(name)!;
      const back = next.find((target) => state.get(target) === "open");
      if (back !== undefined) return back;
      // Appends one by one, because the number of call arguments is limited.
      for (const target of next) if (!state.has(target)) trail.push(target);
    }
  }
  return null;
}

function readPlugins(list: UntrustedJson, names: ReadonlySet<string>): PluginSpec[] {
  const seen = new Set<string>();
  return list.items(MAX_PLUGINS).map((item) => {
    const plugin = readPlugin(item, names);
    const key = `${plugin.role} ${plugin.name}`;
    if (seen.has(key)) throw item.fault(`duplicate plugin \`${plugin.name}\``);
    seen.add(key);
    return plugin;
  });
}

function readPlugin(plugin: UntrustedJson, names: ReadonlySet<string>): PluginSpec {
  const name = readName(plugin.member("name"));
  const graph = plugin.member("graph");
  const deprecation = plugin.optional("deprecation");
  const returns = plugin.optional("returns");
  const forwards = plugin.optional("forwards");
  return {
    name,
    path: plugin.member("path").oneOf(`/svc/plugin/${name}`, `/svc/builtin/${name}`),
    role: plugin.member("role").oneOf("engine", "pre", "post"),
    graph: graph.isNull ? null : graph.text(1000),
    readonly: plugin.member("readonly").boolean(),
    summary: plugin.member("summary").text(),
    description: plugin.member("description").text(),
    deprecated: plugin.member("deprecated").boolean(),
    ...(deprecation !== undefined && { deprecation: deprecation.text() }),
    source: readSource(plugin.member("source")),
    params: readParams(plugin.member("params"), names),
    reserved: plugin.member("reserved").items(MAX_PARAMS).map(readName),
    result: readResult(plugin.member("result"), names),
    ...(returns !== undefined && { returns: returns.text() }),
    errors: plugin
      .member("errors")
      .items(MAX_PARAMS)
      .map((error) => readError(error, names)),
    examples: plugin.member("examples").items(MAX_PARAMS).map(readExample),
    ...readAccess(plugin.optional("access")),
    ...readGuards(plugin.optional("guards")),
    ...(forwards !== undefined && { forwards: forwards.items(MAX_PARAMS).map(readName) }),
    ...(plugin.optional("open")?.boolean() && { open: true }),
  };
}

/** An object with neither member, as later versions may write, is ignored. */
function readAccess(access: UntrustedJson | undefined): { readonly access?: AccessSpec } {
  if (access?.optional("public")?.boolean()) return { access: { public: true } };
  const scopes = access?.optional("scopes")?.items(MAX_PARAMS);
  if (scopes === undefined || scopes.length === 0) return {};
  return { access: { scopes: scopes.map((scope) => scope.matching(SCOPE, "a scope")) } };
}

function readGuards(list: UntrustedJson | undefined): { readonly guards?: readonly GuardSpec[] } {
  if (list === undefined) return {};
  const guards = list.items(MAX_PARAMS).map((guard) => ({
    name: guard.member("name").text(1000),
    file: guard.member("file").text(10_000),
    headers: guard
      .member("headers")
      .items(MAX_PARAMS)
      .map((header) => header.text(1000)),
  }));
  return guards.length > 0 ? { guards } : {};
}

function readName(value: UntrustedJson): string {
  return value.matching(NAME, "a name of letters, digits and underscores");
}

function readSource(source: UntrustedJson): PluginSpec["source"] {
  if (source.isNull) return null;
  const [line, column] = [source.member("line").count(), source.member("column").count()];
  return { file: source.member("file").text(10_000), line, column };
}

function readParams(list: UntrustedJson, names: ReadonlySet<string>): ParamSpec[] {
  const params = list.items(MAX_PARAMS).map((item) => readParam(item, names));
  if (new Set(params.map(({ name }) => name)).size < params.length) {
    throw list.fault("duplicate parameter name");
  }
  if (params.filter((param) => param.in === "body").length > 1) {
    throw list.fault("more than one body parameter");
  }
  return params;
}

function readParam(param: UntrustedJson, names: ReadonlySet<string>): ParamSpec {
  const [preset, description] = [param.optional("default"), param.optional("description")];
  const location = param.member("in").oneOf("query", "body");
  const wire = param.member("wire");
  return {
    name:
      location === "body" ? param.member("name").oneOf("content") : readName(param.member("name")),
    in: location,
    wire: location === "body" ? wire.oneOf("bytes", "str", "json") : wire.oneOf(...WIRES),
    required: param.member("required").boolean(),
    ...(preset !== undefined && { default: preset.json() }),
    schema: readSchema(param.member("schema"), names),
    ...(description !== undefined && { description: description.text() }),
    ...(location === "body" && param.optional("form")?.boolean() && { form: true }),
  };
}

function readResult(result: UntrustedJson, names: ReadonlySet<string>): ResultSpec {
  const kind = result
    .member("kind")
    .oneOf("value", "union", "stream", "http", "response", "request");
  switch (kind) {
    case "request":
      return { kind };
    case "response": {
      const sortkey = readSchema(result.member("sortkey"), names);
      return { kind, sortkey, item: readSchema(result.member("item"), names), meta: true };
    }
    case "http": {
      const listed = result.member("mediaTypes").items(MAX_PARAMS);
      const mediaTypes = listed.map((type) => type.matching(MEDIA_TYPE, "a media type"));
      const schema = result.optional("schema");
      return {
        kind,
        mediaTypes,
        ...(schema !== undefined && { schema: readSchema(schema, names) }),
      };
    }
    case "stream":
      return { kind, schema: readSchema(result.member("schema"), names) };
    default: {
      const isPage = result.optional("page")?.boolean() === true;
      const schema = readSchema(result.member("schema"), names);
      return { kind, schema, ...(isPage && { page: true }) };
    }
  }
}

function readError(error: UntrustedJson, names: ReadonlySet<string>): ErrorSpec {
  const [exception, details] = [error.member("exception"), error.optional("details")];
  const fields = {
    exception: exception.text(1000),
    description: error.member("description").text(),
  };
  const status = error.optional("status");
  if (status === undefined) return fields;
  exception.matching(ERROR_NAME, "a name with a capital letter");
  const number = status.count();
  if (number < 400 || number > 599) throw status.fault(`${number} is not an error status`);
  return {
    ...fields,
    status: number,
    ...(details !== undefined && { details: readSchema(details, names) }),
  };
}

function readExample(example: UntrustedJson): ExampleSpec {
  const text = example.member("text").text();
  const query = example.optional("query");
  if (query === undefined) return { text };
  const values = query.members().map(([name, value]) => [name, value.json()]);
  return { query: Object.fromEntries(values), text };
}
