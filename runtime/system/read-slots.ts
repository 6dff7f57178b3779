// Parses `slots` of a descriptor and finds the groups that own slots: the replication trees of the
// engines below the dispatchers.

import {
  DEFAULT_MANY_SLOTS,
  DEFAULT_SLOTS,
  MAX_MATRIX_DIMENSION,
  MAX_SLOTS,
  MIN_SLOTS,
} from "../base/limits.js";
import { isPlainObject } from "../base/plain-object.js";
import { divideSlots } from "../base/slot-map.js";
import { type DescriptorErrors, rejectUnknownKeys } from "./descriptor-errors.js";
import type { Instance, System, SystemSlots } from "./system.js";

const KEYS = ["graphs", "count", "everywhere", "comment"];
const MAX_TYPES = 256;
/** Excludes `__vertex__` (no type) and `lock_`: such vertices cannot exist in every group. */
const NAME = /^(?!__|lock_$)[^\p{Cc}]{1,100}$/u;

type Topology = Pick<System, "graphs" | "instances" | "providers" | "matrices">;

/** Returns null for a system without slots. */
export function readSlots(
  section: unknown,
  topology: Topology,
  errors: DescriptorErrors,
): SystemSlots | null {
  if (section === undefined || section === null) return null;
  if (!isPlainObject(section)) {
    errors.at("slots", "dict required");
    return null;
  }
  rejectUnknownKeys(section, KEYS, "slots.", errors);
  const graphs = readNames(section.graphs ?? [], "slots.graphs", errors);
  if (graphs.length === 0) errors.at("slots.graphs", "list of one graph or more required");
  const unknown = graphs.filter((name) => !topology.graphs.includes(name));
  for (const name of unknown) {
    errors.at(
      "slots.graphs",
      `${name} is undeclared, must be one of ${formatList(topology.graphs)}`,
    );
  }
  const everywhere = readNames(section.everywhere ?? [], "slots.everywhere", errors);
  const groups = listGroups(topology, graphs);
  const isNamed = graphs.length > unknown.length;
  if (groups.length === 0 && isNamed)
    errors.at("slots", "dispatcher with engines that have its graphs required");
  const groupsBelow = createGroupsBelow(topology);
  const positions = new Map(groups.map((group, position) => [group, position]));
  const listOwners = (replica: string) => {
    const owned = [...groupsBelow(replica)].filter((group) => positions.has(group));
    return owned.sort((a, b) => positions.get(a)! - positions.get(b)!);
  };
  for (const [id, { partitions }] of topology.matrices) {
    const owned = partitions.map((replicas) => replicas.map(listOwners));
    checkMatrix(id, owned, errors);
  }
  const count = readCount(section.count, groups.length, errors);
  return { graphs, everywhere, groups, map: divideSlots(count, groups.length) };
}

function readCount(value: unknown, groups: number, errors: DescriptorErrors): number {
  const fallback = groups > MAX_MATRIX_DIMENSION ? DEFAULT_MANY_SLOTS : DEFAULT_SLOTS;
  const count = Number(value ?? fallback);
  const isPower = Number.isInteger(count) && Math.log2(count) % 1 === 0;
  if (typeof (value ?? 0) !== "number" || !isPower || count < MIN_SLOTS || count > MAX_SLOTS) {
    errors.at("slots.count", `power of two from ${MIN_SLOTS} to ${MAX_SLOTS} required`);
    return fallback;
  }
  if (count < groups) errors.at("slots.count", `${count} slots are too few for ${groups} groups`);
  return count;
}

function readNames(value: unknown, path: string, errors: DescriptorErrors): readonly string[] {
  const isList = Array.isArray(value) && value.length <= MAX_TYPES;
  const isValid = isList && value.every((name) => typeof name === "string" && NAME.test(name));
  if (isValid) return [...new Set(value as string[])];
  errors.at(path, "list of names required");
  return [];
}

/** Returns the root of the replication tree of an instance. */
export function findRoot(providers: ReadonlyMap<string, string>, id: string): string {
  let root = id;
  // Terminates, because trees are acyclic.
  for (let up = providers.get(root); up !== undefined; up = providers.get(root)) root = up;
  return root;
}

/** Returns the groups, sorted: their order must not depend on the order of keys. */
function listGroups({ instances, providers, matrices }: Topology, graphs: readonly string[]) {
  const groups = new Set<string>();
  for (const { partitions } of matrices.values()) {
    for (const id of partitions.flat()) {
      const isEngine = !matrices.has(id) && hasGraph(instances.get(id), graphs);
      if (isEngine) groups.add(findRoot(providers, id));
    }
  }
  return [...groups].sort((a, b) => (padNumbers(a) < padNumbers(b) ? -1 : 1));
}

function hasGraph(instance: Instance | undefined, graphs: readonly string[]): boolean {
  return instance?.graphs.some((name) => graphs.includes(name)) === true;
}

/** Returns a sort key that puts B2 before B10. */
function padNumbers(id: string): string {
  return id.replace(/\d+/g, (digits) => digits.padStart(63, "0"));
}

type GroupsBelow = (id: string) => ReadonlySet<string>;

/** Returns a function that lists the groups of the engines below an instance. */
export function createGroupsBelow({
  providers,
  matrices,
}: Pick<System, "providers" | "matrices">): GroupsBelow {
  const visited = new Map<string, Set<string>>();
  const visit = (id: string): Set<string> => {
    const found = visited.get(id);
    if (found !== undefined) return found;
    const groups = new Set<string>();
    // Set before the recursion, which ends at a dispatch loop.
    visited.set(id, groups);
    const backEnds = matrices.get(id)?.partitions.flat();
    if (backEnds === undefined) groups.add(findRoot(providers, id));
    else for (const backEnd of backEnds) for (const group of visit(backEnd)) groups.add(group);
    return groups;
  };
  return visit;
}

/** Reports partitions that share a group, or whose replicas have different groups. */
function checkMatrix(
  id: string,
  owned: readonly (readonly (readonly string[])[])[],
  errors: DescriptorErrors,
): void {
  const partitionsByGroup = new Map<string, number>();
  for (const [partition, [first = [], ...others]] of owned.entries()) {
    const where = `topology.dispatch.${id} partition ${partition}`;
    const differing = others.find((groups) => groups.join() !== first.join());
    if (differing !== undefined) {
      const both = [first, differing].map((groups) => groups.join(", ") || "none").join(" and of ");
      errors.add(`System descriptor ${where} has replicas of ${both}`);
    }
    for (const group of first) {
      const earlier = partitionsByGroup.get(group);
      if (earlier === undefined) partitionsByGroup.set(group, partition);
      else errors.add(`System descriptor ${where} has ${group}, as partition ${earlier} has`);
    }
  }
}

function formatList(names: readonly string[]): string {
  return JSON.stringify(names);
}
