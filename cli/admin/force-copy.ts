// `svc admin force-copy <from> <to>`: all graphs of one instance, as they are, to another one that
// has lost or corrupted its own. Each step looks first, so that a run which was interrupted is
// finished by the next one; subscribers of the descriptor are attached again in the end.
//
//   out of service ─► bound ─► attached alone ─► all graphs sent ─► digests equal ─► as before

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { operate } from "./remote.js";
import { requireRedundancy } from "./rolling-update/check.js";
import { fetchNodestat, type StatusObject } from "./rolling-update/instances.js";
import { enterService } from "./service-in.js";

const REASON = "force copy";
const ASK_MS = 5000;
const POLL_MS = 500;
/** Pause after the last graph was sent, or before the first one is. */
const SETTLE_MS = 60_000;

export async function run(context: AdminContext, { ids, more }: VerbArguments): Promise<number> {
  const [from, to] = [only(context, ids), only(context, more)];
  if (from === to) throw new SvcError("SVC3004", "expected two instances");
  if (context.system.instances.get(to)!.tport === 0) {
    throw new SvcError("SVC3117", `Destination has no TX input service: ${to}`);
  }
  await ProcedureLease.during(context, "force-copy", (lease) => copy(context, lease, from, to));
  context.print({ from, to, done: true }, [`${to}: now has all graphs of ${from}`]);
  return 0;
}

/** @throws SvcError SVC3004 unless exactly one instance is selected, SVC3111 */
function only(context: AdminContext, ids: string | undefined): string {
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
  const before = await fetchNodestat(context, to);
  const wasIn = before["service-in"] === 1 || before["service-out-reason"] === REASON;
  if (before["service-in"] === 1) await takeOut(context, lease, to);
  const { tport, durable } = context.system.instances.get(to)!;
  const isBound = Number(before.txport) !== 0;
  if (!isBound) {
    const parameters = { port: String(tport), durable: durable ? "1" : "0" };
    await operate(context.address(to), "Bind", parameters);
  }
  const others = await subscribersOf(context, from);
  try {
    await lease.renew();
    await provide(context, from, [streamOf(context, to)]);
    await operate(context.address(from), "Sync", { mode: "hard" });
    await waitUntilInSync(context, from, to);
  } finally {
    await provide(context, from, others);
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

/** `host:port` of attached subscribers and those of the descriptor, without streams. */
async function subscribersOf(context: AdminContext, id: string): Promise<string[]> {
  const question = { path: "/svc/peerstat", timeoutMs: ASK_MS };
  const status = (await requestInstance(context.address(id), question)) as {
    readonly subscribers?: readonly (readonly [string, unknown])[];
  };
  const present = (status.subscribers ?? []).flatMap(
    ([uri]) => /^svc:\/\/(.+)$/.exec(uri)?.[1] ?? [],
  );
  const { instances, subscribers } = context.system;
  const named = subscribers.get(id)!.filter((other) => instances.get(other)!.tport > 0);
  return [...new Set([...present, ...named.map((other) => streamOf(context, other))])];
}

function streamOf({ system }: AdminContext, id: string): string {
  const { host, tport } = system.instances.get(id)!;
  return `${host}:${tport}`;
}

/** Only these subscribers are attached during the copy. */
async function provide(context: AdminContext, id: string, goal: readonly string[]): Promise<void> {
  await operate(context.address(id), "UpdateSubscribers", {}, JSON.stringify(goal));
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
    const [a, b] = await Promise.all([fetchNodestat(context, from), fetchNodestat(context, to)]);
    const isBusy = a.synchronizing === 1 || b.synchronizing === 1;
    if (isBusy) deadline = performance.now() + settleMs;
    else if (isSame(a, b)) return;
    if (performance.now() > deadline) {
      const text = "digest mismatch after force copy sync attempt";
      throw new SvcError("SVC3332", `${text}: ${from} ${a.digest}, ${to} ${b.digest}`);
    }
    await sleep(POLL_MS);
  }
}

function isSame(a: StatusObject, b: StatusObject): boolean {
  return ["digest", "graph-order", "graph-size"].every((key) => a[key] === b[key]);
}
