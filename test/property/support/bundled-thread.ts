// Threads that start within milliseconds: their sources are bundled once, instead of being compiled
// again by each. For tests that start hundreds.

import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";

export class BundledThread {
  readonly #code: string;

  /** @param source TypeScript, which finds what it is given as `workerData` */
  constructor(source: URL) {
    const { outputFiles } = buildSync({
      entryPoints: [fileURLToPath(source)],
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node20",
      write: false,
      logLevel: "error",
    });
    this.#code = outputFiles[0]!.text;
  }

  start(data: unknown): Worker {
    return new Worker(this.#code, { eval: true, workerData: data });
  }
}
