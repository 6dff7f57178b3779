// Removes what has expired, in the one thread that keeps graphs. It must never keep others from
// writing for long: it takes the mutex for one vertex at a time, and lets its thread do something
// else after a few.

import { expire } from "../changes/expire.js";
import type { SessionView } from "../changes/session-view.js";
import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import type { GraphStore } from "../store/graph-store.js";
import { areEventsRunning } from "./event-control.js";

const TICK_MS = 250;
const BATCH = 256;
/** A vertex at which a defect shows must not keep the others from being looked at. */
const FAILED_RETRY_SECONDS = 60;

export class EventProcessor {
  readonly #store: GraphStore;
  readonly #session: SessionView;
  #timer: NodeJS.Timeout | null = null;

  constructor(store: GraphStore, session: SessionView) {
    this.#store = store;
    this.#session = session;
  }

  /** Removes what expires from now on, and what has expired before. Does not keep the thread. */
  start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * Removes some of what has expired, unless events are paused; returns how many events there were,
   * `BATCH` at most.
   */
  run(now: number): number {
    let events = 0;
    while (events < BATCH && areEventsRunning(this.#store)) {
      const vertex = this.#take(now);
      if (vertex === 0) break;
      events++;
      this.#expire(vertex, now);
    }
    return events;
  }

  #tick(): void {
    if (this.run(nowSeconds()) < BATCH) return;
    setImmediate(() => {
      if (this.#timer !== null) this.#tick();
    });
  }

  /** A vertex that is due, 0 if there is none. Most of the time that costs no mutex. */
  #take(now: number): number {
    const { expiry, writer } = this.#store;
    if (expiry.next > now) return 0;
    return writer.mutate(() => expiry.due(now));
  }

  #expire(vertex: number, now: number): void {
    const { ints } = this.#store.memory.header;
    Atomics.store(ints, Header.EventsRunning, 1);
    try {
      // It also schedules the vertex for what expires next, or to be tried again.
      const { isLocked } = expire(this.#store, this.#session, vertex, now);
      if (!isLocked) Atomics.add(ints, Header.EventsDone, 1);
    } catch (error) {
      this.#postpone(vertex, now + FAILED_RETRY_SECONDS);
      throw error;
    } finally {
      Atomics.store(ints, Header.EventsRunning, 0);
    }
  }

  #postpone(vertex: number, second: number): void {
    const { expiry, vertices, writer } = this.#store;
    writer.mutate(() => {
      if (!vertices.isUsed(vertex)) return;
      expiry.cancel(vertex);
      expiry.schedule(vertex, second);
    });
  }
}
