// Built plugins for library mode: functions that carry their record, to be given to `addPlugin`.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { PluginError } from "../errors.js";
import type { PluginEntry } from "./plugin-entry.js";
import type { PluginFunction } from "./plugin-function.js";

const entries = new WeakMap<PluginFunction, PluginEntry>();

/** The record of a function that `loadPlugins` returned. */
export function loadedEntry(fn: unknown): PluginEntry | undefined {
  return typeof fn === "function" ? entries.get(fn as PluginFunction) : undefined;
}

/**
 * Loads what `svc build` wrote. Each function stands for one plugin, carries its name, and is only
 * good for `addPlugin`.
 * @param folder the build folder
 * @throws PluginError when there is no build, or its code fails while it is loaded
 * @example
 * for (const plugin of await loadPlugins(".svc")) system.addPlugin(plugin);
 */
export async function loadPlugins(folder = ".svc"): Promise<PluginFunction[]> {
  const file = resolve(join(folder, "plugins.js"));
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (modified === undefined) {
    throw new PluginError(`no build in ${folder}: run \`svc build\` first`);
  }
  const url = pathToFileURL(file);
  // Node caches modules by URL; a newer build must not be hidden by an older one.
  url.search = String(modified);
  let plugins: readonly PluginEntry[];
  try {
    ({ plugins } = (await import(url.href)) as { plugins: readonly PluginEntry[] });
  } catch (cause) {
    throw new PluginError(`the plugins in ${folder} cannot be loaded: ${cause}`, { cause });
  }
  return plugins.map(functionOf);
}

function functionOf(entry: PluginEntry): PluginFunction {
  const fn: PluginFunction = () => {
    throw new PluginError(`'${entry.name}' is a built plugin: give it to addPlugin`);
  };
  Object.defineProperty(fn, "name", { value: entry.name });
  entries.set(fn, entry);
  return fn;
}
