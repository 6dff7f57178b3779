// A logical owner of vertex locks: a request, or the code at module level of a thread. It knows
// which vertices it holds, and how; the locks themselves lie in shared memory, where all threads
// see them and where those of a dead thread are found. It never waits while it writes.

import type { LockDeadline, SessionView } from "../changes/session-view.js";
import { AccessError, LockedError } from "../model/errors.js";
import { removeIfUnreferenced } from "../operations/vertices.js";
import type { GraphStore } from "../store/graph-store.js";
import { threadOfSession } from "../store/lock-table.js";
import { LockWait } from "./deadlock-detection.js";
import { HeldVertices } from "./held-vertices.js";

/** How often one session may hold one vertex. */
const MAX_RECURSION = 112;
/** A sleeper looks for itself this often, in case who would wake it has died. */
const SLEEP_MS = 100;

/** Ids are given in a circle that leaves out the first ones: those live as long as their thread. */
const MAX_SERIAL = 0xff_ffff;
const FIRST_SERIAL_AGAIN = 0x1_0000;
let serial = 0;

/** A vertex that a session holds; all its handles share one. */
export interface HeldVertex {
  readonly vertex: number;
  readonly session: Session;
  /** Its place in the store's `LockTable`. */
  readonly entry: number;
  isWritable: boolean;
  /** How often it is held; 0 once it was released for good. */
  count: number;
}

export class Session implements SessionView {
  readonly #store: GraphStore;
  readonly #holds = new HeldVertices<HeldVertex>();
  #id = 0;
  #readonlyHeld = 0;
  #isOver = false;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Given when it is first needed: most requests hold nothing. */
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
   * What it holds is known outside of the graph, too, where nothing is undone.
   * @throws AccessError in a batch
   */
  refuseInBatch(): void {
    if (!this.#store.writer.isWriting) return;
    throw new AccessError("A batch neither opens nor closes vertices: open them before it");
  }

  /**
   * In a mutation: why a vertex cannot be held now.
   * @returns true if somebody must release it first
   * @throws AccessError where waiting would not help
   */
  isBlocked(vertex: number, isWritable: boolean): boolean {
    if (this.#isOver) throw new AccessError("the request is over, it can hold no vertices");
    if (isWritable && this.#store.isReadonly) throw new AccessError("Graph is readonly");
    const own = this.#holds.get(vertex);
    if (own !== undefined) {
      if (own.count >= MAX_RECURSION) {
        throw new AccessError(`Recursion limit reached for object: '${this.#idOf(vertex)}'`);
      }
      return isWritable && !own.isWritable;
    }
    const { locks } = this.#store;
    return locks.ownerOf(vertex) !== 0 || (isWritable && locks.countOf(vertex) > 0);
  }

  /** In a mutation: holds a vertex that is not blocked; `accept` it when that is committed. */
  take(vertex: number, isWritable: boolean): HeldVertex {
    const own = this.#holds.get(vertex);
    if (own !== undefined) {
      this.#store.locks.addCount(own.entry, 1);
      return own;
    }
    const entry = this.#store.locks.add(this.id, vertex, isWritable);
    return { vertex, session: this, entry, isWritable, count: 0 };
  }

  /** After the mutation that took it. */
  accept(hold: HeldVertex): HeldVertex {
    if (hold.count++ === 0) {
      this.#holds.add(hold);
      if (!hold.isWritable) this.#readonlyHeld++;
    }
    return hold;
  }

  /** Releases a vertex once, or as often as it is held. */
  release(hold: HeldVertex, times = 1): void {
    this.refuseInBatch();
    const { writer, locks } = this.#store;
    if (this.#holds.get(hold.vertex) !== hold) throw new AccessError("Vertex not readable");
    const isLast = times === hold.count;
    writer.begin();
    try {
      locks.addCount(hold.entry, -times);
      // That is no operation: a virtual vertex that nobody holds counted as gone before.
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

  /** Releases all; returns how many locks there were. */
  releaseAll(): number {
    let released = 0;
    for (const hold of this.#holds.all()) {
      released += hold.count;
      this.release(hold, hold.count);
    }
    return released;
  }

  /** Releases all, for good: whatever goes on in its name can hold nothing any more. */
  end(): void {
    this.#isOver = true;
    this.releaseAll();
  }

  /**
   * Makes a vertex that is held readonly writable.
   * @throws AccessError
   */
  escalate(hold: HeldVertex, giveUpAt: LockDeadline): void {
    this.refuseInBatch();
    if (hold.isWritable) throw new AccessError("Bad context (vertex is not readonly)");
    const { writer, locks } = this.#store;
    for (;;) {
      const seen = this.releases();
      const isDone = writer.mutate(() => {
        if (this.#store.isReadonly) throw new AccessError("Graph is readonly");
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

  /** Makes a vertex that is held writable readonly; false if it is held more than once. */
  relax(hold: HeldVertex): boolean {
    this.refuseInBatch();
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

  /** `Header.LockReleases`, to be read before a lock is tried. */
  releases(): number {
    return this.#store.locks.releases;
  }

  awaitRelease(vertex: number, seen: number, giveUpAt: LockDeadline): void {
    if (this.#holds.get(vertex) !== undefined) throw this.#lockedError(vertex);
    this.#awaitOthers(vertex, seen, giveUpAt);
  }

  #awaitOthers(vertex: number, seen: number, giveUpAt: LockDeadline): void {
    // Nobody on this thread can release anything before this returns; in a batch, nobody at all.
    if (this.#store.writer.isWriting || this.#isHeldHere(vertex)) throw this.#lockedError(vertex);
    const leftMs = this.#leftMs(vertex, giveUpAt);
    const wait = new LockWait(this.#store, this.id);
    wait.begin(vertex);
    this.#store.locks.sleep(seen, leftMs);
    wait.end();
  }

  /** The same without blocking the thread. */
  async awaitReleaseAsync(vertex: number, seen: number, giveUpAt: LockDeadline): Promise<void> {
    if (this.#holds.get(vertex) !== undefined) throw this.#lockedError(vertex);
    const leftMs = this.#leftMs(vertex, giveUpAt);
    const waiting = this.#store.locks.sleepAsync(seen, leftMs);
    if (waiting === null) return;
    // By itself the wait would not keep the process alive.
    const alive = setInterval(() => {}, SLEEP_MS);
    await waiting.finally(() => clearInterval(alive));
  }

  #leftMs(vertex: number, giveUpAt: LockDeadline): number {
    if (giveUpAt === 0) throw this.#lockedError(vertex);
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) throw new AccessError(`Acquisition timeout: '${this.#idOf(vertex)}'`);
    return Math.min(leftMs, SLEEP_MS);
  }

  /** True if another session of this thread holds a vertex. */
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
