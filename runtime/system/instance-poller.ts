// Polls the instances of a system concurrently and caches the results briefly. An unreachable
// instance affects only its own entry.

import {
  type Paths,
  type Polled,
  type PollResult,
  pollEach,
  pollInstance,
} from "./poll-instance.js";
import type { System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

/** How long a completed poll serves further callers. */
const FRESH_MS = 1000;

interface CachedPoll {
  readonly addresses: string;
  readonly atMs: number;
  isRunning: boolean;
  readonly found: Promise<readonly PollResult[]>;
}

export class InstancePoller {
  readonly #cache = new Map<string, CachedPoll>();
  readonly #outages = new Outages();

  /**
   * Returns the poll results of some instances. All instances are polled, so that one poll per
   * topic serves all concurrent callers.
   * @param topic identifies the paths
   * @param ids ids outside the system are ignored
   * @param secure TLS settings; null: plain
   */
  async read(
    system: System,
    topic: string,
    paths: Paths,
    ids: readonly string[],
    secure: TlsContextCache | null = null,
  ): Promise<readonly PollResult[]> {
    const found = await this.#poll(system, topic, paths, secure);
    const requested = new Set(ids);
    return found.filter(({ instance }) => requested.has(instance.id));
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
      results.map((result) => ({ ...result, unreachableMs: this.#outages.update(result) })),
    );
    const cached = { addresses, atMs: now, found, isRunning: true };
    this.#cache.set(topic, cached);
    const end = (): void => {
      cached.isRunning = false;
    };
    found.then(end, end);
    return found;
  }
}

/** Start times of the outages of instances. */
export class Outages {
  /** Time of the first poll without a response, by id. */
  readonly #since = new Map<string, number>();

  /** Returns the duration of an outage in milliseconds; null: the instance responds. */
  update({ instance: { id }, health }: Polled): number | null {
    if (health !== null) {
      this.#since.delete(id);
      return null;
    }
    const now = performance.now();
    const sinceMs = this.#since.get(id) ?? now;
    this.#since.set(id, sinceMs);
    return now - sinceMs;
  }
}

/** Compares systems by value: a standalone instance creates its system for each request. */
function addressKey({ instances }: System): string {
  return [...instances.values()].map(({ id, host, hport }) => `${id} ${host}:${hport}`).join();
}

async function pollAll(
  system: System,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<readonly Polled[]> {
  const found = new Map<string, Polled>();
  await pollEach(
    system,
    (instance) => pollInstance(system, instance, paths, secure),
    (result) => found.set(result.instance.id, result),
  );
  return [...system.instances.keys()].map((id) => found.get(id)!);
}
