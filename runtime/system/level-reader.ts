// Reads metrics of many instances of a large system through the dispatchers above them, so that no
// instance sends 10,000 requests. A dispatcher that is asked for ids of its own branch asks only
// instances of this branch: requests never go up, and therefore end.

import { isPlainObject } from "../base/plain-object.js";
import { requestInstance } from "./instance-client.js";
import { handleEach, type Polled, pollInstance } from "./poll-instance.js";
import { listBranch, planSurvey, type SurveyTree } from "./survey-tree.js";
import type { System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

/** Maximum ids in one request, because the size of its head is limited. */
const MAX_IDS = 200;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Minimum time that entries are cached for further callers. */
const FRESH_MS = 1000;

export type Entry = Readonly<Record<string, unknown>>;

export interface LevelTopic {
  /** Plugin that reads this topic, with `idlist`. */
  readonly plugin: string;
  readonly paths: () => readonly string[];
  /** Creates the entry of an instance that this process polled directly. */
  describe(polled: Polled): Entry;
}

export interface LevelScope {
  readonly system: System;
  /** Id of this instance; null if the system does not contain it. */
  readonly self: string | null;
  /** TLS settings; null: plain. */
  readonly secure: TlsContextCache | null;
}

/** One request: an instance for itself, or a dispatcher for ids of its branch. */
interface Survey {
  readonly id: string;
  readonly ids: readonly string[];
}

/** A running or completed survey. */
interface CachedSurvey {
  readonly atMs: number;
  isRunning: boolean;
  readonly entries: Promise<ReadonlyMap<string, Entry>>;
}

export class LevelReader {
  /** The last survey of each instance, by topic and id; concurrent callers share it. */
  readonly #cache = new Map<string, CachedSurvey>();
  readonly #freshMs: number;
  #system: System | null = null;

  /** @param freshMs how long entries are cached */
  constructor(freshMs = FRESH_MS) {
    this.#freshMs = freshMs;
  }

  /**
   * Returns the entries of instances in the order of the system. Concurrent callers share one poll
   * of each instance.
   * @param ids ids outside the system are ignored
   */
  async read(scope: LevelScope, topic: LevelTopic, ids: readonly string[]): Promise<Entry[]> {
    const { system } = scope;
    if (system !== this.#system) this.#cache.clear();
    this.#system = system;
    const requested = new Set(ids);
    const selected = [...system.instances.keys()].filter((id) => requested.has(id));
    const keyOf = (id: string): string => `${topic.plugin} ${id}`;
    const missing = selected.filter((id) => !this.#isFresh(keyOf(id)));
    if (missing.length > 0) {
      const survey = this.#start(scope, topic, missing);
      for (const id of missing) this.#cache.set(keyOf(id), survey);
    }
    const surveys = selected.map((id) => ({ id, ...this.#cache.get(keyOf(id))! }));
    const entries = surveys.map(async ({ id, entries }) => (await entries).get(id));
    return (await Promise.all(entries)).filter((entry) => entry !== undefined);
  }

  #isFresh(key: string): boolean {
    const cached = this.#cache.get(key);
    if (cached === undefined) return false;
    return cached.isRunning || performance.now() - cached.atMs < this.#freshMs;
  }

  #start(scope: LevelScope, topic: LevelTopic, ids: readonly string[]): CachedSurvey {
    const entries = new LevelSurvey(scope, topic).read(ids);
    const cached = { atMs: performance.now(), isRunning: true, entries };
    const end = (): void => {
      cached.isRunning = false;
    };
    entries.then(end, end);
    return cached;
  }
}

class LevelSurvey {
  readonly #scope: LevelScope;
  readonly #topic: LevelTopic;
  readonly #tree: SurveyTree;
  readonly #entries = new Map<string, Entry>();

  constructor(scope: LevelScope, topic: LevelTopic) {
    this.#scope = scope;
    this.#topic = topic;
    this.#tree = planSurvey(scope.system);
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const { self } = this.#scope;
    const requested = new Set(ids);
    const branch = new Set(self === null ? [] : listBranch(this.#tree, self));
    const isOwnBranch = [...requested].every((id) => branch.has(id));
    const tops = isOwnBranch && self !== null ? [self] : this.#tree.tops;
    const surveys = this.#plan(tops, requested).flatMap((survey) => {
      // This instance does not send itself a request for others.
      return survey.id === self ? this.#splitBranch(survey) : [survey];
    });
    await handleEach(surveys, (survey) => this.#survey(survey));
    return this.#entries;
  }

  /** Plans requests to some instances for those of the requested ids that are in their branches. */
  #plan(instances: readonly string[], requested: ReadonlySet<string>): Survey[] {
    return instances.flatMap((id) => {
      const ids = listBranch(this.#tree, id).filter((member) => requested.has(member));
      const surveys: Survey[] = [];
      for (let first = 0; first < ids.length; first += MAX_IDS) {
        surveys.push({ id, ids: ids.slice(first, first + MAX_IDS) });
      }
      return surveys;
    });
  }

  /** Returns the surveys that replace the one of a branch. */
  #splitBranch({ id, ids }: Survey): Survey[] {
    const below = this.#plan(this.#tree.below.get(id) ?? [], new Set(ids));
    return ids.includes(id) ? [{ id, ids: [id] }, ...below] : below;
  }

  /** @returns the surveys to run instead, for ids that a dispatcher does not return */
  async #survey(survey: Survey): Promise<readonly Survey[]> {
    const { id, ids } = survey;
    if (ids.length === 1 && ids[0] === id) {
      await this.#poll(id);
      return [];
    }
    const received = await this.#request(survey);
    const missing = ids.filter((member) => !received.has(member));
    for (const member of ids) {
      const entry = received.get(member);
      if (entry !== undefined) this.#entries.set(member, entry);
    }
    return missing.length === 0 ? [] : this.#splitBranch({ id, ids: missing });
  }

  async #poll(id: string): Promise<void> {
    const { system, secure } = this.#scope;
    const { paths } = this.#topic;
    const polled = await pollInstance(system, system.instances.get(id)!, paths, secure);
    this.#entries.set(id, this.#topic.describe(polled));
  }

  /** Requests entries from a dispatcher, and returns the ones that it sends. */
  async #request({ id, ids }: Survey): Promise<ReadonlyMap<string, Entry>> {
    const { system, secure } = this.#scope;
    const { host, hport } = system.instances.get(id)!;
    const path = `/svc/builtin/${this.#topic.plugin}?idlist=${encodeURIComponent(ids.join())}`;
    const request = { path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const address = { host, port: hport + 1, secure };
    const response = await requestInstance(address, request).catch(() => null);
    const listed =
      isPlainObject(response) && Array.isArray(response.instances) ? response.instances : [];
    const isEntry = (entry: unknown): entry is Entry & { readonly id: string } =>
      isPlainObject(entry) && typeof entry.id === "string";
    return new Map(listed.filter(isEntry).map((entry) => [entry.id, entry]));
  }
}
