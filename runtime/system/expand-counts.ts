// Dispatchers of which a system has several: `T` with `count: 8` stands for `T{1..8}`. They keep
// nothing, so that each can answer any request. Only ranges are left behind this module.

import { isPlainObject } from "../base/plain-object.js";
import type { DescriptorErrors } from "./descriptor-errors.js";

type Dict = Readonly<Record<string, unknown>>;

const MAX_COUNT = 16_384;

/** Returns a descriptor with ranges in place of counts. */
export function expandCounts(given: Dict, errors: DescriptorErrors): Dict {
  const { instances, topology } = given;
  if (!isPlainObject(instances)) return given;
  const names = new Map<string, string>();
  const entries = Object.entries(instances).map(([id, instance]) => {
    if (!isPlainObject(instance) || !Object.hasOwn(instance, "count")) return [id, instance];
    const { count, ...rest } = instance;
    if (count === null) return [id, rest];
    const fault = findFault(id, instance);
    if (fault !== null) errors.at(`instances.${id}.count`, fault);
    else names.set(id, `${id}{1..${count}}`);
    return [names.get(id) ?? id, rest];
  });
  const named = { ...given, instances: Object.fromEntries(entries) };
  if (!isPlainObject(topology) || !isPlainObject(topology.dispatch)) return named;
  const rows = Object.entries(topology.dispatch).map(([id, all]) => [names.get(id) ?? id, all]);
  return { ...named, topology: { ...topology, dispatch: Object.fromEntries(rows) } };
}

/** Returns why an instance cannot have its count; null: it can. */
function findFault(id: string, { type, count }: Dict): string | null {
  if (type !== "dispatch") return "only instances of type dispatch have one: others have data";
  if (id.includes("{")) return "an id with a range has none";
  const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MAX_COUNT;
  return isCount ? null : `positive integer required, ${MAX_COUNT} at most`;
}
