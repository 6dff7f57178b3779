// Rolling update of groups that elect their leader: a leader hands over before it is updated, and
// an updated member must be synced before the update of the next one.

import type { AdminContext } from "../context.js";
import { handOver } from "../subscribers.js";
import { fetchNodestat, readGroup, type StatusObject, stopError } from "./instances.js";

/**
 * Hands over to another member if the instance leads its group.
 * @param status of the instance
 * @throws SvcError SVC3119 if no other member can lead
 */
export async function handOverLead(
  context: AdminContext,
  id: string,
  status: StatusObject,
): Promise<void> {
  const { group, isLeading, synced } = readGroup(status);
  const isAlone = (context.system.subscribers.get(group ?? "") ?? []).length === 0;
  if (!isLeading || isAlone) return;
  const [next] = synced;
  if (next === undefined)
    throw stopError(`no other member of ${group} is synced to take over from ${id}`);
  await handOver(context, id, next);
}

/** Returns whether an instance leads or could take over; true for an instance without a group. */
export async function isSynced(context: AdminContext, id: string): Promise<boolean> {
  const { group, leader, isLeading } = readGroup(await fetchNodestat(context, id));
  if (group === null || isLeading) return true;
  if (leader === null || !context.system.instances.has(leader)) return false;
  const { synced, ...leaderStatus } = readGroup(await fetchNodestat(context, leader));
  return leaderStatus.isLeading && synced.includes(id);
}
