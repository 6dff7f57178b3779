// Threads for property tests. They do not inherit the TypeScript loader, and get it here.

import { Worker } from "node:worker_threads";

const LOAD = `
  const { module, parent } = require("node:worker_threads").workerData;
  import("tsx/esm/api").then(({ tsImport }) => tsImport(module, parent));
`;

/**
 * Runs a module in a thread, which gets `data` in its `workerData`.
 * @param module path from `parent`, the `import.meta.url` of the caller
 */
export function startWorker(module: string, parent: string, data: object): Worker {
  return new Worker(LOAD, { eval: true, workerData: { ...data, module, parent } });
}

/** Resolves when the thread has ended; rejects with its uncaught error. */
export function endOf(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}
