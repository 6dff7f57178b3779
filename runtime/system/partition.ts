// Computed partition of an instance, `1000·k + n/1000`: k is its kind (admin, dispatcher, engine),
// n the number of its replication tree.

import type { InstanceType } from "./descriptor.js";
import type { System } from "./system.js";

const KIND: Readonly<Record<InstanceType, number>> = {
  admin: 1,
  generic: 1,
  dispatch: 2,
  builder: 3,
  txproxy: 3,
  search: 3,
};

export function partitionOf(system: System, id: string): string {
  const { type } = system.instances.get(id)!;
  const engines = new Set(system.matrices.get(id)?.partitions.flat() ?? []);
  const below = new Set(
    [...engines]
      .filter((engine) => KIND[system.instances.get(engine)!.type] !== KIND.dispatch)
      .map((engine) => partitionOf(system, engine)),
  );
  if (type === "dispatch" && below.size === 1) return [...below][0]!;
  return (KIND[type] * 1000 + treeNumber(system, id) / 1000).toFixed(3);
}

/** Returns the number of an instance's replication tree among those of its kind, from 1. */
function treeNumber(system: System, id: string): number {
  const kind = KIND[system.instances.get(id)!.type];
  const root = findRoot(system, id);
  const roots = [...system.instances.values()]
    .filter((other) => KIND[other.type] === kind && !system.providers.has(other.id))
    .map((other) => other.id);
  // A root of another kind gets a number after the others.
  const at = roots.indexOf(root);
  return at < 0 ? roots.length + 1 : at + 1;
}

function findRoot(system: System, id: string): string {
  let root = id;
  // Trees are acyclic.
  for (let up = system.providers.get(root); up !== undefined; up = system.providers.get(root)) {
    root = up;
  }
  return root;
}
