// Main thread's side of the stop functions of one executor.

import type { MessagePort } from "node:worker_threads";
import { log } from "../base/log.js";
import type { StopReply, StopScope } from "../plugin/contract/lifecycle.js";

/**
 * Runs a stop function in its executor; a failure and a timeout are logged.
 * @param port of the executor
 */
export async function runStopFunction(
  port: MessagePort,
  scope: StopScope,
  id: number,
  timeoutMs: number,
): Promise<void> {
  const name = scope === "executor" ? "onStop" : "onStop.instance";
  let timer: NodeJS.Timeout | undefined;
  const failure = await new Promise<string | null>((resolve) => {
    timer = setTimeout(() => resolve(`did not complete in ${timeoutMs} ms`), timeoutMs);
    port.once("message", ({ failure: text }: StopReply) => resolve(text));
    port.once("close", () => resolve("executor exited"));
    port.postMessage(scope);
  });
  clearTimeout(timer);
  if (failure !== null) log(`executor ${id}: ${name} failed: ${failure}`, "error");
}
