// Threads of tests.

import { Worker } from "node:worker_threads";
import { transpiledModule } from "../runner/transpiled.mjs";

/**
 * Runs a module in a thread.
 * @param data its `workerData`
 */
export function startWorker(source: URL, data: unknown): Worker {
  return new Worker(transpiledModule(source), { workerData: data });
}

/** Resolves when the thread has ended; rejects with its uncaught error. */
export function waitForExit(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}
