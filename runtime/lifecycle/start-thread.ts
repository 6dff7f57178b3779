// How worker threads are started. The package is bundled into `dist/` with shared chunks beside the
// entries, so the path of an entry is relative to this module's own chunk.

import { type MessagePort, Worker, type WorkerOptions } from "node:worker_threads";
import { availableAddressSpace, formatGiB } from "../base/address-space.js";
import { SvcError } from "../base/errors.js";
import { logSettings } from "../base/log-settings.js";
import { enableRecentLog } from "../base/recent-log.js";

export type Thread = "io" | "executor" | "admin" | "interconnect";

/** Of a thread's code, heap and stack. */
const THREAD_ADDRESSES = 0.6 * 2 ** 30;
const LAST_WORDS_MS = 100;

/** @throws SvcError SVC2206 where the process may not have so many addresses */
export function startThread(thread: Thread, options: WorkerOptions): Worker {
  requireAddressSpace(1);
  const entry = threadEntry(thread);
  // The thread writes its log as this one does.
  logSettings();
  enableRecentLog();
  if (!process.execArgv.some(isForText)) return new Worker(entry, options);
  // Only then are they given: Node refuses those of V8, which it passes on by itself.
  const execArgv = process.execArgv.filter((word) => !isForText(word));
  return new Worker(entry, { ...options, execArgv });
}

/**
 * Looks whether so many threads can begin; each takes its addresses only after a while.
 * @throws SvcError SVC2206 where they cannot, by which V8 would end the process
 */
export function requireAddressSpace(threads: number): void {
  const left = availableAddressSpace();
  const needed = threads * THREAD_ADDRESSES;
  if (left >= needed) return;
  const what = threads === 1 ? "a thread takes" : `${threads} threads take`;
  const has = `the process may have ${formatGiB(left)} more (\`ulimit -v\`)`;
  throw new SvcError("SVC2206", `${what} ${formatGiB(needed)} of addresses, ${has}`);
}

/** A thread that has lost its port, by a plugin's doing, could not be told to stop. */
export function exitWhenOrphaned(worker: Worker, control: MessagePort): void {
  // One that has died says why before.
  control.on("close", () => void setTimeout(() => worker.terminate(), LAST_WORDS_MS).unref());
}

/** Whether that is why a thread could not load its modules. */
export function isFdExhausted(message: string): boolean {
  return /\bE[MN]FILE\b|too many open files/.test(message);
}

/** Whether an option of Node only goes with a program given as text. */
function isForText(option: string): boolean {
  return option.startsWith("--input-type");
}

function threadEntry(thread: Thread): URL {
  return new URL(`./threads/${thread}.js`, import.meta.url);
}
