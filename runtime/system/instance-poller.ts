// Polls the instances of a system concurrently. An unreachable instance affects only its own entry;
// results are cached for a moment.

import {
  type Address,
  type InstanceAnswer,
  requestInstance,
  requestInstanceJson,
} from "./instance-client.js";
import { planInstance } from "./instance-plan.js";
import type { Instance, System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

/** A busy instance may miss one request: only two unanswered ones count as down. */
const HEALTH_TRIES = 2;
const HEALTH_TIMEOUT_MS = 1000;
const METRICS_TIMEOUT_MS = 2000;
/** An instance whose health check takes longer is slow: alive, but busy or hard to reach. */
const SLOW_HEALTH_MS = 500;
/** Minimum age of a cached poll. */
const FRESH_MS = 1000;
const MAX_CONCURRENT = 64;

export interface PollResult {
  readonly instance: Instance;
  readonly partition: string;
  readonly group: number;
  /** `SVC/3`, or why not; null: unreachable. */
  readonly health: string | null;
  /** By path; null: no response. */
  readonly figures: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  /** It responds, but late, or not to all requests. */
  readonly isSlow: boolean;
  /** Milliseconds since the first of the polls in a row without a response; null: it responds. */
  readonly unreachableMs: number | null;
}

type Polled = Omit<PollResult, "unreachableMs">;

/** Returns the paths to request from an instance. */
export type Paths = (instance: Instance) => readonly string[];

interface Kept {
  readonly addresses: string;
  readonly atMs: number;
  isRunning: boolean;
  readonly found: Promise<readonly PollResult[]>;
}

export class InstancePoller {
  readonly #cache = new Map<string, Kept>();
  /** Time of the first poll without a response, by id. */
  readonly #unreachableSince = new Map<string, number>();

  /**
   * Returns the poll results of some instances. All instances are polled, so that one poll per
   * topic serves all concurrent callers.
   * @param topic identifies the paths
   * @param ids unknown ones are ignored
   * @param secure TLS settings; null: plain
   */
  async of(
    system: System,
    topic: string,
    paths: Paths,
    ids: readonly string[],
    secure: TlsContextCache | null = null,
  ): Promise<readonly PollResult[]> {
    const found = await this.#poll(system, topic, paths, secure);
    const wanted = new Set(ids);
    return found.filter(({ instance }) => wanted.has(instance.id));
  }

  #poll(
    system: System,
    topic: string,
    paths: Paths,
    secure: TlsContextCache | null,
  ): Promise<readonly PollResult[]> {
    const now = performance.now();
    const addresses = addressKey(system);
    const last = this.#cache.get(topic);
    const isFresh = last !== undefined && (last.isRunning || now - last.atMs < FRESH_MS);
    if (isFresh && last.addresses === addresses) return last.found;
    const found = pollAll(system, paths, secure).then((results) =>
      results.map((result) => ({ ...result, unreachableMs: this.#unreachableMs(result) })),
    );
    const kept = { addresses, atMs: now, found, isRunning: true };
    this.#cache.set(topic, kept);
    const end = (): void => {
      kept.isRunning = false;
    };
    found.then(end, end);
    return found;
  }

  #unreachableMs({ instance: { id }, health }: Polled): number | null {
    if (health !== null) {
      this.#unreachableSince.delete(id);
      return null;
    }
    const now = performance.now();
    const sinceMs = this.#unreachableSince.get(id) ?? now;
    this.#unreachableSince.set(id, sinceMs);
    return now - sinceMs;
  }
}

interface Placement {
  readonly partition: string;
  readonly group: number;
}

/** By id, per system: derived from all of its instances. */
const placements = new WeakMap<System, Map<string, Placement>>();

function placementFor(system: System, id: string): Placement {
  const known = placements.get(system) ?? new Map<string, Placement>();
  placements.set(system, known);
  const placement = known.get(id) ?? planInstance(system, id);
  known.set(id, placement);
  return placement;
}

/** Returns a key by value: a standalone instance creates its system each time. */
function addressKey({ instances }: System): string {
  return [...instances.values()].map(({ id, host, hport }) => `${id} ${host}:${hport}`).join();
}

async function pollAll(
  system: System,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<readonly Polled[]> {
  const ids = [...system.instances.keys()];
  const found: Polled[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < ids.length) {
      const at = next++;
      found[at] = await pollOne(system, ids[at]!, paths, secure);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT, ids.length) }, work));
  return found;
}

async function pollOne(
  system: System,
  id: string,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<Polled> {
  const instance = system.instances.get(id)!;
  const { partition, group } = placementFor(system, id);
  const address: Address = { host: instance.host, port: instance.hport + 1, secure };
  const known = { instance, partition, group };
  const sinceMs = performance.now();
  let health: string;
  try {
    const { status, text } = await requestHealth(address);
    health = status === 200 ? text : `${status} Service out`;
  } catch (error) {
    const { message } = error as Error;
    return { ...known, health: null, figures: {}, error: message, isSlow: false };
  }
  const isLate = performance.now() - sinceMs > SLOW_HEALTH_MS;
  const figures: Record<string, unknown> = {};
  const requests = paths(instance).map(async (path) => {
    figures[path] = await requestInstance(address, { path, timeoutMs: METRICS_TIMEOUT_MS });
  });
  const failed = (await Promise.allSettled(requests)).find(({ status }) => status === "rejected");
  const error = failed === undefined ? null : (failed as PromiseRejectedResult).reason.message;
  return { ...known, health, figures, error, isSlow: isLate || error !== null };
}

/** @throws SvcError SVC2701 if no try is answered */
async function requestHealth(address: Address): Promise<InstanceAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      const question = { path: "/svc/hc", timeoutMs: HEALTH_TIMEOUT_MS };
      return await requestInstanceJson(address, question);
    } catch (error) {
      if (tries === HEALTH_TRIES) throw error;
    }
  }
}
