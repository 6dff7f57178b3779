// Compiles the package's own built-in plugins: they are declared with `@plugin` like any other, and
// become a module of the runtime. Used by the package's build alone.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { hasErrors } from "./build-result.js";
import { checkPlugins } from "./check/check-plugins.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { emitConverters } from "./emit/converters.js";
import { inNumberOrder } from "./emit/describe.js";
import { PluginModules } from "./emit/modules.js";
import { emitDescriptions, emitPlugins } from "./emit/plugins.js";
import { HEADER } from "./emit/text.js";
import { PluginReader } from "./read/plugin-reader.js";

export { replaceFolder } from "./output.js";

const PATH_PREFIX = "/svc/builtin/";

/** Plugins of one thread. */
interface PluginSet {
  readonly sources: string;
  readonly generated: string;
}
const SETS: readonly PluginSet[] = [
  { sources: "runtime/builtin/plugins", generated: "runtime/builtin/.generated" },
  { sources: "runtime/builtin/graph-plugins", generated: "runtime/builtin/.generated/graph" },
];

/** @param packageDir folder of this package's sources */
export function compileBuiltins(packageDir: string): readonly Diagnostic[] {
  return SETS.flatMap((set) => compileSet(packageDir, set));
}

function compileSet(
  packageDir: string,
  { sources: folder, generated }: PluginSet,
): readonly Diagnostic[] {
  const sources = readdirSync(join(packageDir, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);
  const { plugins, types, diagnostics: found } = new PluginReader(packageDir, sources).read();
  const diagnostics = [...found, ...checkPlugins(plugins, types, { executors: 1 })];
  if (hasErrors(diagnostics)) {
    return diagnostics;
  }
  const numbered = inNumberOrder(plugins);
  const modules = new PluginModules(numbered);
  /** From the generated files to `runtime/`. */
  const up = relative(generated, "runtime");
  const files = {
    "converters.js": emitConverters(numbered, types, {
      modules: "./modules.js",
      convert: `${up}/plugin/convert.ts`,
    }),
    "descriptions.d.ts": declarations(up, "descriptions", "PluginDescription"),
    "descriptions.js": emitDescriptions(numbered, PATH_PREFIX),
    "modules.js": modules.emit((module) => module.replace("runtime/", `${up}/`)),
    "plugins.d.ts": declarations(up, "plugins", "PluginEntry"),
    "plugins.js": emitPlugins(numbered, PATH_PREFIX, "./converters.js"),
  };
  mkdirSync(join(packageDir, generated), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeChanged(join(packageDir, generated, name), text);
  }
  return diagnostics;
}

function declarations(up: string, name: string, type: string): string {
  return `${HEADER}
import type { ${type} } from "${up}/plugin/plugin-entry.js";

export declare const ${name}: readonly ${type}[];
`;
}

function writeChanged(path: string, text: string): void {
  try {
    if (readFileSync(path, "utf8") === text) {
      return;
    }
  } catch {
    // Not there yet.
  }
  writeFileSync(path, text);
}
