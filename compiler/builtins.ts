// Compiles the package's own built-in plugins. They are declared with `@plugin` like any other, and
// become modules of the runtime and an argspec. Used only by the build of the package.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Argspec } from "../argspec/argspec.js";
import { hasErrors } from "./build-result.js";
import { checkPlugins } from "./check/check-plugins.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { emitArgspec } from "./emit/argspec.js";
import { emitConverters } from "./emit/converters.js";
import { inNumberOrder } from "./emit/describe.js";
import { PluginModules } from "./emit/modules.js";
import { emitDescriptions, emitPlugins } from "./emit/plugins.js";
import { HEADER } from "./emit/text.js";
import { PluginReader } from "./read/plugin-reader.js";
import type { PluginRecord } from "./record/plugin-record.js";
import type { TypeTable } from "./record/type-shape.js";

export { replaceFolder } from "./output.js";

const PATH_PREFIX = "/svc/builtin/";

/** File contents by name. */
type Files = Readonly<Record<string, string>>;

/** Plugins that run in one thread. */
interface PluginSet {
  readonly sources: string;
  readonly generated: string;
}
const SETS: readonly PluginSet[] = [
  { sources: "runtime/builtin/plugins", generated: "runtime/builtin/.generated" },
  { sources: "runtime/builtin/graph-plugins", generated: "runtime/builtin/.generated/graph" },
];

const ARGSPEC_FOLDER = "argspec/.generated";
/** Plugins that read query parameters beyond their signatures. */
const OPEN = new Set(["arcs", "echo", "nearest", "neighbor", "paths", "vertices"]);

/** @param packageDir source folder of this package */
export function compileBuiltins(packageDir: string): readonly Diagnostic[] {
  const sources = SETS.flatMap((set) => sourcesOf(packageDir, set));
  const read = new PluginReader(packageDir, sources).read();
  const { plugins, types } = read;
  const diagnostics = [...read.diagnostics, ...checkPlugins(plugins, types, { executors: 1 })];
  if (hasErrors(diagnostics)) return diagnostics;
  for (const set of SETS) {
    const setPlugins = plugins.filter(({ module }) => dirname(module) === set.sources);
    writeFiles(join(packageDir, set.generated), modulesOf(set, inNumberOrder(setPlugins), types));
  }
  writeFiles(join(packageDir, SETS[0]!.generated), readonlyModule(inNumberOrder(plugins)));
  writeFiles(join(packageDir, ARGSPEC_FOLDER), argspecModule(inNumberOrder(plugins), types));
  return diagnostics;
}

function sourcesOf(packageDir: string, { sources }: PluginSet): string[] {
  return readdirSync(join(packageDir, sources))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${sources}/${name}`);
}

function modulesOf({ generated }: PluginSet, plugins: PluginRecord[], types: TypeTable): Files {
  const modules = new PluginModules(plugins);
  /** Import path from the generated files to `runtime/`. */
  const up = relative(generated, "runtime");
  return {
    "converters.js": emitConverters(plugins, types, {
      modules: "./modules.js",
      convert: `${up}/plugin/convert.ts`,
    }),
    "descriptions.d.ts": declarations(up, "descriptions", "PluginDescription"),
    "descriptions.js": emitDescriptions(plugins, PATH_PREFIX),
    "modules.js": modules.emit((module) => module.replace("runtime/", `${up}/`)),
    "plugins.d.ts": declarations(up, "plugins", "PluginEntry"),
    "plugins.js": emitPlugins(plugins, types, PATH_PREFIX, {
      converters: "./converters.js",
      modules: "./modules.js",
    }),
  };
}

/** Paths of readonly plugins; all others are only for trusted clients. */
function readonlyModule(plugins: readonly PluginRecord[]): Files {
  const paths = plugins.filter((plugin) => plugin.readonly).map(({ name }) => PATH_PREFIX + name);
  return {
    "readonly.d.ts": `${HEADER}\nexport declare const readonlyPaths: readonly string[];\n`,
    "readonly.js": `${HEADER}\nexport const readonlyPaths = ${JSON.stringify(paths, null, 2)};\n`,
  };
}

function argspecModule(records: PluginRecord[], types: TypeTable): Files {
  const service = { name: null, prefix: null };
  const argspec = JSON.parse(emitArgspec(service, records, types, PATH_PREFIX)) as Argspec;
  const plugins = argspec.plugins.map((plugin) => ({
    ...plugin,
    ...(OPEN.has(plugin.name) && { open: true }),
  }));
  const text = JSON.stringify({ ...argspec, plugins }, null, 2);
  return {
    "builtins.d.ts": `${HEADER}
import type { Argspec } from "../argspec.js";

export declare const builtins: Argspec;
`,
    "builtins.js": `${HEADER}\nexport const builtins = ${text};\n`,
  };
}

function declarations(up: string, name: string, type: string): string {
  return `${HEADER}
import type { ${type} } from "${up}/plugin/contract/plugin-entry.js";

export declare const ${name}: readonly ${type}[];
`;
}

function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeChanged(join(folder, name), text);
}

function writeChanged(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) {
      return;
    }
  } catch {
    // Does not exist yet.
  }
  writeFileSync(path, text);
}
