// Emits the entry point of the bundle: the plugin functions under unique names. `add` of module 3
// becomes `add$3`.

import type { ModuleExport } from "../record/module-export.js";
import { type PluginRecord, SCHEMA_PREFIX } from "../record/plugin-record.js";
import { HEADER, identifier, quote } from "./text.js";

export class PluginModules {
  /** Number of each module and the names used of it, by path. */
  readonly #modules = new Map<string, { number: number; exports: Set<string> }>();

  /** @param others further functions; the numbers of the plugins' modules do not depend on them */
  constructor(plugins: readonly PluginRecord[], others: readonly ModuleExport[] = []) {
    const used = plugins.flatMap((plugin): ModuleExport[] => [
      plugin,
      ...plugin.before,
      ...schemasOf(plugin),
      ...makersOf(plugin),
    ]);
    const paths = new Set(used.map(({ module }) => module).sort());
    for (const { module } of others) paths.add(module);
    for (const [number, path] of [...paths].entries()) {
      this.#modules.set(path, { number, exports: new Set() });
    }
    for (const entry of [...used, ...others])
      this.#modules.get(entry.module)!.exports.add(exportName(entry));
  }

  /** Returns the names that the bundle exports and a text uses, in the order of `emit`. */
  names(text: string): string[] {
    const words = new Set(text.match(/[\w$\u0080-\uffff]+/g));
    return [...this.#modules.values()].flatMap(({ number, exports }) =>
      [...exports]
        .sort()
        .map((name) => `${name}$${number}`)
        .filter((name) => words.has(name)),
    );
  }

  /** Returns an expression that accesses the function by its name. */
  reference(entry: ModuleExport): string {
    const { number } = this.#modules.get(entry.module)!;
    const [, ...members] = entry.exportPath.split(".").map(identifier);
    return [`${exportName(entry)}$${number}`, ...members].join(".");
  }

  /** @param specifier import specifier of a module, relative to the entry point */
  emit(specifier: (module: string) => string): string {
    const lines = [...this.#modules].map(([path, { number, exports }]) => {
      const list = [...exports].sort().map((name) => `${name} as ${name}$${number}`);
      return `export { ${list.join(", ")} } from ${quote(specifier(path))};\n`;
    });
    return `${HEADER}\n${lines.join("")}`;
  }
}

/** The schemas that check the arguments of a plugin. */
function schemasOf({ params }: PluginRecord): ModuleExport[] {
  return params.flatMap(({ schemas = [] }) => schemas.map(({ schema }) => schema));
}

/** The classes that create parts of the arguments of a plugin. */
function makersOf({ params }: PluginRecord): readonly ModuleExport[] {
  return params.flatMap(({ makers = [] }) => makers);
}

/** Names that modules export in addition to their own, by path: `svc$Order`. */
export function addedExports(plugins: readonly PluginRecord[]): Map<string, Set<string>> {
  const added = new Map<string, Set<string>>();
  for (const entry of plugins.flatMap((plugin) => [...schemasOf(plugin), ...makersOf(plugin)])) {
    const names = added.get(entry.module) ?? new Set();
    added.set(entry.module, names.add(exportName(entry).slice(SCHEMA_PREFIX.length)));
  }
  return added;
}

function exportName({ exportPath }: ModuleExport): string {
  return identifier(exportPath.split(".")[0]!);
}
