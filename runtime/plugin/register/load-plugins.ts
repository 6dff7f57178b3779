// Built plugins for library mode: functions that carry their record and their part of the argspec,
// for `addPlugin`.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Argspec } from "../../../argspec/argspec.js";
import { PluginError } from "../../base/errors.js";
import { JOB_PATH } from "../contract/job-schedule.js";
import type { PluginEntry } from "../contract/plugin-entry.js";
import type { PluginFunction } from "../contract/plugin-function.js";
import type { RegisteredPlugin } from "../contract/registered-plugin.js";

const loaded = new WeakMap<PluginFunction, RegisteredPlugin>();

/** Returns the record of a function that `loadPlugins` returned. */
export function loadedPlugin(fn: unknown): RegisteredPlugin | undefined {
  return typeof fn === "function" ? loaded.get(fn as PluginFunction) : undefined;
}

/**
 * Loads the output of `svc build`. Each function represents one plugin and has its name. It can
 * only be passed to `addPlugin`, not called.
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
  // Node caches modules by URL; an old build must not hide a newer one.
  url.search = String(modified);
  let plugins: readonly PluginEntry[];
  let argspec: Argspec;
  try {
    ({ plugins } = (await import(url.href)) as { plugins: readonly PluginEntry[] });
    argspec = JSON.parse(readFileSync(join(folder, "argspec.json"), "utf8"));
  } catch (cause) {
    throw new PluginError(`plugins in ${folder} failed to load: ${cause}`, { cause });
  }
  const callable = plugins.filter(({ description }) => !description.path.startsWith(JOB_PATH));
  return callable.map((entry) => {
    const { name, role } = entry;
    const spec = argspec.plugins.find((plugin) => plugin.name === name && plugin.role === role);
    // Both are written together: a mismatch means that another build replaced this one meanwhile.
    if (spec === undefined) throw new PluginError(`argspec.json in ${folder} has no '${name}'`);
    return functionOf({ ...entry, spec, $defs: argspec.$defs });
  });
}

function functionOf(entry: RegisteredPlugin): PluginFunction {
  const fn: PluginFunction = () => {
    throw new PluginError(`'${entry.name}' is a built plugin: give it to addPlugin`);
  };
  Object.defineProperty(fn, "name", { value: entry.name });
  loaded.set(fn, entry);
  return fn;
}
