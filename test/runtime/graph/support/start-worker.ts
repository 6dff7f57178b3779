// Starts a thread with TypeScript sources: threads do not inherit the loader.

import { Worker } from "node:worker_threads";

const LOAD = `
  const { source } = require("node:worker_threads").workerData;
  import("tsx/esm/api").then(({ tsImport }) => tsImport(source, source));
`;

/** @param data passed to the thread as `workerData.data` */
export function startWorker(source: URL, data: unknown): Worker {
  return new Worker(LOAD, { eval: true, workerData: { source: source.href, data } });
}
