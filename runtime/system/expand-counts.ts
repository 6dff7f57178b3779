// Replaces the `count` of equal dispatchers by a range: `T` with `count: 8` stands for `T{1..8}`.
// Only dispatchers have counts: they store no data, so any of them can serve any request.

import { isPlainObject } from "../base/plain-object.js";
import type { DescriptorErrors } from "./descriptor-errors.js";

type Dict = Readonly<Record<string, unknown>>;

const MAX_COUNT = 16_384;

/** Returns a descriptor with ranges in place of counts. */
export function expandCounts(descriptor: Dict, errors: DescriptorErrors): Dict {
  const { instances, topology, common } = descriptor;
  if (!isPlainObject(instances)) return descriptor;
  const shared = isPlainObject(common) ? common : {};
  const names = new Map<string, string>();
  const entries = Object.entries(instances).map(([id, instance]) => {
    if (!isPlainObject(instance) || !Object.hasOwn(instance, "count")) return [id, instance];
    const { count, ...rest } = instance;
    if (count === null) return [id, rest];
    const fault = findFault(id, { ...shared, ...instance });
    if (fault !== null) errors.at(`instances.${id}.count`, fault);
    else names.set(id, `${id}{1..${count}}`);
    return [id, rest];
  });
  const rename = (dict: Dict): Dict => renameKeys(dict, names, errors);
  const named = { ...descriptor, instances: rename(Object.fromEntries(entries)) };
  if (!isPlainObject(topology) || !isPlainObject(topology.dispatch)) return named;
  return { ...named, topology: { ...topology, dispatch: rename(topology.dispatch) } };
}

function renameKeys(
  dict: Dict,
  names: ReadonlyMap<string, string>,
  errors: DescriptorErrors,
): Dict {
  const entries = Object.entries(dict).map(([id, value]) => {
    const name = names.get(id) ?? id;
    const isTwice = name !== id && Object.hasOwn(dict, name);
    if (isTwice) errors.add(`System descriptor has ${name} twice: see ${id}`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** Returns why an instance cannot have its count; null: it can. */
function findFault(id: string, { type, count }: Dict): string | null {
  if (type !== "dispatch") return "only instances of type dispatch have one: others have data";
  if (id.includes("{")) return "an id with a range has none";
  const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MAX_COUNT;
  return isCount ? null : `positive integer required, ${MAX_COUNT} at most`;
}
