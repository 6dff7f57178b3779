// Parses the leadership of a descriptor: which trees choose their provider, and by which rules.

import { isPlainObject } from "../base/plain-object.js";
import type { SystemLeadership } from "./descriptor.js";
import { type DescriptorErrors, rejectUnknownKeys } from "./descriptor-errors.js";
import type { Instance, System } from "./system.js";

const KEYS = ["engine", "ttl", "minSynced", "whenAlone", "comment"];
const NONE = "none";
const ENGINE = /^(?=.*\S)[^\p{Cc}]{1,4096}$/u;
export const MIN_TTL_MS = 500;
export const MAX_TTL_MS = 60_000;
export const DEFAULT_TTL_MS = 2_000;
export const MAX_MEMBERS = 127;

type Trees = Pick<System, "subscribers" | "providers">;

/** Returns null if operators promote replicas. */
export function readLeadership(
  section: unknown,
  instances: ReadonlyMap<string, Instance>,
  trees: Trees,
  errors: DescriptorErrors,
): Required<SystemLeadership> | null {
  if (section === undefined || section === null) return null;
  if (!isPlainObject(section)) {
    errors.at("leadership", "dict required");
    return null;
  }
  rejectUnknownKeys(section, KEYS, "leadership.", errors);
  const { engine, ttl = DEFAULT_TTL_MS, minSynced = 1, whenAlone = "refuse" } = section;
  if (engine === NONE) return null;
  if (typeof engine !== "string" || !ENGINE.test(engine)) {
    errors.at("leadership.engine", 'URI or "none" required');
  }
  if (!isInteger(ttl, MIN_TTL_MS, MAX_TTL_MS)) {
    errors.at("leadership.ttl", `integer from ${MIN_TTL_MS} to ${MAX_TTL_MS} required`);
  }
  if (!isInteger(minSynced, 0, MAX_MEMBERS - 1)) {
    errors.at("leadership.minSynced", `integer from 0 to ${MAX_MEMBERS - 1} required`);
  }
  if (whenAlone !== "refuse" && whenAlone !== "go-on") {
    errors.at("leadership.whenAlone", '"refuse" or "go-on" required');
  }
  checkGroups(Number(minSynced), instances, trees, errors);
  return { engine, ttl, minSynced, whenAlone } as Required<SystemLeadership>;
}

/** Returns the members of each group, by its first member. */
export function listGroups({ subscribers, providers }: Trees): ReadonlyMap<string, string[]> {
  const roots = [...subscribers].filter(([id, below]) => below.length > 0 && !providers.has(id));
  return new Map(roots.map(([id, below]) => [id, [id, ...below]]));
}

function checkGroups(
  minSynced: number,
  instances: ReadonlyMap<string, Instance>,
  { subscribers, providers }: Trees,
  errors: DescriptorErrors,
): void {
  for (const [id, below] of subscribers) {
    if (below.length === 0) continue;
    const first = providers.get(id);
    if (first !== undefined) {
      const text = `instances of a chain choose no leader: ${first} must provide ${below[0]}, too`;
      errors.add(`System descriptor topology.transaction.${id}: ${text}`);
      continue;
    }
    const members = [id, ...below];
    for (const member of members) {
      if (instances.get(member)?.tport !== 0) continue;
      const text = `positive integer required: each member of group ${id} can follow`;
      errors.at(`instances.${member}.tport`, text);
    }
    if (minSynced >= members.length) {
      const text = `less than ${members.length} required, the members of group ${id}`;
      errors.at("leadership.minSynced", text);
    }
  }
}

function isInteger(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}
