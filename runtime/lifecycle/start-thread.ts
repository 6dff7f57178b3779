// Starts worker threads. The package is bundled into `dist/` with shared chunks beside the entries,
// so entry paths are relative to this module's chunk.

import { type MessagePort, Worker, type WorkerOptions } from "node:worker_threads";
import { availableAddressSpace, formatGiB } from "../base/address-space.js";
import { SvcError } from "../base/errors.js";
import { logSettings } from "../base/log-settings.js";
import { enableRecentEvents } from "../base/recent-events.js";
import { enableRecentLog } from "../base/recent-log.js";
import { enableSharedRates } from "../base/shared-rates.js";
import { reserveThreadGauge } from "../metrics/thread-gauges.js";

export type Thread = "io" | "executor" | "admin" | "interconnect" | "algorithms";

/** Address space of a thread's code, heap and stack. */
const THREAD_ADDRESS_BYTES = 0.6 * 2 ** 30;
const EXIT_REPORT_MS = 100;
const NAME_PREFIX = /^svc-/;

/** @throws SvcError SVC2206 if the address space is insufficient, or the system starts no more */
export function startThread(thread: Thread, options: WorkerOptions): Worker {
  requireAddressSpace(1);
  const entry = threadEntry(thread);
  // The thread logs like this one.
  logSettings();
  enableRecentLog();
  enableRecentEvents();
  enableSharedRates();
  const freeGauge = reserveThreadGauge((options.name ?? thread).replace(NAME_PREFIX, ""));
  try {
    const worker = new Worker(entry, workerOptions(options));
    worker.on("exit", freeGauge);
    return worker;
  } catch (error) {
    freeGauge();
    throw isThreadLimit(error) ? tooManyThreads() : error;
  }
}

function isThreadLimit(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_WORKER_INIT_FAILED";
}

function tooManyThreads(): SvcError {
  const limits = "`ulimit -u`, or the `pids` limit of a container";
  return new SvcError("SVC2206", `the system starts no more threads for this user: ${limits}`);
}

function workerOptions(options: WorkerOptions): WorkerOptions {
  if (!process.execArgv.some(isInputTypeOption)) return options;
  // Only when needed: Node refuses V8's options here, which it passes on by itself.
  return { ...options, execArgv: process.execArgv.filter((word) => !isInputTypeOption(word)) };
}

/**
 * Checks that threads can start; each reserves its address space only after a while.
 * @throws SvcError SVC2206 if they cannot, because V8 would end the process
 */
export function requireAddressSpace(threads: number): void {
  const left = availableAddressSpace();
  const needed = threads * THREAD_ADDRESS_BYTES;
  if (left >= needed) return;
  const subject = threads === 1 ? "a thread needs" : `${threads} threads need`;
  const has = `the process may reserve only ${formatGiB(left)} more (\`ulimit -v\`)`;
  throw new SvcError("SVC2206", `${subject} ${formatGiB(needed)} of address space, but ${has}`);
}

/**
 * Terminates a thread whose control port a plugin has closed, because it could not be told to stop.
 */
export function exitWhenOrphaned(worker: Worker, control: MessagePort): void {
  // A dying thread reports its reason first.
  control.on("close", () => void setTimeout(() => worker.terminate(), EXIT_REPORT_MS).unref());
}

/** Returns whether a message reports exhausted file descriptors. */
export function isFdExhausted(message: string): boolean {
  return /\bE[MN]FILE\b|too many open files/.test(message);
}

/** Returns whether a Node option only applies to a program given as text. */
function isInputTypeOption(option: string): boolean {
  return option.startsWith("--input-type");
}

function threadEntry(thread: Thread): URL {
  return new URL(`./threads/${thread}.js`, import.meta.url);
}
