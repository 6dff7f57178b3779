// `svc admin service-in`: puts instances into service after their graphs have caught up.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { forEachInstance } from "./for-each-instance.js";
import { operate } from "./remote.js";

const WAIT_MS = 300_000;
const POLL_MS = 500;
const REFUSAL = "SVC3401: ";

export function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const { force = false, "no-wait": isImpatient = false } = context.values;
  const act = (id: string) =>
    force
      ? operate(context.address(id), "ServiceIn", { force: "1" })
      : enterService(context, id, isImpatient ? 0 : WAIT_MS);
  const describe = (result: unknown) => String((result as { readonly action: unknown }).action);
  return forEachInstance(context, context.select(ids), act, describe);
}

/**
 * Puts an instance into service as soon as its graphs have caught up.
 * @throws SvcError SVC3401 if they do not catch up in time
 */
export async function enterService(
  context: AdminContext,
  id: string,
  waitMs = WAIT_MS,
): Promise<unknown> {
  const deadline = performance.now() + waitMs;
  let reported = "";
  for (;;) {
    try {
      return await operate(context.address(id), "ServiceIn");
    } catch (error) {
      const reason = readRefusal(error);
      if (reason === null) throw error;
      if (performance.now() >= deadline) throw new SvcError("SVC3401", reason);
      if (reason !== reported && !context.isJson) process.stderr.write(`${id}: ${reason}\n`);
      reported = reason;
    }
    await sleep(POLL_MS);
  }
}

/** Returns the reason of a refusal for lagging graphs; null: the call failed otherwise. */
function readRefusal(error: unknown): string | null {
  if (!(error instanceof SvcError) || error.code !== "SVC3115") return null;
  const at = error.message.indexOf(REFUSAL);
  return at < 0 ? null : error.message.slice(at + REFUSAL.length);
}
