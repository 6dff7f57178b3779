// `svc admin rolling-update`: loads the newest build into the replicas of a system, one at a time,
// or replaces their pods with pods of another image.
// Steps are idempotent and progress is read from the instances, so a later run completes an
// interrupted one. A lease excludes other runs.
//
//   CHECK ─► OUT ─► RENEW ─► IN ─► (pause) ─► the next replica …  ─► all serve the same build
//             │       └─► stays out, and the run ends        a later run continues with it
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
import { handOverLead, isSynced } from "./rolling-update/group-members.js";
import {
  fetchNodestat,
  fetchProcess,
  findReplicaSlots,
  isOutOfService,
  OUT_OF_SERVICE,
  readGroup,
  type StatusObject,
  stopError,
} from "./rolling-update/instances.js";
import { enterService } from "./service-in.js";
import { listAttached, setSubscribers } from "./subscribers.js";

const WAIT_MS = 30_000;
/** A stopping process may save its graphs twice, and loads them when it starts again. */
const RESTART_MS = 180_000;
const POLL_MS = 100;
const REQUEST_TIMEOUT_MS = 5000;
const PAUSE_SECONDS = 5;
/** Service-OUT reason that `svc admin service-out` gives. */
const BY_OPERATOR = "operator";

export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const { build, image } = context.values;
  const expectedBuild = build === undefined ? null : buildHash(readBuild(build));
  const { system } = context;
  const engines = [...system.instances.keys()].filter((id) => !system.matrices.has(id));
  const replicas = engines.filter((id) => findReplicaSlots(context, id)[0]);
  // An image also updates instances outside of matrices: a system runs one release.
  const defaultIds = image === undefined ? replicas : [...new Set([...replicas, ...engines])];
  const selected = ids === undefined ? defaultIds : context.select(ids);
  const pods = image === undefined ? null : new ClusterPods(kubernetesApp(system), image);
  await ProcedureLease.during(context, "rolling-update", (lease) => {
    return updateAll(context, { lease, expectedBuild, pods }, selected);
  });
  return 0;
}

/** Options of the update. */
interface UpdateOptions {
  readonly lease: ProcedureLease;
  /** Hash of the expected build; null: any. */
  readonly expectedBuild: string | null;
  /** Pods to replace; null: plugins are reloaded or processes restarted. */
  readonly pods: ClusterPods | null;
}

async function updateAll(
  context: AdminContext,
  options: UpdateOptions,
  ids: readonly string[],
): Promise<void> {
  const { pause = PAUSE_SECONDS } = context.values;
  await checkUpdate(context, ids, options.expectedBuild);
  // Dispatchers first: they can read partials of earlier releases, but not of later ones.
  await options.pods?.setImage();
  let isFirst = true;
  for (const id of await sortForUpdate(context, ids)) {
    const isCurrent = await isUpToDate(context, options, id);
    // Leaves time for the updated instance to warm up, and for problems to appear.
    if (!isCurrent && !isFirst) await options.lease.rest(pause * 1000);
    const result = isCurrent ? "is up to date" : await update(context, options, id);
    // An instance that an operator has taken out stays out.
    if (isCurrent && isServing(await fetchNodestat(context, id))) await waitForReturn(context, id);
    isFirst &&= isCurrent;
    context.print({ id, done: result }, [`${id}: ${result}`]);
  }
  await requireOneBuild(context, ids);
}

/**
 * Puts instances that an earlier run left out of service first, replicas before their providers,
 * and leaders of groups last: a later release reads what an earlier one sends.
 */
async function sortForUpdate(context: AdminContext, ids: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(ids.map((id) => fetchNodestat(context, id)));
  const rankOf = (status: StatusObject): number =>
    isOutOfService(status) ? 0 : readGroup(status).isLeading ? 2 : 1;
  const ranks = new Map(ids.map((id, index) => [id, rankOf(statuses[index]!)]));
  const depthOf = (id: string): number => countProviders(context, id);
  return [...ids].sort((a, b) => ranks.get(a)! - ranks.get(b)! || depthOf(b) - depthOf(a));
}

/** Returns the number of providers above an instance. */
function countProviders(context: AdminContext, id: string): number {
  const provider = context.system.providers.get(id);
  return provider === undefined ? 0 : 1 + countProviders(context, provider);
}

async function isUpToDate(
  context: AdminContext,
  { expectedBuild, pods }: UpdateOptions,
  id: string,
): Promise<boolean> {
  const status = await fetchNodestat(context, id);
  if (pods !== null) return !isOutOfService(status) && (await pods.isCurrent(id));
  return status["service-in"] === 1 && expectedBuild !== null && status.build === expectedBuild;
}

async function update(context: AdminContext, options: UpdateOptions, id: string): Promise<string> {
  const status = await fetchNodestat(context, id);
  const isIn = status["service-in"] === 1;
  const reason = String(status["service-out-reason"]);
  const isRestarting = context.values.restart === true || options.pods !== null;
  // An instance taken out by an operator stays out; one left out by a run or restart returns.
  const mustReturn = isOutOfService(status) || (isRestarting && reason === "start");
  if (mustNotRestart(context, status)) {
    return `is out of service (${reason}) and was not restarted`;
  }
  // Requests to a group whose leader is out of service would wait and fail.
  await handOverLead(context, id, status);
  if (!isIn && !mustReturn) {
    const build = await renew(context, options, id);
    return `serves build ${build} and stays out of service (${reason})`;
  }
  if (isIn) await takeOut(context, options.lease, id);
  else await mark(context, options.lease, id);
  const build = await renew(context, options, id);
  await enterService(context, id);
  await waitForReturn(context, id);
  return `serves build ${build}`;
}

/** A restart would end what the operator has taken it out for, and put it back in service. */
function mustNotRestart({ values }: AdminContext, status: StatusObject): boolean {
  const isTakenOut = status["service-in"] !== 1 && status["service-out-reason"] === BY_OPERATOR;
  return values.restart === true && isTakenOut;
}

/** Waits until an instance serves and replicates again: only then may the next one go out. */
async function waitForReturn(context: AdminContext, id: string): Promise<void> {
  // In rows for leaders, dispatchers send requests to the leader only.
  const isUp = (entry: StatusObject, isForLeader: boolean) => isForLeader || entry.state === "up";
  if (!(await waitUntil(context, id, isUp))) throw stopError(`no dispatcher routes to ${id} again`);
  const deadline = performance.now() + WAIT_MS;
  while (!(await isSynced(context, id).catch(() => false))) {
    if (performance.now() > deadline) throw stopError(`${id} is not synced again`);
    await sleep(POLL_MS);
  }
}

/** Loads the new build. @returns the hash of the build that the instance then serves */
async function renew(context: AdminContext, options: UpdateOptions, id: string): Promise<unknown> {
  const { expectedBuild, pods } = options;
  if (pods === null && context.values.restart !== true) {
    await operate(context.address(id), "ReloadPlugins");
  } else await renewProcess(context, pods, id);
  const { build } = await fetchNodestat(context, id);
  if (expectedBuild === null || build === expectedBuild) return build;
  throw stopError(
    `${id} serves build ${build}, expected ${expectedBuild}; it stays out of service`,
  );
}

/** Replaces the process, and attaches to it what `svc admin attach` had attached to the former. */
async function renewProcess(
  context: AdminContext,
  pods: ClusterPods | null,
  id: string,
): Promise<void> {
  const { leadership, subscribers } = context.system;
  const isProvider = leadership === null && subscribers.get(id)!.length > 0;
  const attached = isProvider ? await listAttached(context, id) : [];
  if (pods !== null) await replace(context, pods, id);
  else await restart(context, id);
  if (attached.length > 0) await setSubscribers(context, id, attached);
}

async function replace(context: AdminContext, pods: ClusterPods, id: string): Promise<void> {
  if (!pods.has(id)) throw stopError(`no StatefulSet has ${id}; generate the manifests again`);
  if (!(await pods.isCurrent(id))) await pods.replace(id);
  await waitForStart(id, async () => (await fetchNodestat(context, id)) !== null);
}

/** Stops the process; its supervisor (systemd, Kubernetes, `svc up`) starts it again. */
async function restart(context: AdminContext, id: string): Promise<void> {
  const previous = await fetchProcess(context, id);
  await operate(context.address(id), "Shutdown", { persist: "1" });
  await waitForStart(id, async () => (await fetchProcess(context, id)) !== previous);
}

async function waitForStart(id: string, hasStarted: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + RESTART_MS;
  while (performance.now() < deadline) {
    if (await hasStarted().catch(() => false)) return;
    await sleep(POLL_MS);
  }
  throw stopError(`${id} exited and was not restarted`);
}

/** Takes an instance out of service; back in, and ends the run, if no other replica serves. */
async function takeOut(context: AdminContext, lease: ProcedureLease, id: string): Promise<void> {
  await requireRedundancy(context, id);
  await mark(context, lease, id);
  try {
    // An operator may have taken out other replicas at the same moment.
    await requireRedundancy(context, id);
    const isIdle = (entry: StatusObject) => entry.running === 0;
    if (!(await waitUntil(context, id, isIdle))) throw stopError(`requests on ${id} did not drain`);
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

/** Waits until a condition holds in all matrices with the instance. @returns whether it holds */
async function waitUntil(
  context: AdminContext,
  id: string,
  test: (entry: StatusObject, isForLeader: boolean) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS;
  for (const [dispatcher, partition, row] of findReplicaSlots(context, id)) {
    const isForLeader = context.system.matrices.get(dispatcher)!.rows[row]!.leader;
    for (;;) {
      const request = { path: "/svc/matrix", timeoutMs: REQUEST_TIMEOUT_MS };
      const matrix = await requestInstance(context.address(dispatcher), request);
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
  const updated = statuses.filter((status) => !mustNotRestart(context, status));
  if (new Set(updated.map(({ build }) => build)).size <= 1) return;
  const list = ids.map((id, index) => `${id} ${statuses[index]!.build}`).join(", ");
  throw stopError(`instances serve different builds: ${list}`);
}
