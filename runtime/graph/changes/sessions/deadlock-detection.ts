// Deadlock detection: finds cycles in the wait-for graph of sessions across threads. Each session
// records in shared memory what it waits for before it sleeps, so the session that closes a cycle
// sees all of it.

import { AccessError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { threadOfSession, type WaitEntry } from "../../store/lock-table.js";

/** Wait of a session. Every wait must be ended by `end`. */
export class LockWait {
  readonly #store: GraphStore;
  readonly #session: number;
  /** Its entry in the `LockTable`, 0 before the first wait. */
  #entry = 0;
  #vertex = 0;
  #owner = 0;

  constructor(store: GraphStore, session: number) {
    this.#store = store;
    this.#session = session;
  }

  /**
   * Records what the session waits for. Call without the mutex.
   * @throws AccessError if the holder waits, directly or indirectly, for this session
   */
  begin(vertex: number): void {
    const { writer, locks } = this.#store;
    const owner = locks.ownerOf(vertex);
    // An unchanged wait is already recorded; later sessions detect cycles with it.
    if (this.#entry !== 0 && vertex === this.#vertex && owner === this.#owner) return;
    this.#vertex = vertex;
    this.#owner = owner;
    writer.mutate(() => {
      if (this.#entry !== 0) locks.removeWait(this.#entry);
      this.#entry = 0;
      this.#rejectDeadlock(vertex);
      this.#entry = locks.addWait(this.#session, vertex);
    });
  }

  end(): void {
    if (this.#entry === 0) return;
    const { writer, locks } = this.#store;
    writer.mutate(() => locks.removeWait(this.#entry));
    this.#entry = 0;
  }

  #rejectDeadlock(vertex: number): void {
    const { ids } = this.#store;
    const newWait = { session: this.#session, vertex };
    const path = findCycle(this.#store, newWait);
    if (path === null) return;
    const circle = [newWait, ...path];
    const steps = circle.map(
      (wait) => `session ${wait.session} waits for '${ids.idOf(wait.vertex)}'`,
    );
    const threads = circle.map((wait) => threadOfSession(wait.session)).join(", ");
    throw new AccessError(
      `Deadlock: ${steps.join(", whose holder ")}, held by the first session (threads ` +
        `${threads}); lock vertices together: openVertices([a, b])`,
    );
  }
}

/** Returns the waits that lead from the holders of a vertex back to this session, or null. */
function findCycle({ locks }: GraphStore, newWait: WaitEntry): WaitEntry[] | null {
  const waits = locks.waits().filter((wait) => wait.session !== newWait.session);
  if (waits.length === 0) return null;
  const held = locks.entries();
  const seen = new Set<WaitEntry>();
  const pathFrom = (step: WaitEntry): WaitEntry[] | null => {
    // An upgrade of a read-only lock waits for all other holders.
    const holders = held
      .filter((lock) => lock.vertex === step.vertex && lock.session !== step.session)
      .map((lock) => lock.session);
    if (step !== newWait && holders.includes(newWait.session)) return [];
    for (const wait of waits) {
      if (seen.has(wait) || !holders.includes(wait.session)) continue;
      seen.add(wait);
      const rest = pathFrom(wait);
      if (rest !== null) return [wait, ...rest];
    }
    return null;
  };
  return pathFrom(newWait);
}
