// Threads that start within milliseconds, for tests that start hundreds.

import { Worker } from "node:worker_threads";
import { bundleSource } from "./bundle-source.js";

export class BundledThread {
  readonly #code: string;

  /** @param source TypeScript, which receives its data as `workerData` */
  constructor(source: URL) {
    this.#code = bundleSource(source);
  }

  start(data: unknown): Worker {
    // Without the loader of this process, which the thread does not need.
    return new Worker(this.#code, { eval: true, workerData: data, execArgv: [] });
  }
}
