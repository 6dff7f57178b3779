// `svc admin rolling-update`: loads the newest build into the replicas of a system, one at a time.
// Steps are idempotent: progress is read from the instances, so a later run finishes an interrupted
// one. A lease excludes other runs.
//
//   CHECK ─► OUT ─► RENEW ─► IN ─► (pause) ─► the next replica …  ─► all serve the same build
//             │       └─► stays out, and the run ends        a later run goes on with it
//             └─► in again, and the run ends

import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "../../runtime/base/plain-object.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import { buildHash, readBuild } from "../serving/built-project.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { operate } from "./remote.js";
import { checkUpdate, requireRedundancy } from "./rolling-update/check.js";
import {
  fetchNodestat,
  findReplicaSlots,
  hasStopped,
  isOutOfService,
  OUT_OF_SERVICE,
  type StatusObject,
} from "./rolling-update/instances.js";
import { enterService } from "./service-in.js";

const WAIT_MS = 30_000;
/** A stopping process may save its graphs twice, and loads them when it starts again. */
const RESTART_MS = 180_000;
const POLL_MS = 100;
const ASK_MS = 5000;
const PAUSE_SECONDS = 5;

export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const { build } = context.values;
  const wanted = build === undefined ? null : buildHash(readBuild(build));
  const all = [...context.system.instances.keys()];
  const behind = all.filter(
    (id) => !context.system.matrices.has(id) && findReplicaSlots(context, id)[0],
  );
  const chosen = ids === undefined ? behind : context.select(ids);
  await ProcedureLease.during(context, "rolling-update", (lease) => {
    return updateAll(context, lease, chosen, wanted);
  });
  return 0;
}

async function updateAll(
  context: AdminContext,
  lease: ProcedureLease,
  chosen: readonly string[],
  wanted: string | null,
): Promise<void> {
  const { pause = PAUSE_SECONDS } = context.values;
  await checkUpdate(context, chosen, wanted);
  let isFirst = true;
  for (const id of await leftFirst(context, chosen)) {
    const isCurrent = await servesAlready(context, id, wanted);
    // The updated instance warms up and shows problems before the next one is touched.
    if (!isCurrent && !isFirst) await lease.rest(pause * 1000);
    const done = isCurrent ? "is up to date" : await update(context, lease, id, wanted);
    isFirst &&= isCurrent;
    context.print({ id, done }, [`${id}: ${done}`]);
  }
  await requireOneBuild(context, chosen);
}

/** Instances left out of service by an earlier run come first. */
async function leftFirst(context: AdminContext, ids: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(ids.map((id) => fetchNodestat(context, id)));
  const left = ids.filter((_, index) => isOutOfService(statuses[index]!));
  return [...left, ...ids.filter((id) => !left.includes(id))];
}

async function servesAlready(
  context: AdminContext,
  id: string,
  wanted: string | null,
): Promise<boolean> {
  const status = await fetchNodestat(context, id);
  return status["service-in"] === 1 && wanted !== null && status.build === wanted;
}

async function update(
  context: AdminContext,
  lease: ProcedureLease,
  id: string,
  wanted: string | null,
): Promise<string> {
  const before = await fetchNodestat(context, id);
  const isIn = before["service-in"] === 1;
  const reason = String(before["service-out-reason"]);
  // An instance taken out by an operator stays out; one left out by a restart returns.
  const isLeft = isOutOfService(before) || (context.values.restart === true && reason === "start");
  if (!isIn && !isLeft) {
    const build = await renew(context, id, wanted);
    return `serves build ${build} and stays out of service (${reason})`;
  }
  if (isIn) await takeOut(context, lease, id);
  else await mark(context, lease, id);
  const build = await renew(context, id, wanted);
  await enterService(context, id);
  const isUp = (entry: StatusObject) => entry.state === "up";
  if (!(await holds(context, id, isUp))) throw hasStopped(`no dispatcher routes to ${id} again`);
  return `serves build ${build}`;
}

/** Returns the build that it serves afterwards. */
async function renew(context: AdminContext, id: string, wanted: string | null): Promise<unknown> {
  if (context.values.restart === true) await restart(context, id);
  else await operate(context.address(id), "ReloadPlugins");
  const { build } = await fetchNodestat(context, id);
  if (wanted === null || build === wanted) return build;
  throw hasStopped(`${id} serves build ${build}, expected ${wanted}; it stays out of service`);
}

/** The supervisor restarts the process: systemd, Kubernetes, `svc up`. */
async function restart(context: AdminContext, id: string): Promise<void> {
  const { pid } = await fetchNodestat(context, id);
  await operate(context.address(id), "Shutdown", { persist: "1" });
  const deadline = performance.now() + RESTART_MS;
  while (performance.now() < deadline) {
    const status = await fetchNodestat(context, id).catch(() => null);
    if (status !== null && status.pid !== pid) return;
    await sleep(POLL_MS);
  }
  throw hasStopped(`${id} exited and was not restarted`);
}

/**
 * If requests would have no other replica, puts the instance back into service and ends the run.
 */
async function takeOut(context: AdminContext, lease: ProcedureLease, id: string): Promise<void> {
  await requireRedundancy(context, id);
  await mark(context, lease, id);
  try {
    // An operator may have taken out the others at the same moment.
    await requireRedundancy(context, id);
    const isIdle = (entry: StatusObject) => entry.running === 0;
    if (!(await holds(context, id, isIdle))) throw hasStopped(`requests on ${id} did not drain`);
  } catch (error) {
    await operate(context.address(id), "ServiceIn");
    throw error;
  }
}

/**
 * Takes an instance out of service for a reason that later runs recognize; refused unless this run
 * holds its lease.
 */
async function mark(context: AdminContext, lease: ProcedureLease, id: string): Promise<void> {
  await lease.renew([id]);
  const parameters = { reason: OUT_OF_SERVICE, lease: lease.holder };
  await operate(context.address(id), "ServiceOut", parameters);
}

/** Waits until a condition holds in every matrix that contains the instance. */
async function holds(
  context: AdminContext,
  id: string,
  test: (entry: StatusObject) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  for (const [dispatcher, partition, row] of findReplicaSlots(context, id)) {
    for (;;) {
      const question = { path: "/svc/matrix", timeoutMs: ASK_MS };
      const matrix = await requestInstance(context.address(dispatcher), question);
      const entry = (matrix as unknown[][] | null)?.[partition]?.[row];
      if (isPlainObject(entry) && test(entry)) break;
      if (performance.now() > deadline) return false;
      await sleep(POLL_MS);
    }
  }
  return true;
}

async function requireOneBuild(context: AdminContext, ids: readonly string[]): Promise<void> {
  const statuses = await Promise.all(ids.map((id) => fetchNodestat(context, id)));
  const builds = new Set(statuses.map(({ build }) => build));
  if (builds.size <= 1) return;
  const list = ids.map((id, index) => `${id} ${statuses[index]!.build}`).join(", ");
  throw hasStopped(`instances serve different builds: ${list}`);
}
