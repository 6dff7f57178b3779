// Runs the start and stop functions of a build in its executor. The main thread requests the stop
// functions through a separate port, which plugins cannot reach.

import type { MessagePort } from "node:worker_threads";
import { errorText } from "../plugin/contract/describe-error.js";
import type { Lifecycle, StopReply, StopScope } from "../plugin/contract/lifecycle.js";
import { loadFailure } from "../plugin/contract/stack-trace.js";
import { setApp } from "../plugin/request/app.js";
import type { ExecutorHooksData } from "./io-control.js";

/**
 * Runs the start functions, beginning with that of the instance, then serves requests to stop.
 * @throws Error with the name of the function, if one fails
 */
export async function startLifecycle(
  executor: number,
  { onStart, onStop }: Lifecycle,
  { port, isFirst, timeoutMs }: ExecutorHooksData,
): Promise<void> {
  const start = { executor, signal: AbortSignal.timeout(timeoutMs) };
  if (isFirst && onStart?.instance !== undefined) await run("onStart.instance", onStart.instance);
  const app = onStart?.executor && (await run("onStart", onStart.executor));
  if (onStart?.executor !== undefined) setApp(app);
  listen(port, async (scope) => {
    if (scope === "executor") await onStop?.executor?.(app);
    else await onStop?.instance?.();
  });

  async function run(name: string, fn: (context: typeof start) => unknown): Promise<unknown> {
    try {
      return await fn(start);
    } catch (error) {
      throw new Error(`${name} failed: ${loadFailure(error)}`);
    }
  }
}

function listen(port: MessagePort, stop: (scope: StopScope) => Promise<void>): void {
  port.on("message", async (scope: StopScope) => {
    let failure: string | null = null;
    try {
      await stop(scope);
    } catch (error) {
      failure = errorText(error);
    }
    port.postMessage({ failure } satisfies StopReply);
  });
}
