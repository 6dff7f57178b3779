// The operations of a document with all names that they have in it. A document may hold a service's
// plugins, built-in plugins, or both; names are those of the table that all clients share, and
// differ from them only where OpenAPI wants other characters.

import type { Argspec, PluginSpec } from "../argspec.js";
import { nameTable } from "../names.js";
import { type Operation, operationsOf } from "../operations.js";

export interface NamedOperation {
  readonly operation: Operation;
  readonly isBuiltin: boolean;
  /** `operationId`; of POST, where there is GET beside it, `postId`. */
  readonly id: string;
  readonly postId: string;
  /** Component of what it answers, if that is a sorted list. */
  readonly resultName: string;
  readonly roles: readonly PluginSpec["role"][];
  /** Null where nothing is known of its source. */
  readonly tag: string | null;
}

const BUILTIN_PATH = "/svc/builtin/";
const BUILTIN_TAG = "built-in";
/** What names of components must not contain. */
const STRANGE = /[^A-Za-z0-9_]/gu;

/** User plugins first, then built-in ones, each by name. */
export function namedOperations(argspec: Argspec): {
  readonly operations: readonly NamedOperation[];
  /** Component of each name in `$defs`. */
  readonly types: ReadonlyMap<string, string>;
} {
  const isBuiltin = ({ path }: PluginSpec) => path.startsWith(BUILTIN_PATH);
  const own = operationsOf({ ...argspec, plugins: argspec.plugins.filter((p) => !isBuiltin(p)) });
  const builtin = operationsOf({ ...argspec, plugins: argspec.plugins.filter(isBuiltin) });
  const taken = new Set(own.map(({ name }) => name));
  const renamed = builtin.map((operation) => ({
    ...operation,
    name: free(`builtin_${operation.name}`, taken),
  }));
  const table = nameTable(argspec, [...own, ...renamed]);
  const ids = new Set(table.methods.values());
  const components = new Set([...table.types.values(), ...table.results.values()]);
  const component = (name: string) =>
    name.search(STRANGE) >= 0 ? free(name.replace(STRANGE, "_"), components) : name;
  const types = new Map([...table.types].map(([name, type]) => [name, component(type)]));
  const named = (operation: Operation): NamedOperation => {
    const { name, path } = operation;
    const parts = argspec.plugins.filter((plugin) => plugin.path === path);
    const id = table.methods.get(name)!;
    return {
      operation,
      isBuiltin: renamed.includes(operation),
      id,
      postId: free(`${id}Post`, ids),
      resultName: table.results.get(name)!,
      roles: parts.map(({ role }) => role),
      tag: renamed.includes(operation) ? BUILTIN_TAG : moduleOf(parts),
    };
  };
  return { operations: [...own, ...renamed].map(named), types };
}

/** Readers look for what belongs together, and that is what authors put into one module. */
function moduleOf(plugins: readonly PluginSpec[]): string | null {
  const source = plugins.find((plugin) => plugin.source !== null)?.source;
  return source?.file.replace(/^plugins\//, "").replace(/\.\w+$/, "") ?? null;
}

/** A name that nothing else has; takes it. */
function free(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}
