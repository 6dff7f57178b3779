// Heap, garbage collection and event-loop lag of every thread, in shared memory. Each thread
// measures itself once a second, and `/metrics` reads all measurements without a message. For a
// blocked thread, the age of the last measurement grows.
//
//   slot:  name 24 bytes, ASCII │ at f64 (ms since 1970, 0: free) │ heap f64 │ lag f64 │ gc f64

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { nowMs } from "../base/clock.js";

const GAUGES_KEY = "svc.thread-gauges";
const SLOT_KEY = "svc.thread-gauge";
const NAME_BYTES = 24;
const FLOATS = 4;
const SLOT_BYTES = NAME_BYTES + FLOATS * 8;
/** Enough for the executors of two builds and all other threads. */
const SLOTS = 80;
const INTERVAL_MS = 1000;

enum Float {
  AtMs,
  HeapBytes,
  LagSeconds,
  GcSeconds,
}

/** The last measurement of a thread. */
export interface ThreadGauge {
  /** `main`, `io`, `admin`, `interconnect` or `executor-<id>`. */
  readonly thread: string;
  readonly heapBytes: number;
  /** Delay of a timer in the event loop. */
  readonly lagSeconds: number;
  /** Total time in garbage collection. */
  readonly gcSeconds: number;
  /** Seconds since the measurement. */
  readonly ageSeconds: number;
}

function existingGauges(): SharedArrayBuffer | null {
  return (getEnvironmentData(GAUGES_KEY) as SharedArrayBuffer | undefined) ?? null;
}

function openGauges(): SharedArrayBuffer {
  const existing = existingGauges();
  if (existing !== null) return existing;
  const created = new SharedArrayBuffer(SLOTS * SLOT_BYTES);
  setEnvironmentData(GAUGES_KEY, created);
  return created;
}

function floatsAt(buffer: SharedArrayBuffer, slot: number): Float64Array {
  return new Float64Array(buffer, slot * SLOT_BYTES + NAME_BYTES, FLOATS);
}

/** Returns the name, with a number if it is in use, because labels of a metric must be unique. */
function unusedName(buffer: SharedArrayBuffer, name: string): string {
  const used = new Set(gauges(buffer).map(({ thread }) => thread));
  let unused = name;
  for (let n = 2; used.has(unused); n++) unused = `${name}-${n}`;
  return unused;
}

/** Reserves a slot; null if all are taken, so that the thread is not measured. */
function reserve(buffer: SharedArrayBuffer, name: string): number | null {
  for (let slot = 0; slot < SLOTS; slot++) {
    const values = floatsAt(buffer, slot);
    if (values[Float.AtMs] !== 0) continue;
    const text = Buffer.from(buffer, slot * SLOT_BYTES, NAME_BYTES);
    text.fill(0);
    text.write(unusedName(buffer, name), "latin1");
    values[Float.AtMs] = nowMs();
    return slot;
  }
  return null;
}

/**
 * Reserves a slot for the thread that is started next; call only from the thread that starts it.
 * @returns a function that frees the slot when the thread has exited
 */
export function reserveThreadGauge(name: string): () => void {
  const buffer = openGauges();
  const slot = reserve(buffer, name);
  setEnvironmentData(SLOT_KEY, slot ?? undefined);
  return () => {
    if (slot !== null) floatsAt(buffer, slot).fill(0);
  };
}

/** Starts measuring the calling thread, in the slot reserved for it. */
export function measureThread(): void {
  const slot = getEnvironmentData(SLOT_KEY) as number | undefined;
  const buffer = existingGauges();
  if (buffer !== null && slot !== undefined) measure(floatsAt(buffer, slot));
}

let isMainMeasured = false;

/** Starts measuring the main thread. */
export function measureMainThread(): void {
  if (isMainMeasured) return;
  isMainMeasured = true;
  const buffer = openGauges();
  const slot = reserve(buffer, "main");
  if (slot !== null) measure(floatsAt(buffer, slot));
}

function measure(values: Float64Array): void {
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) values[Float.GcSeconds]! += duration / 1000;
  });
  observer.observe({ entryTypes: ["gc"] });
  let dueMs = performance.now();
  const sample = (): void => {
    const atMs = performance.now();
    values[Float.LagSeconds] = Math.max(0, atMs - dueMs) / 1000;
    values[Float.HeapBytes] = getHeapStatistics().used_heap_size;
    values[Float.AtMs] = nowMs();
    dueMs = atMs + INTERVAL_MS;
  };
  sample();
  setInterval(sample, INTERVAL_MS).unref();
}

/** Returns the measurements of all threads of this process. */
export function threadGauges(): ThreadGauge[] {
  const buffer = existingGauges();
  return buffer === null ? [] : gauges(buffer);
}

function gauges(buffer: SharedArrayBuffer): ThreadGauge[] {
  const nowAtMs = nowMs();
  const measurements: ThreadGauge[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const [atMs, heapBytes, lagSeconds, gcSeconds] = floatsAt(buffer, slot);
    if (atMs === 0) continue;
    const text = Buffer.from(buffer, slot * SLOT_BYTES, NAME_BYTES).toString("latin1");
    const thread = text.slice(0, text.indexOf("\0"));
    const ageSeconds = Math.max(0, nowAtMs - atMs!) / 1000;
    measurements.push({
      thread,
      heapBytes: heapBytes!,
      lagSeconds: lagSeconds!,
      gcSeconds: gcSeconds!,
      ageSeconds,
    });
  }
  return measurements;
}
