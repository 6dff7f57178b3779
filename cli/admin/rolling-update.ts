// `svc admin rolling-update`: loads the newest build into the replicas of a system, one at a time,
// or replaces their pods by those of another image.
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
import { kubernetesApp } from "./manifest/kubernetes.js";
import { operate } from "./remote.js";
import { checkUpdate, isServing, requireRedundancy } from "./rolling-update/check.js";
import { ClusterPods } from "./rolling-update/cluster-pods.js";
import { isSynced, letAnotherLead } from "./rolling-update/group-members.js";
import {
  fetchNodestat,
  fetchProcess,
  findReplicaSlots,
  hasStopped,
  isOutOfService,
  OUT_OF_SERVICE,
  readGroup,
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
  const { build, image } = context.values;
  const wanted = build === undefined ? null : buildHash(readBuild(build));
  const { system } = context;
  const engines = [...system.instances.keys()].filter((id) => !system.matrices.has(id));
  const behind = engines.filter((id) => findReplicaSlots(context, id)[0]);
  // With an image, the instances of no matrix follow: a system runs one release.
  const usual = image === undefined ? behind : [...new Set([...behind, ...engines])];
  const chosen = ids === undefined ? usual : context.select(ids);
  const pods = image === undefined ? null : new ClusterPods(kubernetesApp(system), image);
  await ProcedureLease.during(context, "rolling-update", (lease) => {
    return updateAll(context, { lease, wanted, pods }, chosen);
  });
  return 0;
}

/** How instances are updated. */
interface Update {
  readonly lease: ProcedureLease;
  /** Hash of the build; null: any. */
  readonly wanted: string | null;
  /** Null: their processes stay, or are restarted. */
  readonly pods: ClusterPods | null;
}

async function updateAll(
  context: AdminContext,
  how: Update,
  chosen: readonly string[],
): Promise<void> {
  const { pause = PAUSE_SECONDS } = context.values;
  await checkUpdate(context, chosen, how.wanted);
  // Dispatchers read what engines of an earlier release send, not what those of a later one send.
  await how.pods?.setImage();
  let isFirst = true;
  for (const id of await inOrder(context, chosen)) {
    const isCurrent = await servesAlready(context, how, id);
    // The updated instance warms up and shows problems before the next one is touched.
    if (!isCurrent && !isFirst) await how.lease.rest(pause * 1000);
    const done = isCurrent ? "is up to date" : await update(context, how, id);
    // One that an operator has taken out stays out.
    if (isCurrent && isServing(await fetchNodestat(context, id))) await awaitReturn(context, id);
    isFirst &&= isCurrent;
    context.print({ id, done }, [`${id}: ${done}`]);
  }
  await requireOneBuild(context, chosen);
}

/** Instances left out of service by an earlier run come first, leaders of groups last. */
async function inOrder(context: AdminContext, ids: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(ids.map((id) => fetchNodestat(context, id)));
  const rankOf = (status: StatusObject): number =>
    isOutOfService(status) ? 0 : readGroup(status).isLeading ? 2 : 1;
  const ranks = new Map(ids.map((id, index) => [id, rankOf(statuses[index]!)]));
  return [...ids].sort((one, other) => ranks.get(one)! - ranks.get(other)!);
}

async function servesAlready(
  context: AdminContext,
  { wanted, pods }: Update,
  id: string,
): Promise<boolean> {
  const status = await fetchNodestat(context, id);
  if (pods !== null) return !isOutOfService(status) && (await pods.isCurrent(id));
  return status["service-in"] === 1 && wanted !== null && status.build === wanted;
}

async function update(context: AdminContext, how: Update, id: string): Promise<string> {
  const before = await fetchNodestat(context, id);
  const isIn = before["service-in"] === 1;
  const reason = String(before["service-out-reason"]);
  const isRestarting = context.values.restart === true || how.pods !== null;
  // An instance taken out by an operator stays out; one left out by a restart returns.
  const isLeft = isOutOfService(before) || (isRestarting && reason === "start");
  // Requests for a leader that is out of service would wait, and fail.
  await letAnotherLead(context, id, before);
  if (!isIn && !isLeft) {
    const build = await renew(context, how, id);
    return `serves build ${build} and stays out of service (${reason})`;
  }
  if (isIn) await takeOut(context, how.lease, id);
  else await mark(context, how.lease, id);
  const build = await renew(context, how, id);
  await enterService(context, id);
  await awaitReturn(context, id);
  return `serves build ${build}`;
}

/** The next one is not touched before requests and changes can do without that one. */
async function awaitReturn(context: AdminContext, id: string): Promise<void> {
  // Dispatchers send nothing to a member that does not lead.
  const isUp = (entry: StatusObject, isForLeader: boolean) => isForLeader || entry.state === "up";
  if (!(await holds(context, id, isUp))) throw hasStopped(`no dispatcher routes to ${id} again`);
  const deadline = performance.now() + WAIT_MS;
  while (!(await isSynced(context, id).catch(() => false))) {
    if (performance.now() > deadline) throw hasStopped(`${id} is not synced again`);
    await sleep(POLL_MS);
  }
}

/** Returns the build that it serves afterwards. */
async function renew(context: AdminContext, how: Update, id: string): Promise<unknown> {
  const { wanted, pods } = how;
  if (pods !== null) await replace(context, pods, id);
  else if (context.values.restart === true) await restart(context, id);
  else await operate(context.address(id), "ReloadPlugins");
  const { build } = await fetchNodestat(context, id);
  if (wanted === null || build === wanted) return build;
  throw hasStopped(`${id} serves build ${build}, expected ${wanted}; it stays out of service`);
}

async function replace(context: AdminContext, pods: ClusterPods, id: string): Promise<void> {
  if (!pods.has(id)) throw hasStopped(`no StatefulSet has ${id}; generate the manifests again`);
  if (!(await pods.isCurrent(id))) await pods.replace(id);
  await awaitStart(id, async () => (await fetchNodestat(context, id)) !== null);
}

/** The supervisor restarts the process: systemd, Kubernetes, `svc up`. */
async function restart(context: AdminContext, id: string): Promise<void> {
  const former = await fetchProcess(context, id);
  await operate(context.address(id), "Shutdown", { persist: "1" });
  await awaitStart(id, async () => (await fetchProcess(context, id)) !== former);
}

async function awaitStart(id: string, hasStarted: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + RESTART_MS;
  while (performance.now() < deadline) {
    if (await hasStarted().catch(() => false)) return;
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
  test: (entry: StatusObject, isForLeader: boolean) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  for (const [dispatcher, partition, row] of findReplicaSlots(context, id)) {
    const isForLeader = context.system.matrices.get(dispatcher)!.rows[row]!.leader;
    for (;;) {
      const question = { path: "/svc/matrix", timeoutMs: ASK_MS };
      const matrix = await requestInstance(context.address(dispatcher), question);
      const entry = (matrix as unknown[][] | null)?.[partition]?.[row];
      if (isPlainObject(entry) && test(entry, isForLeader)) break;
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
