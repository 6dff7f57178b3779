// Preconditions of a rolling update, checked at its start and before each instance is taken out. If
// a check fails, nothing changes.

import { diffArgspecs } from "../../../argspec/diff/diff-argspecs.js";
import { readArgspec } from "../../../argspec/read-argspec.js";
import { requestInstance } from "../../../runtime/system/instance-client.js";
import { loadArgspec } from "../../contract/load-argspec.js";
import type { AdminContext } from "../context.js";
import {
  fetchNodestat,
  findReplicaSlots,
  isOutOfService,
  readGroup,
  type StatusObject,
  stopError,
} from "./instances.js";

const MAX_SHOWN_CHANGES = 5;
const CONTRACT_TIMEOUT_MS = 20_000;

/**
 * @param expectedBuild hash of the target build; null if unknown
 * @throws SvcError SVC3119, SVC2701 for an unreachable instance
 */
export async function checkUpdate(
  context: AdminContext,
  ids: readonly string[],
  expectedBuild: string | null,
): Promise<void> {
  const statuses = await Promise.all(ids.map((id) => fetchNodestat(context, id)));
  // Subscribers and following members of a group are always read-only.
  const frozen = ids.filter((id, index) => {
    const { group, isLeading } = readGroup(statuses[index]!);
    const isFollowing = group === null ? context.system.providers.has(id) : !isLeading;
    return statuses[index]!.readonly === true && !isFollowing;
  });
  if (frozen.length > 0) {
    const list = frozen.join(", ");
    throw stopError(`${list}: graphs are read-only; run \`svc admin clear-readonly\``);
  }
  const cut = ids.filter((_, index) => readGroup(statuses[index]!).isEngineDown);
  if (cut.length > 0) {
    throw stopError(`the leadership engine does not respond to ${cut.join(", ")} (SVC3408)`);
  }
  const serving = ids.filter((_, index) => statuses[index]!["service-in"] === 1);
  const outdated = serving.filter(
    (id) => expectedBuild === null || buildOf(statuses, ids, id) !== expectedBuild,
  );
  // Instances left out by an earlier run are updated first, and serve again by then.
  const willServe = (status: StatusObject) => isServing(status) || isOutOfService(status);
  for (const id of outdated) await requireRedundancy(context, id, willServe);
  if (outdated[0] !== undefined) await refuseBreaking(context, outdated[0]);
}

function buildOf(statuses: readonly StatusObject[], ids: readonly string[], id: string): unknown {
  return statuses[ids.indexOf(id)]!.build;
}

/** @throws SvcError SVC3119 unless each partition of the instance has another serving replica */
export async function requireRedundancy(
  context: AdminContext,
  id: string,
  counts: (status: StatusObject) => boolean = isServing,
): Promise<void> {
  for (const [dispatcher, partition] of findReplicaSlots(context, id)) {
    const replicas = context.system.matrices.get(dispatcher)!.partitions[partition]!;
    const others = replicas.filter((other) => other !== id);
    const statuses = await Promise.all(
      others.map((other) => fetchNodestat(context, other).catch(() => ({}))),
    );
    if (statuses.some(counts)) continue;
    const where = `partition ${partition} of ${dispatcher}`;
    throw stopError(`Too few S-IN destinations: without ${id} no replica serves ${where}`);
  }
}

export function isServing(status: StatusObject): boolean {
  return status["service-in"] === 1;
}

/** @throws SvcError SVC3119 if the new build would break clients, unless `--force` is set */
async function refuseBreaking(context: AdminContext, id: string): Promise<void> {
  const { build, force } = context.values;
  if (build === undefined || force === true) return;
  const path = "/svc/builtin/argspec?format=schema";
  const argspec = await requestInstance(context.address(id), {
    path,
    timeoutMs: CONTRACT_TIMEOUT_MS,
  });
  const [before, after] = [readArgspec(argspec), await loadArgspec(build)];
  const changes = diffArgspecs(before, after);
  const breaking = changes.filter(({ severity }) => severity === "breaking");
  if (breaking.length === 0) return;
  const shown = breaking.slice(0, MAX_SHOWN_CHANGES).map(({ message }) => `\n  ${message}`);
  const count = `${breaking.length} changes in the build break clients of ${id}`;
  throw stopError(`${count}; use --force to deploy anyway${shown.join("")}`);
}
