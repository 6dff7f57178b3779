// What the instances of a system say of themselves, asked all at once. Who does not answer marks
// its own entry, nothing else; who asks often gets what was found a moment ago.

import { type Address, requestInstance, requestInstanceJson } from "./instance-client.js";
import { planInstance } from "./instance-plan.js";
import type { Instance, System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

const HEALTH_MS = 250;
const FIGURES_MS = 2000;
/** Surveys of one kind are not made more often. */
const FRESH_MS = 1000;
const MAX_AT_ONCE = 64;

export interface PollResult {
  readonly instance: Instance;
  readonly partition: string;
  readonly group: number;
  /** `SVC/3`, or why not; null: it does not answer. */
  readonly health: string | null;
  /** By path; null: no answer. */
  readonly figures: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

/** Paths to ask an instance for. */
export type Paths = (instance: Instance) => readonly string[];

interface Kept {
  readonly places: string;
  readonly atMs: number;
  isUnderWay: boolean;
  readonly found: Promise<readonly PollResult[]>;
}

export class InstancePoller {
  readonly #kept = new Map<string, Kept>();

  /**
   * All instances are asked, whichever are wanted: however many ask for whatever of them, one
   * survey of a topic is under way.
   * @param topic the same for the same paths
   * @param ids those that are no instances are left out
   * @param secure how they are asked by TLS; null: without it
   */
  async of(
    system: System,
    topic: string,
    paths: Paths,
    ids: readonly string[],
    secure: TlsContextCache | null = null,
  ): Promise<readonly PollResult[]> {
    const found = await this.#all(system, topic, paths, secure);
    const wanted = new Set(ids);
    return found.filter(({ instance }) => wanted.has(instance.id));
  }

  #all(
    system: System,
    topic: string,
    paths: Paths,
    secure: TlsContextCache | null,
  ): Promise<readonly PollResult[]> {
    const now = performance.now();
    const places = placesOf(system);
    const last = this.#kept.get(topic);
    const isFresh = last !== undefined && (last.isUnderWay || now - last.atMs < FRESH_MS);
    if (isFresh && last.places === places) return last.found;
    const found = survey(system, paths, secure);
    const kept = { places, atMs: now, found, isUnderWay: true };
    this.#kept.set(topic, kept);
    const end = (): void => {
      kept.isUnderWay = false;
    };
    found.then(end, end);
    return found;
  }
}

interface Standing {
  readonly partition: string;
  readonly group: number;
}

/** By id, of each system: they follow from all of its instances. */
const standings = new WeakMap<System, Map<string, Standing>>();

function standingOf(system: System, id: string): Standing {
  const known = standings.get(system) ?? new Map<string, Standing>();
  standings.set(system, known);
  const standing = known.get(id) ?? planInstance(system, id);
  known.set(id, standing);
  return standing;
}

/** By what they are, not by identity: an instance of no system makes its own up anew each time. */
function placesOf({ instances }: System): string {
  return [...instances.values()].map(({ id, host, hport }) => `${id} ${host}:${hport}`).join();
}

async function survey(
  system: System,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<readonly PollResult[]> {
  const ids = [...system.instances.keys()];
  const found: PollResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < ids.length) {
      const at = next++;
      found[at] = await look(system, ids[at]!, paths, secure);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, ids.length) }, work));
  return found;
}

async function look(
  system: System,
  id: string,
  paths: Paths,
  secure: TlsContextCache | null,
): Promise<PollResult> {
  const instance = system.instances.get(id)!;
  const { partition, group } = standingOf(system, id);
  const address: Address = { host: instance.host, port: instance.hport + 1, secure };
  const known = { instance, partition, group };
  let health: string;
  try {
    const { status, text } = await requestInstanceJson(address, {
      path: "/svc/hc",
      timeoutMs: HEALTH_MS,
    });
    health = status === 200 ? text : `${status} Service out`;
  } catch (error) {
    return { ...known, health: null, figures: {}, error: (error as Error).message };
  }
  const figures: Record<string, unknown> = {};
  const asked = paths(instance).map(async (path) => {
    figures[path] = await requestInstance(address, { path, timeoutMs: FIGURES_MS });
  });
  const failed = (await Promise.allSettled(asked)).find(({ status }) => status === "rejected");
  const error = failed === undefined ? null : (failed as PromiseRejectedResult).reason.message;
  return { ...known, health, figures, error };
}
