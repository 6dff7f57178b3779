// Idempotency keys of requests that change graphs: a repeated request gets the response of the
// first one. The first change of a request commits together with its key, a vertex of a replicated
// system graph; the response is recorded later, as a property of that vertex. Both are as durable
// as changes: they survive a restart, a new leader, a restore. Keys expire, and the oldest keys are
// removed to make room for new ones.

import { AsyncLocalStorage } from "node:async_hooks";
import { begin } from "../changes/change-vertex.js";
import { setProperty } from "../changes/properties.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { createVertex } from "../changes/vertices.js";
import type { CommitClock } from "../memory/commit-clock.js";
import { commitTogether } from "../memory/joint-commit.js";
import { NEVER } from "../memory/layout.js";
import { Writer } from "../memory/writer.js";
import { KeyError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { KEY_LIFESPAN_SECONDS } from "./key-expiry-clock.js";
import { SYSTEM_GRAPH } from "./system-graph.js";
import { findThreadGraphs, threadGraphs } from "./thread-graphs.js";

const MAX_KEYS = 100_000;
/** Properties of a key. */
const FINGERPRINT = "request";
const ANSWER = "answer";
/** Maximum log words of a change committed with its key: both must fit in one frame. */
const MAX_CHANGE_WORDS = 2 ** 21 - 2 ** 12;
/** Maximum wait of the log thread for a response to be recorded. */
const ANNOUNCED_MS = 5;

/** The first request with a key. */
export interface KnownRequest {
  /** Hash of the request, which a repetition must match. */
  readonly fingerprint: string;
  /** Recorded response; null: the request was interrupted, or is still running. */
  readonly answer: Uint8Array | null;
}

/** A change whose response is not recorded yet. */
interface Announced {
  readonly key: RequestKey;
  readonly ticket: number;
  readonly atMs: number;
}

const current = new AsyncLocalStorage<RequestKey>();
/** Announced changes of this thread, in the order of their tickets. */
let announced: Announced[] = [];
/** Number of running requests of this thread. */
let running = 0;

/**
 * Returns the key of a request; null if no change can be committed with it.
 * @param id id of the key, at most 131,000 bytes
 * @param changesGraphs whether the request is known to change graphs
 * @param maxKeys maximum number of stored keys
 */
export function openRequestKey(
  id: string,
  fingerprint: string,
  changesGraphs: boolean,
  maxKeys = MAX_KEYS,
): RequestKey | null {
  const access = findThreadGraphs()?.requests(changesGraphs) ?? null;
  if (access === null) return null;
  access.store.writer.enlarge();
  return access.store.isReadonly ? null : new RequestKey(access, id, fingerprint, maxKeys);
}

export class RequestKey {
  readonly fingerprint: string;
  readonly #access: GraphAccess;
  readonly #id: string;
  readonly #maxKeys: number;
  #isRunning = false;
  #isRecorded = false;
  #isAnnounced = false;
  #isOver = false;

  constructor(access: GraphAccess, id: string, fingerprint: string, maxKeys: number) {
    this.#access = access;
    this.#id = id;
    this.fingerprint = fingerprint;
    this.#maxKeys = maxKeys;
  }

  /** Returns the first request with this key, or null. */
  find(): KnownRequest | null {
    const { writer, ids, vertices, properties } = this.#access.store;
    writer.beginReading();
    try {
      const vertex = ids.find(this.#id);
      if (vertex === 0 || !vertices.isReal(vertex)) return null;
      const all = properties.all(vertex);
      const response = all[ANSWER];
      return {
        fingerprint: String(all[FINGERPRINT]),
        answer: response instanceof Uint8Array ? response : null,
      };
    } finally {
      writer.end();
    }
  }

  /** Flush that makes the result of `find` durable; 0: responses need not wait. */
  get flush(): number {
    const clock = this.#clock;
    return clock?.gatesResponses === true ? clock.nextFlush : 0;
  }

  /** Runs a request: its first change commits with the key. */
  run<T>(call: () => T): T {
    if (!this.#isRunning) running++;
    this.#isRunning = true;
    Writer.commitWithRequest = commitWithRequest;
    return current.run(this, call);
  }

  /**
   * Ends the request.
   * @param response response to record for repetitions; null: unknown
   */
  end(response: Uint8Array | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      if (this.#isRecorded && response !== null) this.#recordResponse(response);
    } finally {
      this.#endAnnouncement();
      if (this.#isRunning && --running === 0) {
        Writer.commitWithRequest = null;
        // Without the store, promises are cheaper until the next request.
        current.disable();
      }
    }
  }

  /** Commits mutations together with the key, unless the key is recorded already. */
  commitWith(writers: readonly Writer[]): boolean {
    if (this.#isRecorded || this.#isOver) return false;
    if (!writers.some(({ hasChanged }) => hasChanged) || !writers.every(isReplicated)) return false;
    const words = writers.reduce((sum, { loggedWords }) => sum + loggedWords, 0);
    if (words > MAX_CHANGE_WORDS) return false;
    const { batchWriter, holdsSeveral } = Writer;
    Writer.batchWriter = null;
    Writer.holdsSeveral = true;
    try {
      this.#commit(writers);
    } finally {
      Writer.batchWriter = batchWriter;
      Writer.holdsSeveral = holdsSeveral;
    }
    return true;
  }

  get #clock(): CommitClock | null {
    return this.#access.store.memory.log?.clock ?? null;
  }

  #commit(writers: readonly Writer[]): void {
    const { writer } = this.#access.store;
    writer.begin();
    try {
      this.#record();
      this.#announce();
      commitTogether([...writers, writer], MAX_CHANGE_WORDS + 2 ** 11);
      this.#isRecorded = true;
    } catch (error) {
      writer.rollback();
      this.#endAnnouncement();
      throw error;
    } finally {
      writer.end();
    }
  }

  /** @throws KeyError if another request with the key has recorded it meanwhile */
  #record(): void {
    const { store } = this.#access;
    if (store.order >= this.#maxKeys) removeOldest(store);
    const properties = { [FINGERPRINT]: this.fingerprint };
    const options = { lifespan: KEY_LIFESPAN_SECONDS, properties };
    if (createVertex(this.#access, this.#id, options) === 1) return;
    throw new KeyError("another request with this Idempotency-Key has changed graphs");
  }

  #recordResponse(response: Uint8Array): void {
    try {
      setProperty(this.#access, this.#id, ANSWER, response);
    } catch {
      // Only a repetition is affected: it learns that the response is unknown.
    }
  }

  #announce(): void {
    const clock = this.#clock;
    if (clock === null) return;
    this.#isAnnounced = true;
    const now = performance.now();
    announced = announced.filter(({ atMs }) => now - atMs < ANNOUNCED_MS);
    announced.push({ key: this, ticket: (clock.lastTicket + 1) >>> 0, atMs: now });
    clock.announce(this.#access.store.writer.thread, announced[0]!.ticket);
  }

  #endAnnouncement(): void {
    if (!this.#isAnnounced) return;
    this.#isAnnounced = false;
    announced = announced.filter(({ key }) => key !== this);
    this.#clock?.answered(this.#access.store.writer.thread, announced[0]?.ticket ?? 0);
  }
}

function commitWithRequest(writers: readonly Writer[]): boolean {
  return current.getStore()?.commitWith(writers) === true;
}

/** Changes of local graphs cannot commit with a key: they are in another log. */
function isReplicated({ memory: { name } }: Writer): boolean {
  return name !== SYSTEM_GRAPH && threadGraphs().find(name)?.isLocal === false;
}

function removeOldest(store: GraphStore): void {
  const oldest = store.expiry.due(NEVER);
  if (oldest === 0) return;
  apply(store, begin(store, OperationCode.DeleteVertex, oldest));
}
