// The entry of the bundle: the plugins' functions, each under a name of its own. `add` of the
// module numbered 3 is `add$3`.

import type { PluginRecord } from "../record/plugin-record.js";
import { HEADER, identifier, quote } from "./text.js";

export class PluginModules {
  /** Numbers of the modules and what is used of each, by path. */
  readonly #modules = new Map<string, { number: number; exports: Set<string> }>();

  constructor(plugins: readonly PluginRecord[]) {
    const paths = new Set(plugins.map((plugin) => plugin.module).sort());
    for (const [number, path] of [...paths].entries()) {
      this.#modules.set(path, { number, exports: new Set() });
    }
    for (const plugin of plugins) {
      this.#modules.get(plugin.module)!.exports.add(exportName(plugin));
    }
  }

  /** Names of everything that the bundle exports, in the order of `emit`. */
  names(): string[] {
    return [...this.#modules.values()].flatMap(({ number, exports }) =>
      [...exports].sort().map((name) => `${name}$${number}`),
    );
  }

  /** Expression that reaches a plugin's function through its name. */
  reference(plugin: PluginRecord): string {
    const { number } = this.#modules.get(plugin.module)!;
    const [, ...members] = plugin.exportPath.split(".").map(identifier);
    return [`${exportName(plugin)}$${number}`, ...members].join(".");
  }

  /** @param specifier import specifier of a module, as seen from the entry */
  emit(specifier: (module: string) => string): string {
    const lines = [...this.#modules].map(([path, { number, exports }]) => {
      const list = [...exports].sort().map((name) => `${name} as ${name}$${number}`);
      return `export { ${list.join(", ")} } from ${quote(specifier(path))};\n`;
    });
    return `${HEADER}\n${lines.join("")}`;
  }
}

function exportName(plugin: PluginRecord): string {
  return identifier(plugin.exportPath.split(".")[0]!);
}
