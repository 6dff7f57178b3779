// Compiles the package's own built-in plugins: they are declared with `@plugin` like any other, and
// become a module of the runtime. Used by the package's build alone.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrors } from "./build-result.js";
import { checkPlugins } from "./check/check-plugins.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { emitConverters } from "./emit/converters.js";
import { inNumberOrder } from "./emit/describe.js";
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
  const files = readdirSync(join(packageDir, SOURCES))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${SOURCES}/${name}`);
  const { plugins, types, diagnostics: found } = new PluginReader(packageDir, files).read();
  const diagnostics = [...found, ...checkPlugins(plugins, types, { executors: 1 })];
  if (hasErrors(diagnostics)) {
    return diagnostics;
  }
  const numbered = inNumberOrder(plugins);
  const converters = emitConverters(numbered, types, {
    specifier: (module) => module.replace("runtime/builtin/", "../"),
    convert: "../../plugin/convert.ts",
  });
  const folder = join(packageDir, GENERATED);
  mkdirSync(folder, { recursive: true });
  writeChanged(join(folder, "converters.js"), converters);
  writeChanged(join(folder, "plugins.js"), emitPlugins(numbered, PATH_PREFIX, "./converters.js"));
  writeChanged(join(folder, "plugins.d.ts"), DECLARATIONS);
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
