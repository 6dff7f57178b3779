// Compiles the package's own built-in plugins: they are declared with `@plugin` like any other, and
// become a module of the runtime. Used by the package's build alone.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrors } from "./build-result.js";
import { checkPlugins } from "./check/check-plugins.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { emitConverters } from "./emit/converters.js";
import { inNumberOrder } from "./emit/describe.js";
import { PluginModules } from "./emit/modules.js";
import { emitPlugins } from "./emit/plugins.js";
import { HEADER } from "./emit/text.js";
import { PluginReader } from "./read/plugin-reader.js";

export { replaceFolder } from "./output.js";

const SOURCES = "runtime/builtin/plugins";
const GENERATED = "runtime/builtin/.generated";
const PATH_PREFIX = "/svc/builtin/";

const DECLARATIONS = `${HEADER}
import type { PluginEntry } from "../../plugin/plugin-entry.js";

export declare const plugins: readonly PluginEntry[];
`;

/** @param packageDir folder of this package's sources */
export function compileBuiltins(packageDir: string): readonly Diagnostic[] {
  const sources = readdirSync(join(packageDir, SOURCES))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${SOURCES}/${name}`);
  const { plugins, types, diagnostics: found } = new PluginReader(packageDir, sources).read();
  const diagnostics = [...found, ...checkPlugins(plugins, types, { executors: 1 })];
  if (hasErrors(diagnostics)) {
    return diagnostics;
  }
  const numbered = inNumberOrder(plugins);
  const modules = new PluginModules(numbered);
  const folder = join(packageDir, GENERATED);
  mkdirSync(folder, { recursive: true });
  const files = {
    "converters.js": emitConverters(numbered, types, {
      modules: "./modules.js",
      convert: "../../plugin/convert.ts",
    }),
    "modules.js": modules.emit((module) => module.replace("runtime/builtin/", "../")),
    "plugins.d.ts": DECLARATIONS,
    "plugins.js": emitPlugins(numbered, PATH_PREFIX, "./converters.js"),
  };
  for (const [name, text] of Object.entries(files)) {
    writeChanged(join(folder, name), text);
  }
  return diagnostics;
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
