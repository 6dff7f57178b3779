// The plugins of the request table in the roles of a matrix. Dispatchers cannot merge their plain
// results, so each is packed as the only entry of a PluginResponse and unpacked at the top: the
// client must not see a difference.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Library from "svc-server";
import type { PluginEntry, PluginResponse } from "svc-server";

export type TableRole =
  /** Back-end: results are packed for a dispatcher. */
  | "engine"
  /** Dispatcher: results are unpacked at the top. */
  | "post"
  /** An instance of a cycle: a request is executed where it began. */
  | "ring"
  /** Dispatcher without processors. */
  | "none";

export const RING_SIZE = 3;

type Derive = (entry: PluginEntry) => PluginEntry;

/** Registers all plugins that are built in `folder`; `scratch` is a writable folder. */
export async function addTable(
  { loadPlugins, PluginRequest, PluginResponse, system }: typeof Library,
  folder: string,
  role: TableRole,
  scratch: string,
): Promise<void> {
  if (role === "engine") {
    const derived = derivedBuild(folder, scratch, packing);
    for (const plugin of await loadPlugins(derived)) system.addPlugin(plugin);
  } else if (role === "post") {
    for (const { name } of await loadPlugins(folder)) {
      system.addPlugin(null, { name, post: unpacked });
    }
  } else if (role === "ring") {
    const derived = derivedBuild(folder, scratch, passing);
    for (const pre of await loadPlugins(derived)) {
      system.addPlugin(null, { name: pre.name, pre, post: unpacked });
    }
  }

  function packing(entry: PluginEntry): PluginEntry {
    return {
      ...entry,
      invoke: (request, source) => {
        const value = entry.invoke(request, source);
        return request.toplevel ? value : packed(value);
      },
    };
  }

  function passing(entry: PluginEntry): PluginEntry {
    return {
      ...entry,
      role: "pre",
      invoke: (request, source) => {
        // Each has one partition, so that the target is free to count instances.
        const passed = request.partial ?? 0;
        if (passed === RING_SIZE) return packed(entry.invoke(request, source));
        request.partial = passed + 1;
        return request;
      },
    };
  }

  function packed(value: unknown): unknown {
    if (value instanceof PluginResponse || value instanceof PluginRequest) return value;
    if (value instanceof Promise) return value.then(packed);
    const response = new PluginResponse(1);
    response.append(0, value);
    return response;
  }
}

function unpacked(response: PluginResponse): unknown {
  const isPacked = response.toplevel && response.maxhits === 1;
  return isPacked ? response.entries[0]![1] : response;
}

/** Writes a build whose plugins are derived from those of `folder`. */
function derivedBuild(folder: string, scratch: string, derive: Derive): string {
  const built = join(scratch, "derived");
  mkdirSync(built, { recursive: true });
  const source = pathToFileURL(join(folder, "plugins.js")).href;
  const text = `import { plugins as built } from ${JSON.stringify(source)};
export const plugins = built.map(globalThis.derivePlugin);
`;
  writeFileSync(join(built, "plugins.js"), text);
  const argspec = JSON.parse(readFileSync(join(folder, "argspec.json"), "utf8"));
  const plugins = argspec.plugins.map((spec: PluginEntry) => ({
    ...spec,
    role: derive(spec).role,
  }));
  writeFileSync(join(built, "argspec.json"), JSON.stringify({ ...argspec, plugins }));
  Object.assign(globalThis, { derivePlugin: derive });
  return built;
}
