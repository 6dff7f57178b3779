// The key `plugins`: patterns of files that are searched for plugins, and declarations of plugins
// without a tag in their source.

import { posix } from "node:path";
import { MAX_PLUGIN_NAME_LENGTH } from "../base/limits.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { PluginDeclaration } from "./config-values.js";
import {
  expected,
  list,
  nullable,
  object,
  type Path,
  type Problems,
  type Rule,
  string,
  stringOr,
  test,
  withDefault,
} from "./rules.js";

/** One function that the configuration declares as a plugin. */
export interface DeclaredPlugin {
  readonly name: string;
  readonly role: PluginEntry["role"];
  readonly graph: string | null;
  /** Relative to the project folder, with `/`. */
  readonly module: string;
  /** Export name, or class and static method. */
  readonly exportPath: string;
}

/** A pattern of files, or the plugins of one declaration. */
export type PluginItem = string | readonly DeclaredPlugin[];

const MODULE_EXPORT = /^(?:(.+)#)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?)$/;

const insideProject = test(
  "a path or pattern inside the project, with /",
  (value) =>
    typeof value === "string" &&
    value !== "" &&
    !/[\\\0]/.test(value) &&
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
  graph: withDefault(nullable(string("a non-empty string", /\S/)), null),
});

const item: Rule<PluginItem> = stringOr<string, readonly DeclaredPlugin[]>(
  insideProject,
  (value, path, problems) => declaredPlugins(value, path, problems),
);

/** The key `before`: hooks that run before each plugin. */
export const beforeRule: Rule<readonly string[]> = list((value, path, problems) => {
  const written = string("`module#export`", /^[^#]+#[A-Za-z_$][\w$]*$/)(value, path, problems);
  if (written !== "") insideProject(written.split("#")[0], path, problems);
  return written;
}, "a list of `module#export`");

/** The key `env`: one schema, as a list with at most one item. */
export const envRule: Rule<readonly string[]> = (value, path, problems) => {
  if (typeof value === "string") return beforeRule([value], path, problems);
  // A list, as stored by a build.
  if (Array.isArray(value) && value.length <= 1) return beforeRule(value, path, problems);
  problems.push({ path, text: expected("`module#export`", value) });
  return [];
};

/** The key `auth`: one handler or several, in order. */
export const authRule: Rule<readonly string[]> = (value, path, problems) =>
  beforeRule(typeof value === "string" ? [value] : value, path, problems);

export const pluginsRule = list(item, "a list of patterns and declarations");

function declaredPlugins(value: unknown, path: Path, problems: Problems): DeclaredPlugin[] {
  const before = problems.length;
  const { name, module, graph, ...functions } = declaration(value, path, problems);
  if (problems.length > before) return [];
  const { engine, pre, post } = functions;
  if (engine === null && pre === null && post === null) {
    problems.push({ path, text: "expected at least one of engine, pre and post" });
  }
  if (engine !== null && (pre !== null || post !== null)) {
    problems.push({ path, text: "engine cannot be combined with pre or post" });
  }
  return (["engine", "pre", "post"] as const).flatMap((role) => {
    const written = functions[role];
    if (written === null) return [];
    const [, ownModule, exportPath] = MODULE_EXPORT.exec(written)!;
    const file = ownModule ?? module;
    if (file === null) {
      const text = 'expected `module#export`, as there is no "module"';
      problems.push({ path: [...path, role], text });
      return [];
    }
    insideProject(file, [...path, role], problems);
    return [{ name: name!, role, graph, module: posix.normalize(file), exportPath: exportPath! }];
  });
}
