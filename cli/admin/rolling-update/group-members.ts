// Members of a group that chooses its leader, during a rolling update: another one leads before a
// leader is touched, and an updated one is synced before the next one is.

import type { AdminContext } from "../context.js";
import { handOver } from "../subscribers.js";
import { fetchNodestat, hasStopped, readGroup, type StatusObject } from "./instances.js";

/**
 * Lets another member lead if the instance does.
 * @param status of the instance
 * @throws SvcError SVC3119 if none can lead in its place
 */
export async function letAnotherLead(
  context: AdminContext,
  id: string,
  status: StatusObject,
): Promise<void> {
  const { group, isLeading, synced } = readGroup(status);
  const isAlone = (context.system.subscribers.get(group ?? "") ?? []).length === 0;
  if (!isLeading || isAlone) return;
  const [next] = synced;
  if (next === undefined) throw hasStopped(`no member of ${group} is synced to lead before ${id}`);
  await handOver(context, id, next);
}

/** Returns whether it leads, or could lead next; true for an instance without a group. */
export async function isSynced(context: AdminContext, id: string): Promise<boolean> {
  const { group, leader, isLeading } = readGroup(await fetchNodestat(context, id));
  if (group === null || isLeading) return true;
  if (leader === null || !context.system.instances.has(leader)) return false;
  const { synced, ...other } = readGroup(await fetchNodestat(context, leader));
  return other.isLeading && synced.includes(id);
}
