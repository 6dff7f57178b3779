// `svc admin dump <ids>`: writes all graphs of an instance and their transaction log to a folder in
// its root. The dump contains everything committed before the command, and possibly more. A killed
// run leaves its dump attached; the next run ends it.

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SvcError } from "../../runtime/base/errors.js";
import { requestInstance } from "../../runtime/system/instance-client.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const ASK_MS = 5000;
const POLL_MS = 200;
/** The instance reports progress once a second. */
const GONE_MS = 5000;

export function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  if (ids === undefined) throw new SvcError("SVC3004", "missing <ids>");
  const name = `opdump_${Math.floor(Date.now() / 1000)}.tx`;
  const act = async (id: string): Promise<unknown> => {
    for (const [left] of await dumpsOf(context, id)) {
      await operate(context.address(id), "Detach", { uri: left });
    }
    const uri = `file:${name}`;
    await operate(context.address(id), "Attach", { uri });
    try {
      return { folder: await waitUntilDumped(context, id, name) };
    } finally {
      await operate(context.address(id), "Detach", { uri });
    }
  };
  const say = (result: unknown) => `dumped to ${(result as { folder: string }).folder}`;
  const chosen = context.select(ids);
  return ProcedureLease.during(context, "dump", () => forEachInstance(context, chosen, act, say));
}

type Shown = readonly [uri: string, { readonly status: string }];

async function dumpsOf(context: AdminContext, id: string): Promise<Shown[]> {
  const question = { path: "/svc/peerstat", timeoutMs: ASK_MS };
  const { subscribers = [] } = (await requestInstance(context.address(id), question)) as {
    readonly subscribers?: readonly Shown[];
  };
  return subscribers.filter(([uri]) => uri.startsWith("file:"));
}

/** @throws SvcError SVC3341 */
export async function waitUntilDumped(
  context: AdminContext,
  id: string,
  name: string,
  goneMs = GONE_MS,
): Promise<string> {
  for (let seenAt = performance.now(); ; ) {
    const found = (await dumpsOf(context, id)).find(([uri]) => uri.endsWith(`/${name}`));
    if (found?.[1].status === "CONNECTED") return fileURLToPath(found[0]);
    if (found !== undefined) seenAt = performance.now();
    else if (performance.now() - seenAt > goneMs) {
      throw new SvcError("SVC3341", `dump ended before it was complete; see the log of ${id}`);
    }
    await sleep(POLL_MS);
  }
}
