// FIFO queues of the requests of this thread that wait for the same vertex; only the first one
// competes with other threads.

import type { GraphStore } from "../store/graph-store.js";

interface Turn {
  readonly id: string;
}

class LockQueues {
  readonly #waiting = new Map<string, Turn[]>();

  /** Joins the queue of a vertex. */
  join(id: string): Turn {
    const turn = { id };
    const line = this.#waiting.get(id);
    if (line === undefined) this.#waiting.set(id, [turn]);
    else line.push(turn);
    return turn;
  }

  isNext(turn: Turn): boolean {
    return this.#waiting.get(turn.id)?.[0] === turn;
  }

  /** Leaves the queue; true if others wait. */
  leave(turn: Turn): boolean {
    const rest = (this.#waiting.get(turn.id) ?? []).filter((other) => other !== turn);
    if (rest.length === 0) this.#waiting.delete(turn.id);
    else this.#waiting.set(turn.id, rest);
    return rest.length > 0;
  }
}

const queues = new WeakMap<GraphStore, LockQueues>();

/** Returns the queues of this thread for a graph. */
export function getLockQueues(store: GraphStore): LockQueues {
  const known = queues.get(store);
  if (known !== undefined) return known;
  const made = new LockQueues();
  queues.set(store, made);
  return made;
}
