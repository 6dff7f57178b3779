// Event processor: removes expired vertices and arcs in the interconnect thread. It takes the mutex
// for one vertex at a time and yields its thread after a batch, so it never blocks writers for
// long.

import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { expire } from "../changes/expire.js";
import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { areEventsRunning } from "../store/event-switches.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Access } from "../store/session-view.js";
import { KeyExpiryClock } from "./key-expiry-clock.js";
import { REQUESTS_GRAPH } from "./system-graph.js";

const TICK_MS = 250;
const BATCH = 256;
/** Delay after an error, so that one faulty vertex does not block the others. */
const FAILED_RETRY_SECONDS = 60;

export class EventProcessor extends TimeSlicedTask {
  readonly #store: GraphStore;
  readonly #access: Access;
  readonly #keyClock: KeyExpiryClock | null;

  constructor(access: Access) {
    super(TICK_MS);
    this.#store = access.store;
    this.#access = access;
    this.#keyClock = access.store.name === REQUESTS_GRAPH ? new KeyExpiryClock() : null;
  }

  /** Handles due events unless suspended; returns their number, at most `BATCH`. */
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
    // Another instance, with another system clock, creates the keys of a replica.
    if (!areEventsRunning(this.#store)) this.#keyClock?.reset();
    const now = nowSeconds();
    return this.run(this.#keyClock?.read(now) ?? now) === BATCH;
  }

  /** Returns a vertex that is due, or 0; takes the mutex only if one seems due. */
  #take(now: number): number {
    const { expiry, writer } = this.#store;
    if (expiry.next > now) return 0;
    return writer.mutate(() => expiry.due(now));
  }

  #expire(vertex: number, now: number): void {
    const { ints } = this.#store.memory.header;
    Atomics.store(ints, Header.EventsRunning, 1);
    try {
      // Also reschedules the vertex, for its next expiry or a retry.
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
