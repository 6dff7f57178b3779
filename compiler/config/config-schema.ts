// The rules of `svc.config.ts`: what each key may hold and what it is when absent.

import { posix } from "node:path";
import {
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_PLUGIN_TIMEOUT_MS,
  DEFAULT_SAVE_EVERY_SECONDS,
  MAIN_SLOTS,
  MAX_MAIN_PORT,
  MAX_PLUGIN_NAME_LENGTH,
  MAX_PLUGIN_TIMEOUT_MS,
  MAX_SAVE_EVERY_SECONDS,
  MIN_EXECUTOR_HEAP_MB,
} from "../../runtime/base/limits.js";
import type { JsonValue, PluginDeclaration } from "../../runtime/settings/config.js";
import {
  type ConfiguredGraph,
  type DeclaredPlugin,
  GRAPH_NAME,
  type ResolvedConfig,
} from "../../runtime/settings/manifest.js";
import {
  boolean,
  integer,
  jsonObject,
  list,
  named,
  nullable,
  object,
  oneOf,
  type Problems,
  type Rule,
  string,
  stringOr,
  test,
  withDefault,
} from "./config-rules.js";

const DEFAULT_PLUGINS = ["plugins/**/*.{ts,mts}"];
const MODULE_EXPORT = /^(?:(.+)#)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?)$/;
const CIDR = /^[0-9a-fA-F.:]+(?:\/\d{1,3})?$/;

const text = string("a string");
const nonEmpty = string("a non-empty string", /\S/);

const prefix: Rule<string> = (value, path, problems) => {
  const right = string("a path of A-Z a-z 0-9 - . / = @ _ ~", /^[A-Za-z0-9\-./=@_~]*$/);
  const inner = right(value, path, problems).replace(/^\/+|\/+$/g, "");
  return inner === "" ? "" : `/${inner}`;
};

const http = object<ResolvedConfig["http"]>({
  port: withDefault(integer(0, MAX_MAIN_PORT), 9000),
  ip: withDefault(nullable(nonEmpty), null),
  adminIp: withDefault(nullable(nonEmpty), null),
  prefix: withDefault(
    nullable((value, path, problems) => prefix(value, path, problems) || null),
    null,
  ),
  servicein: withDefault(boolean, true),
  transport: withDefault(oneOf("auto", "net", "uws"), "auto"),
  cors: withDefault(nullable(string("an origin, on one line", /^[\x21-\x7e]+$/)), null),
  maxBodyBytes: withDefault(integer(1, Number.MAX_SAFE_INTEGER), DEFAULT_MAX_BODY_BYTES),
  traceback: withDefault(boolean, true),
  trusted: withDefault(list(string("a network such as 10.0.0.0/8", CIDR), "a list"), []),
});

const insideProject = test(
  "a path or pattern inside the project, with /",
  (value) =>
    typeof value === "string" &&
    value !== "" &&
    !value.includes("\\") &&
    !/^!?(?:\/|[A-Za-z]:)/.test(value) &&
    !value.split("/").includes(".."),
  "",
);

const reference = string("`export` or `module#export`", MODULE_EXPORT);

const declaration = object<{ [K in keyof Required<PluginDeclaration>]: string | null }>({
  name: test(
    "a name of letters, digits and underscores, first no digit",
    (value) =>
      typeof value === "string" &&
      /^[A-Za-z_]\w*$/.test(value) &&
      value.length <= MAX_PLUGIN_NAME_LENGTH,
    "",
  ),
  module: withDefault(insideProject, null),
  engine: withDefault(reference, null),
  pre: withDefault(reference, null),
  post: withDefault(reference, null),
  graph: withDefault(nullable(nonEmpty), null),
});

const insideRoot = test(
  "a path inside the data folder, with /",
  (value) => typeof value === "string" && /^(?!\.)[^/\\\0:]+(?:\/(?!\.)[^/\\\0:]+)*$/.test(value),
  "",
);

const graphs = named<ConfiguredGraph>(
  "a graph name: a letter, then letters, digits and _.#$%@",
  GRAPH_NAME,
  object<ConfiguredGraph>({
    path: withDefault(nullable(insideRoot), null),
    readonly: withDefault(boolean, false),
    local: withDefault(boolean, false),
  }),
);

const executorHeapMb: Rule<number> = test(
  `0 or an integer from ${MIN_EXECUTOR_HEAP_MB}`,
  (value) => value === 0 || (Number.isInteger(value) && (value as number) >= MIN_EXECUTOR_HEAP_MB),
  0,
);

const executors: Rule<number | "auto"> = test(
  `an integer from 1 to ${MAIN_SLOTS} or "auto"`,
  (value) =>
    value === "auto" ||
    (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAIN_SLOTS),
  1,
);

const pluginItem: Rule<string | DeclaredPlugin[]> = stringOr(
  insideProject,
  (value, path, problems) => declaredPlugins(value, path, problems),
);

const raw = object<Omit<ResolvedConfig, "plugins" | "declared"> & { plugins: Item[] }>({
  name: withDefault(nullable(nonEmpty), null),
  root: withDefault(nonEmpty, "./data"),
  http: withDefault(http, http({}, "http", [])),
  plugins: withDefault(list(pluginItem, "a list of patterns and declarations"), DEFAULT_PLUGINS),
  graphs: withDefault(graphs, {}),
  saveEvery: withDefault(integer(0, MAX_SAVE_EVERY_SECONDS), DEFAULT_SAVE_EVERY_SECONDS),
  executors: withDefault(executors, 1),
  executorHeapMb: withDefault(executorHeapMb, 0),
  plugin: withDefault(
    object({
      timeoutMs: withDefault(integer(0, MAX_PLUGIN_TIMEOUT_MS), DEFAULT_PLUGIN_TIMEOUT_MS),
    }),
    { timeoutMs: DEFAULT_PLUGIN_TIMEOUT_MS },
  ),
  dispatcher: withDefault(nullable(jsonObject), null),
  descriptor: withDefault(nullable(stringOr<string, Json>(text, jsonObject)), null),
});

type Json = { readonly [key: string]: JsonValue };
type Item = string | DeclaredPlugin[];

/** Validates a configuration and fills in its defaults; `problems` receives every mistake. */
export function resolveConfig(value: unknown, problems: Problems): ResolvedConfig {
  const { name, root, plugins, ...rest } = raw(value, "", problems);
  return {
    name,
    root,
    ...rest,
    plugins: plugins.filter((item) => typeof item === "string"),
    declared: plugins.filter((item) => typeof item !== "string").flat(),
  };
}

function declaredPlugins(value: unknown, path: string, problems: Problems): DeclaredPlugin[] {
  const before = problems.length;
  const { name, module, graph, ...functions } = declaration(value, path, problems);
  if (problems.length > before) {
    return [];
  }
  const { engine, pre, post } = functions;
  if (engine === null && pre === null && post === null) {
    problems.push(`${path}: expected at least one of engine, pre and post`);
  }
  if (engine !== null && (pre !== null || post !== null)) {
    problems.push(`${path}: engine cannot be combined with pre or post`);
  }
  return (["engine", "pre", "post"] as const).flatMap((role) => {
    const written = functions[role];
    if (written === null) {
      return [];
    }
    const [, own, exportPath] = MODULE_EXPORT.exec(written)!;
    const file = own ?? module;
    if (file === null) {
      problems.push(`${path}.${role}: expected \`module#export\`, as there is no "module"`);
      return [];
    }
    insideProject(file, `${path}.${role}`, problems);
    return [{ name: name!, role, graph, module: posix.normalize(file), exportPath: exportPath! }];
  });
}
