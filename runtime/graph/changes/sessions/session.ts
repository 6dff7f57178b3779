// Session: logical owner of vertex locks, either a request or the module-level code of a thread. It
// records what it holds; the locks themselves are in shared memory, where all threads see them and
// those of a dead thread are found. A session never waits while it writes.

import { nameUnit } from "../../memory/writer.js";
import { AccessError, LockedError } from "../../model/errors.js";
import { removeIfUnreferenced } from "../../operations/vertices.js";
import type { GraphStore } from "../../store/graph-store.js";
import { threadOfSession } from "../../store/lock-table.js";
import { readonlyError } from "../../store/readonly-error.js";
import type { LockDeadline, SessionView } from "../../store/session-view.js";
import { LockWait } from "./deadlock-detection.js";
import { HeldVertices } from "./held-vertices.js";

/** Maximum recursion depth of a lock. */
const MAX_RECURSION = 112;
/** A sleeping session checks again this often, in case the thread that should wake it has died. */
const SLEEP_MS = 100;

/** Serials wrap to a start value that skips the first ones: those live as long as their thread. */
const MAX_SERIAL = 0xff_ffff;
const FIRST_SERIAL_AGAIN = 0x1_0000;
let serial = 0;

/** A vertex as a `Vertex` has it open. */
export interface OpenedVertex {
  readonly vertex: number;
  readonly isWritable: boolean;
  /** 0: no longer accessible. */
  readonly count: number;
}

/** A vertex held by a session; all its handles share one record. */
export interface HeldVertex extends OpenedVertex {
  readonly session: Session;
  /** Its entry in the store's `LockTable`. */
  readonly entry: number;
  isWritable: boolean;
  /** Recursion depth; 0 after the final release. */
  count: number;
}

export class Session implements SessionView {
  readonly #store: GraphStore;
  readonly #holds = new HeldVertices<HeldVertex>();
  #id = 0;
  #readonlyHeld = 0;
  #hasEnded = false;
  /** Whether the session ends with a request, not with its thread. */
  readonly isOfRequest: boolean;
  /** Called when the session ends; null: nothing to call. */
  #listeners: Set<() => void> | null = null;

  constructor(store: GraphStore, isOfRequest = false) {
    this.#store = store;
    this.isOfRequest = isOfRequest;
  }

  /** Assigned on first use: most requests hold nothing. */
  get id(): number {
    if (this.#id === 0) {
      serial = serial === MAX_SERIAL ? FIRST_SERIAL_AGAIN : serial + 1;
      this.#id = ((this.#store.writer.thread << 24) | serial) >>> 0;
    }
    return this.#id;
  }

  get readonlyHeld(): number {
    return this.#readonlyHeld;
  }

  get writableHeld(): number {
    return this.#holds.size - this.#readonlyHeld;
  }

  /**
   * Rejects lock changes in a batch: a rollback could not undo them outside of the graph.
   * @throws AccessError in a batch
   */
  requireNoBatch(): void {
    if (!this.#store.writer.isWriting) return;
    const fix = "open them before it, or write properties with createVertex";
    throw new AccessError(`cannot open or close vertices in a ${nameUnit()}: ${fix}`);
  }

  /**
   * Checks whether a vertex can be locked now. Requires a mutation.
   * @returns true if another session must release it first
   * @throws AccessError if waiting would not help
   */
  isBlocked(vertex: number, isWritable: boolean): boolean {
    if (this.#hasEnded) throw new AccessError("request has ended and cannot hold vertices");
    if (isWritable && this.#store.isReadonly) throw readonlyError(this.#store);
    const hold = this.#holds.get(vertex);
    if (hold !== undefined) {
      if (hold.count >= MAX_RECURSION) {
        throw new AccessError(`Recursion limit reached for object: '${this.#idOf(vertex)}'`);
      }
      return isWritable && !hold.isWritable;
    }
    const { locks } = this.#store;
    return locks.ownerOf(vertex) !== 0 || (isWritable && locks.countOf(vertex) > 0);
  }

  /** Locks a vertex that is not blocked; call `accept` after the commit. Requires a mutation. */
  take(vertex: number, isWritable: boolean): HeldVertex {
    const hold = this.#holds.get(vertex);
    if (hold !== undefined) {
      this.#store.locks.addCount(hold.entry, 1);
      return hold;
    }
    const entry = this.#store.locks.add(this.id, vertex, isWritable);
    return { vertex, session: this, entry, isWritable, count: 0 };
  }

  /** Records a lock after the commit of the mutation that took it. */
  accept(hold: HeldVertex): HeldVertex {
    if (hold.count++ === 0) {
      this.#holds.add(hold);
      if (!hold.isWritable) this.#readonlyHeld++;
    }
    return hold;
  }

  /** Releases a vertex `times` times. */
  release(hold: HeldVertex, times = 1): void {
    this.requireNoBatch();
    const { writer, locks } = this.#store;
    if (this.#holds.get(hold.vertex) !== hold) throw new AccessError("Vertex not readable");
    const isLast = times === hold.count;
    writer.begin();
    try {
      locks.addCount(hold.entry, -times);
      // Not logged as an operation: on replicas, which have no locks, the vertex is already gone.
      if (isLast) removeIfUnreferenced(this.#store, hold.vertex);
      writer.commit();
    } catch (error) {
      writer.rollback();
      throw error;
    } finally {
      writer.end();
    }
    hold.count -= times;
    if (isLast) this.#forget(hold);
    locks.wakeWaiting();
  }

  /** Releases all locks; returns their number. */
  releaseAll(): number {
    let released = 0;
    for (const hold of this.#holds.all()) {
      released += hold.count;
      this.release(hold, hold.count);
    }
    return released;
  }

  /** Ends the session: releases all locks and rejects new ones. */
  end(): void {
    this.#hasEnded = true;
    this.releaseAll();
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = null;
  }

  /**
   * Calls a listener when the request of this session ends.
   * @returns a function that removes the listener
   * @throws AccessError if it has ended
   */
  onEnd(listener: () => void): () => void {
    if (this.#hasEnded) throw new AccessError("request has ended and cannot follow changes");
    if (!this.isOfRequest) return () => {};
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /**
   * Upgrades a read-only lock to a writable one.
   * @throws AccessError
   */
  escalate(hold: HeldVertex, giveUpAt: LockDeadline): void {
    this.requireNoBatch();
    if (hold.isWritable) throw new AccessError("Bad context (vertex is not readonly)");
    const { writer, locks } = this.#store;
    for (;;) {
      const seen = this.releases();
      const isDone = writer.mutate(() => {
        if (this.#store.isReadonly) throw readonlyError(this.#store);
        if (locks.countOf(hold.vertex) > 1) return false;
        locks.setWritable(hold.entry, true);
        return true;
      });
      if (isDone) break;
      if (hold.count > 1) throw this.#lockedError(hold.vertex);
      this.#awaitOthers(hold.vertex, seen, giveUpAt);
    }
    hold.isWritable = true;
    this.#readonlyHeld--;
  }

  /** Downgrades a writable lock to a read-only one; false if its count was above 1. */
  relax(hold: HeldVertex): boolean {
    this.requireNoBatch();
    if (!hold.isWritable) return true;
    if (hold.count > 1) {
      this.release(hold);
      return false;
    }
    const { writer, locks } = this.#store;
    writer.mutate(() => locks.setWritable(hold.entry, false));
    hold.isWritable = false;
    this.#readonlyHeld++;
    locks.wakeWaiting();
    return true;
  }

  /** Returns `Header.LockReleases`; read it before trying a lock. */
  releases(): number {
    return this.#store.locks.releases;
  }

  awaitRelease(vertex: number, seen: number, giveUpAt: LockDeadline): void {
    if (this.#holds.get(vertex) !== undefined) throw this.#lockedError(vertex);
    this.#awaitOthers(vertex, seen, giveUpAt);
  }

  #awaitOthers(vertex: number, seen: number, giveUpAt: LockDeadline): void {
    // While this blocks, no code of this thread can release it; in a batch, no thread can.
    if (this.#store.writer.isWriting || this.#isHeldHere(vertex)) throw this.#lockedError(vertex);
    const leftMs = this.#remainingMs(vertex, giveUpAt);
    const wait = new LockWait(this.#store, this.id);
    wait.begin(vertex);
    this.#store.locks.sleep(seen, leftMs);
    wait.end();
  }

  /** Non-blocking variant of `awaitRelease`. */
  async awaitReleaseAsync(vertex: number, seen: number, giveUpAt: LockDeadline): Promise<void> {
    if (this.#holds.get(vertex) !== undefined) throw this.#lockedError(vertex);
    const leftMs = this.#remainingMs(vertex, giveUpAt);
    const waiting = this.#store.locks.sleepAsync(seen, leftMs);
    if (waiting === null) return;
    // The pending wait alone would not keep the process alive.
    const alive = setInterval(() => {}, SLEEP_MS);
    await waiting.finally(() => clearInterval(alive));
  }

  #remainingMs(vertex: number, giveUpAt: LockDeadline): number {
    if (giveUpAt === 0) throw this.#lockedError(vertex);
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) throw new AccessError(`Acquisition timeout: '${this.#idOf(vertex)}'`);
    return Math.min(leftMs, SLEEP_MS);
  }

  /** Returns true if another session of this thread holds a vertex. */
  #isHeldHere(vertex: number): boolean {
    const { locks, writer } = this.#store;
    return locks
      .entries()
      .filter((lock) => lock.vertex === vertex && lock.session !== this.#id)
      .some((lock) => threadOfSession(lock.session) === writer.thread);
  }

  #lockedError(vertex: number): LockedError {
    return new LockedError(`Object is locked: '${this.#idOf(vertex)}'`);
  }

  #idOf(vertex: number): string {
    return this.#store.ids.idOf(vertex);
  }

  #forget(hold: HeldVertex): void {
    this.#holds.remove(hold);
    if (!hold.isWritable) this.#readonlyHeld--;
  }
}
