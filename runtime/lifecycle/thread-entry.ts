// How worker threads are started. The package is bundled into `dist/` with shared chunks beside the
// entries, so the path of an entry is relative to this module's own chunk.

import { Worker, type WorkerOptions } from "node:worker_threads";
import { keepLog } from "../base/log-ring.js";
import { logSettings } from "../base/log-settings.js";

export type Thread = "io" | "executor" | "admin" | "interconnect";

export function startThread(thread: Thread, options: WorkerOptions): Worker {
  const entry = threadEntry(thread);
  // The thread writes its log as this one does.
  logSettings();
  keepLog();
  if (!process.execArgv.some(isForText)) return new Worker(entry, options);
  // Only then are they given: Node refuses those of V8, which it passes on by itself.
  const execArgv = process.execArgv.filter((word) => !isForText(word));
  return new Worker(entry, { ...options, execArgv });
}

/** Whether an option of Node only goes with a program given as text. */
function isForText(option: string): boolean {
  return option.startsWith("--input-type");
}

function threadEntry(thread: Thread): URL {
  return new URL(`./threads/${thread}.js`, import.meta.url);
}
