// Metrics of many instances of a large system: each dispatcher is asked for the ones below it, so
// that no instance asks ten thousand others. A dispatcher asks only what is below itself for ids
// that are all below it: each request goes down.

import { isPlainObject } from "../base/plain-object.js";
import { requestInstance } from "./instance-client.js";
import { handleEach, type Polled, pollInstance } from "./poll-instance.js";
import { listBranch, planSurvey, type SurveyTree } from "./survey-tree.js";
import type { System } from "./system.js";
import type { TlsContextCache } from "./tls-context-cache.js";

/** Ids in one request, whose head is limited. */
const MAX_IDS = 200;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Answers are kept so long, at least, for callers that want the same instances. */
const FRESH_MS = 1000;

export type Entry = Readonly<Record<string, unknown>>;

export interface LevelTopic {
  /** Plugin that reads this topic, with `idlist`. */
  readonly plugin: string;
  readonly paths: () => readonly string[];
  /** Describes an instance that was asked itself. */
  describe(polled: Polled): Entry;
}

export interface LevelScope {
  readonly system: System;
  /** Id of this instance; null if the system does not contain it. */
  readonly self: string | null;
  /** TLS settings; null: plain. */
  readonly secure: TlsContextCache | null;
}

/** An instance to ask for itself, or a dispatcher for ids below it. */
interface Survey {
  readonly id: string;
  readonly ids: readonly string[];
}

/** A survey that has begun. */
interface Kept {
  readonly atMs: number;
  isRunning: boolean;
  readonly entries: Promise<ReadonlyMap<string, Entry>>;
}

export class LevelReader {
  /** The last survey of each instance, by topic and id: all lists that contain it share it. */
  readonly #kept = new Map<string, Kept>();
  readonly #freshMs: number;
  #system: System | null = null;

  /** @param freshMs how long answers are kept */
  constructor(freshMs = FRESH_MS) {
    this.#freshMs = freshMs;
  }

  /**
   * Returns the entries of instances in the order of the system. Asks each instance once at a time,
   * however many lists are wanted.
   * @param ids unknown ones are ignored
   */
  async read(scope: LevelScope, topic: LevelTopic, ids: readonly string[]): Promise<Entry[]> {
    const { system } = scope;
    if (system !== this.#system) this.#kept.clear();
    this.#system = system;
    const given = new Set(ids);
    const wanted = [...system.instances.keys()].filter((id) => given.has(id));
    const keyOf = (id: string): string => `${topic.plugin} ${id}`;
    const missing = wanted.filter((id) => !this.#isFresh(keyOf(id)));
    if (missing.length > 0) {
      const survey = this.#begin(scope, topic, missing);
      for (const id of missing) this.#kept.set(keyOf(id), survey);
    }
    const last = wanted.map((id) => ({ id, ...this.#kept.get(keyOf(id))! }));
    const found = last.map(async ({ id, entries }) => (await entries).get(id));
    return (await Promise.all(found)).filter((entry) => entry !== undefined);
  }

  #isFresh(key: string): boolean {
    const kept = this.#kept.get(key);
    if (kept === undefined) return false;
    return kept.isRunning || performance.now() - kept.atMs < this.#freshMs;
  }

  #begin(scope: LevelScope, topic: LevelTopic, ids: readonly string[]): Kept {
    const entries = new LevelSurvey(scope, topic).read(ids);
    const kept = { atMs: performance.now(), isRunning: true, entries };
    const end = (): void => {
      kept.isRunning = false;
    };
    entries.then(end, end);
    return kept;
  }
}

class LevelSurvey {
  readonly #scope: LevelScope;
  readonly #topic: LevelTopic;
  readonly #tree: SurveyTree;
  readonly #found = new Map<string, Entry>();

  constructor(scope: LevelScope, topic: LevelTopic) {
    this.#scope = scope;
    this.#topic = topic;
    this.#tree = planSurvey(scope.system);
  }

  async read(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const { self } = this.#scope;
    const wanted = new Set(ids);
    const own = new Set(self === null ? [] : listBranch(this.#tree, self));
    const isBelow = [...wanted].every((id) => own.has(id));
    const tops = isBelow && self !== null ? [self] : this.#tree.tops;
    const surveys = this.#plan(tops, wanted).flatMap((survey) => {
      // This instance does not ask itself for others.
      return survey.id === self ? this.#open(survey) : [survey];
    });
    await handleEach(surveys, (survey) => this.#survey(survey));
    return this.#found;
  }

  /** Returns whom to ask among some instances for what is wanted of them and below them. */
  #plan(among: readonly string[], wanted: ReadonlySet<string>): Survey[] {
    return among.flatMap((id) => {
      const ids = listBranch(this.#tree, id).filter((one) => wanted.has(one));
      const surveys: Survey[] = [];
      for (let first = 0; first < ids.length; first += MAX_IDS) {
        surveys.push({ id, ids: ids.slice(first, first + MAX_IDS) });
      }
      return surveys;
    });
  }

  /** Returns the surveys in place of one of a branch. */
  #open({ id, ids }: Survey): Survey[] {
    const below = this.#plan(this.#tree.below.get(id) ?? [], new Set(ids));
    return ids.includes(id) ? [{ id, ids: [id] }, ...below] : below;
  }

  /** @returns further surveys, where a dispatcher does not answer for what is below it */
  async #survey(survey: Survey): Promise<readonly Survey[]> {
    const { id, ids } = survey;
    if (ids.length === 1 && ids[0] === id) {
      await this.#ask(id);
      return [];
    }
    const answered = await this.#request(survey);
    const missing = ids.filter((one) => !answered.has(one));
    for (const one of ids) {
      const entry = answered.get(one);
      if (entry !== undefined) this.#found.set(one, entry);
    }
    return missing.length === 0 ? [] : this.#open({ id, ids: missing });
  }

  async #ask(id: string): Promise<void> {
    const { system, secure } = this.#scope;
    const { paths } = this.#topic;
    const polled = await pollInstance(system, system.instances.get(id)!, paths, secure);
    this.#found.set(id, this.#topic.describe(polled));
  }

  /** Returns the entries of what a dispatcher was asked for, as far as it has them. */
  async #request({ id, ids }: Survey): Promise<ReadonlyMap<string, Entry>> {
    const { system, secure } = this.#scope;
    const { host, hport } = system.instances.get(id)!;
    const path = `/svc/builtin/${this.#topic.plugin}?idlist=${encodeURIComponent(ids.join())}`;
    const request = { path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const address = { host, port: hport + 1, secure };
    const answer = await requestInstance(address, request).catch(() => null);
    const listed = isPlainObject(answer) && Array.isArray(answer.instances) ? answer.instances : [];
    const isEntry = (entry: unknown): entry is Entry & { readonly id: string } =>
      isPlainObject(entry) && typeof entry.id === "string";
    return new Map(listed.filter(isEntry).map((entry) => [entry.id, entry]));
  }
}
