// How worker threads are started. The package is bundled into `dist/` with shared chunks beside the
// entries, so the path of an entry is relative to this module's own chunk.

import { Worker, type WorkerOptions } from "node:worker_threads";

type Thread = "io" | "executor" | "admin";

export function startThread(thread: Thread, options: WorkerOptions): Worker {
  // Options of Node are passed on, but for the one that only goes with a program given as text.
  const execArgv = process.execArgv.filter((word) => !word.startsWith("--input-type"));
  return new Worker(threadEntry(thread), { ...options, execArgv });
}

function threadEntry(thread: Thread): URL {
  return new URL(`./threads/${thread}.js`, import.meta.url);
}
