// Which sessions of a thread wait for which vertices without blocking it, to tell those that wait
// for each other: none of them would ever go on. What other threads wait for is not known here;
// there the time limit decides.

import { AccessError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";

interface Wait {
  readonly session: number;
  vertex: number;
}

class Waits {
  readonly #store: GraphStore;
  readonly #waits = new Set<Wait>();

  constructor(store: GraphStore) {
    this.#store = store;
  }

  begin(session: number): Wait {
    const wait = { session, vertex: 0 };
    this.#waits.add(wait);
    return wait;
  }

  end(wait: Wait): void {
    this.#waits.delete(wait);
  }

  /**
   * Says what a session waits for.
   * @throws AccessError who holds that waits, in the end, for what the session holds
   */
  waitFor(wait: Wait, vertex: number): void {
    wait.vertex = vertex;
    const path = this.#pathTo(wait.session, vertex, new Set());
    if (path === null) return;
    const { ids } = this.#store;
    const steps = [wait, ...path].map(
      (step) => `session ${step.session} waits for '${ids.idOf(step.vertex)}'`,
    );
    throw new AccessError(`Deadlock: ${steps.join(", whose holder ")}, which the first one holds`);
  }

  /** The waits that lead from who holds a vertex to a session; null if none do. */
  #pathTo(session: number, vertex: number, seen: Set<Wait>): Wait[] | null {
    const owner = this.#store.locks.ownerOf(vertex);
    if (owner === 0) return null;
    if (owner === session) return [];
    for (const wait of this.#waits) {
      if (wait.session !== owner || wait.vertex === 0 || seen.has(wait)) continue;
      seen.add(wait);
      const rest = this.#pathTo(session, wait.vertex, seen);
      if (rest !== null) return [wait, ...rest];
    }
    return null;
  }
}

const waits = new WeakMap<GraphStore, Waits>();

/** Those of this thread for the vertices of a graph. */
export function waitsOf(store: GraphStore): Waits {
  const known = waits.get(store);
  if (known !== undefined) return known;
  const made = new Waits(store);
  waits.set(store, made);
  return made;
}
