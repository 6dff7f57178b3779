// The operations of a document with their names. Names come from the table that all clients share;
// they differ only where OpenAPI allows other characters.

import type { Argspec, PluginSpec } from "../argspec.js";
import { nameTable } from "../name-table.js";
import { listOperations, type Operation } from "../operations.js";

export interface NamedOperation {
  readonly operation: Operation;
  /** `operationId`; `postId` is that of the POST variant of a GET operation. */
  readonly id: string;
  readonly postId: string;
  /** Component of the result, if it is a sorted list. */
  readonly resultName: string;
  readonly roles: readonly PluginSpec["role"][];
  readonly isBuiltin: boolean;
  /** Tag of the operation; null if its source file is unknown. */
  readonly tag: string | null;
}

export interface NamedOperations {
  /** Sorted by name. */
  readonly operations: readonly NamedOperation[];
  /** Component of each name in `$defs`. */
  readonly types: ReadonlyMap<string, string>;
}

const BUILTIN_PATH = "/svc/builtin/";
const BUILTIN_TAG = "built-in";
/** Characters forbidden in component names; type names may use letters of any language. */
const STRANGE = /[^A-Za-z0-9_]/gu;

export function namedOperations(argspec: Argspec): NamedOperations {
  const operations = listOperations(argspec);
  const table = nameTable(argspec, operations);
  const partsOf = new Map<string, PluginSpec[]>(operations.map(({ name }) => [name, []]));
  for (const plugin of argspec.plugins) partsOf.get(plugin.name)!.push(plugin);
  const ids = new Set(table.methods.values());
  const components = new Set([...table.types.values(), ...table.results.values()]);
  const component = (name: string) =>
    name.search(STRANGE) < 0 ? name : free(name.replace(STRANGE, "_"), components);
  return {
    operations: operations.map((operation) => {
      const { name, path } = operation;
      const parts = partsOf.get(name)!;
      const id = table.methods.get(name)!;
      const isBuiltin = path.startsWith(BUILTIN_PATH);
      return {
        operation,
        id,
        postId: free(`${id}Post`, ids),
        resultName: table.results.get(name)!,
        roles: parts.map(({ role }) => role),
        isBuiltin,
        tag: isBuiltin ? BUILTIN_TAG : moduleOf(parts),
      };
    }),
    types: new Map([...table.types].map(([name, type]) => [name, component(type)])),
  };
}

/** Readers look for related operations together, and authors keep those in one module. */
function moduleOf(plugins: readonly PluginSpec[]): string | null {
  const source = plugins.find((plugin) => plugin.source !== null)?.source;
  return source?.file.replace(/^plugins\//, "").replace(/\.\w+$/, "") ?? null;
}

/** Returns an unused name and reserves it. */
function free(preferred: string, used: Set<string>): string {
  let name = preferred;
  for (let number = 2; used.has(name); number++) name = `${preferred}${number}`;
  used.add(name);
  return name;
}
