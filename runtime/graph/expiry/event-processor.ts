// Removes what has expired, in the one thread that keeps graphs. It must never keep others from
// writing for long: it takes the mutex for one vertex at a time, and lets its thread do something
// else after a few.

import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { expire } from "../changes/expire.js";
import type { Access } from "../changes/session-view.js";
import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import type { GraphStore } from "../store/graph-store.js";
import { areEventsRunning } from "./event-control.js";

const TICK_MS = 250;
const BATCH = 256;
/** A vertex at which a defect shows must not keep the others from being looked at. */
const FAILED_RETRY_SECONDS = 60;

export class EventProcessor extends TimeSlicedTask {
  readonly #store: GraphStore;
  readonly #access: Access;

  constructor(access: Access) {
    super(TICK_MS);
    this.#store = access.store;
    this.#access = access;
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

  protected slice(): boolean {
    return this.run(nowSeconds()) === BATCH;
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
      const { isLocked } = expire(this.#access, vertex, now);
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
