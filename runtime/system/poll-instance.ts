// Polls one instance: its health, then its metrics. Failures are part of the result.

import {
  type Address,
  type InstanceResponse,
  requestInstance,
  requestInstanceJson,
} from "./instance-client.js";
import { placeInstance } from "./instance-plan.js";
import type { Instance, System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

/** Attempts until an instance counts as down: a busy one may miss the first. */
const HEALTH_ATTEMPTS = 2;
const HEALTH_TIMEOUT_MS = 1000;
const METRICS_TIMEOUT_MS = 2000;
/** An instance whose health check takes longer is slow: alive, but busy or hard to reach. */
const SLOW_HEALTH_MS = 500;
const MAX_CONCURRENT = 64;

export interface PollResult {
  readonly instance: Instance;
  readonly partition: string;
  readonly group: number;
  /** `SVC/3`, or the status of the failed health check; null: unreachable. */
  readonly health: string | null;
  /** By path; null: no response. */
  readonly figures: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  /** The instance responds late, or not to all requests. */
  readonly isSlow: boolean;
  /** Milliseconds since the first failed poll of the current outage; null: it responds. */
  readonly unreachableMs: number | null;
}

export type Polled = Omit<PollResult, "unreachableMs">;

/** Returns the paths to request from an instance. */
export type Paths = (instance: Instance) => readonly string[];

type Placement = ReturnType<typeof placeInstance>;

/** Cached by system and id, because they depend on all instances of the system. */
const placements = new WeakMap<System, Map<string, Placement>>();

export function placementFor(system: System, id: string): Placement {
  const known = placements.get(system) ?? new Map<string, Placement>();
  placements.set(system, known);
  const placement = known.get(id) ?? placeInstance(system, id);
  known.set(id, placement);
  return placement;
}

/** Polls all instances, several at a time. */
export function pollEach<T>(
  system: System,
  poll: (instance: Instance) => Promise<T>,
  onResult: (result: T) => void,
): Promise<void> {
  return handleEach([...system.instances.values()], async (instance) => {
    onResult(await poll(instance));
    return [];
  });
}

/**
 * Processes items and the further items that this returns, several at a time.
 * @param handle returns further items
 */
export async function handleEach<T>(
  items: readonly T[],
  handle: (item: T) => Promise<readonly T[]>,
): Promise<void> {
  const queue = [...items];
  let next = 0;
  const running = new Set<Promise<void>>();
  while (next < queue.length || running.size > 0) {
    while (next < queue.length && running.size < MAX_CONCURRENT) {
      const work: Promise<void> = handle(queue[next++]!).then((more) => {
        queue.push(...more);
        running.delete(work);
      });
      running.add(work);
    }
    await Promise.race(running);
  }
}

/** @param secure TLS settings; null: plain */
export async function pollInstance(
  system: System,
  instance: Instance,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<Polled> {
  const address: Address = { host: instance.host, port: instance.hport + 1, secure };
  const base = { instance, ...placementFor(system, instance.id) };
  const sinceMs = performance.now();
  let health: string;
  try {
    const { status, text } = await requestWithRetry(address, "/svc/hc");
    health = status === 200 ? text : `${status} Service out`;
  } catch (error) {
    const { message } = error as Error;
    return { ...base, health: null, figures: {}, error: message, isSlow: false };
  }
  const isLate = isSlowSince(sinceMs);
  const figures: Record<string, unknown> = {};
  const requests = paths(instance).map(async (path) => {
    figures[path] = await requestMetrics(address, path);
  });
  const failed = (await Promise.allSettled(requests)).find(({ status }) => status === "rejected");
  const error = failed === undefined ? null : (failed as PromiseRejectedResult).reason.message;
  return { ...base, health, figures, error, isSlow: isLate || error !== null };
}

export function isSlowSince(sinceMs: number): boolean {
  return performance.now() - sinceMs > SLOW_HEALTH_MS;
}

/** @throws SvcError SVC2701 without a response */
export function requestMetrics(address: Address, path: string): Promise<unknown> {
  return requestInstance(address, { path, timeoutMs: METRICS_TIMEOUT_MS });
}

/** @throws SvcError SVC2701 if all attempts fail */
export async function requestWithRetry(address: Address, path: string): Promise<InstanceResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestInstanceJson(address, { path, timeoutMs: HEALTH_TIMEOUT_MS });
    } catch (error) {
      if (attempt === HEALTH_ATTEMPTS) throw error;
    }
  }
}
