// `svc admin dump <ids>`: writes all graphs of an instance and their transaction log to a folder in
// its data folder. The dump contains all transactions committed before the command, and possibly
// later ones. A killed run leaves its dump attached; the next run detaches it.

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const REQUEST_TIMEOUT_MS = 5000;
const POLL_MS = 200;
/** A dump missing from the subscribers for longer has failed; reports are a second apart. */
const MISSING_MS = 5000;

export function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  if (ids === undefined) throw new SvcError("SVC3004", "missing <ids>");
  const name = `opdump_${Math.floor(Date.now() / 1000)}.tx`;
  const act = async (id: string): Promise<unknown> => {
    for (const [abandonedUri] of await listDumps(context, id)) {
      await operate(context.address(id), "Detach", { uri: abandonedUri });
    }
    const uri = `file:${name}`;
    await operate(context.address(id), "Attach", { uri });
    try {
      return { folder: await waitUntilDumped(context, id, name) };
    } finally {
      await operate(context.address(id), "Detach", { uri });
    }
  };
  const describe = (result: unknown) => `dumped to ${(result as { folder: string }).folder}`;
  const chosen = context.select(ids);
  return ProcedureLease.during(context, "dump", () =>
    forEachInstance(context, chosen, act, describe),
  );
}

type AttachedDump = readonly [uri: string, { readonly status: string }];

async function listDumps(context: AdminContext, id: string): Promise<AttachedDump[]> {
  const request = { path: "/svc/peerstat", timeoutMs: REQUEST_TIMEOUT_MS };
  const { subscribers = [] } = (await requestInstance(context.address(id), request)) as {
    readonly subscribers?: readonly AttachedDump[];
  };
  return subscribers.filter(([uri]) => uri.startsWith("file:"));
}

/** @throws SvcError SVC3341 */
export async function waitUntilDumped(
  context: AdminContext,
  id: string,
  name: string,
  missingMs = MISSING_MS,
): Promise<string> {
  for (let seenAt = performance.now(); ; ) {
    const dump = (await listDumps(context, id)).find(([uri]) => uri.endsWith(`/${name}`));
    if (dump?.[1].status === "CONNECTED") return fileURLToPath(dump[0]);
    if (dump !== undefined) seenAt = performance.now();
    else if (performance.now() - seenAt > missingMs) {
      throw new SvcError("SVC3341", `dump ended before it was complete; see the log of ${id}`);
    }
    await sleep(POLL_MS);
  }
}
