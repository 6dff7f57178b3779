// `svc admin force-copy <from> <to>`: copies all graphs of one instance to another one, which has
// lost or corrupted its own. Each step reads the current state first, so that a later run completes
// an interrupted one. Finally, the subscribers of the descriptor are attached again.
//
//   out of service ─► bound ─► attached alone ─► all graphs sent ─► digests equal ─► restored

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { operate } from "./remote.js";
import { requireRedundancy } from "./rolling-update/check.js";
import { fetchNodestat, type StatusObject } from "./rolling-update/instances.js";
import { enterService } from "./service-in.js";
import { listAttached, setSubscribers, streamAddress } from "./subscribers.js";

const REASON = "force copy";
const POLL_MS = 500;
/** How long to wait for equal digests while no graph is being sent. */
const SETTLE_MS = 60_000;

export async function run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
  const [from, to] = [selectOne(context, ids), selectOne(context, more)];
  if (from === to) throw new SvcError("SVC3004", "expected two instances");
  if (context.system.instances.get(to)!.tport === 0) {
    throw new SvcError("SVC3117", `Destination has no TX input service: ${to}`);
  }
  await ProcedureLease.during(context, "force-copy", (lease) => copy(context, lease, from, to));
  context.print({ from, to, done: true }, [`${to}: now has all graphs of ${from}`]);
  return 0;
}

/** @throws SvcError SVC3004 unless exactly one instance is selected, SVC3111 */
function selectOne(context: AdminContext, ids: string | undefined): string {
  const chosen = ids === undefined ? [] : context.select(ids);
  if (chosen.length === 1) return chosen[0]!;
  throw new SvcError("SVC3004", "expected <from> and <to>, one instance each");
}

async function copy(
  context: AdminContext,
  lease: ProcedureLease,
  from: string,
  to: string,
): Promise<void> {
  const status = await fetchNodestat(context, to);
  const wasIn = status["service-in"] === 1 || status["service-out-reason"] === REASON;
  if (status["service-in"] === 1) await takeOut(context, lease, to);
  const { tport, durable } = context.system.instances.get(to)!;
  const isBound = Number(status.txport) !== 0;
  if (!isBound) {
    const parameters = { port: String(tport), durable: durable ? "1" : "0" };
    await operate(context.address(to), "Bind", parameters);
  }
  const subscribers = await listSubscribers(context, from);
  try {
    await lease.renew();
    await setSubscribers(context, from, [streamAddress(context, to)]);
    await operate(context.address(from), "Sync", { mode: "hard" });
    await waitUntilInSync(context, from, to);
  } finally {
    await setSubscribers(context, from, subscribers);
  }
  if (!isBound) await operate(context.address(to), "Unbind");
  if (wasIn) await enterService(context, to);
}

/** @throws SvcError SVC3119 if no other instance serves its partition */
async function takeOut(context: AdminContext, lease: ProcedureLease, id: string): Promise<void> {
  await requireRedundancy(context, id);
  await lease.renew([id]);
  const parameters = { reason: REASON, lease: lease.holder };
  await operate(context.address(id), "ServiceOut", parameters);
}

/** Returns `host:port` of the subscribers that are attached or in the descriptor. */
async function listSubscribers(context: AdminContext, id: string): Promise<string[]> {
  const attached = await listAttached(context, id);
  const { instances, subscribers } = context.system;
  const declared = subscribers.get(id)!.filter((other) => instances.get(other)!.tport > 0);
  return [...new Set([...attached, ...declared.map((other) => streamAddress(context, other))])];
}

/** @throws SvcError SVC3332 if the digests do not become equal */
export async function waitUntilInSync(
  context: AdminContext,
  from: string,
  to: string,
  settleMs = SETTLE_MS,
): Promise<void> {
  let deadline = performance.now() + settleMs;
  for (;;) {
    const [source, target] = await Promise.all([
      fetchNodestat(context, from),
      fetchNodestat(context, to),
    ]);
    const isBusy = source.synchronizing === 1 || target.synchronizing === 1;
    if (isBusy) deadline = performance.now() + settleMs;
    else if (isSame(source, target)) return;
    if (performance.now() > deadline) {
      const text = "digest mismatch after force copy sync attempt";
      throw new SvcError("SVC3332", `${text}: ${from} ${source.digest}, ${to} ${target.digest}`);
    }
    await sleep(POLL_MS);
  }
}

function isSame(a: StatusObject, b: StatusObject): boolean {
  return ["digest", "graph-order", "graph-size"].every((key) => a[key] === b[key]);
}
