// Stored or configured graphs that failed to open, with the reasons.

import type { UnloadableGraph } from "../builtin/server-view.js";

export class UnloadableGraphs {
  readonly #reasons = new Map<string, string>();
  readonly #changed: (all: readonly UnloadableGraph[]) => void;

  /** @param changed receives all of them after each change */
  constructor(changed: (all: readonly UnloadableGraph[]) => void) {
    this.#changed = changed;
  }

  note(name: string, reason: string): void {
    this.#reasons.set(name, reason);
    this.#changed(this.all());
  }

  /** Forgets a graph that is usable again. */
  forget(name: string): void {
    if (this.#reasons.delete(name)) this.#changed(this.all());
  }

  /** Sorted by name. */
  all(): UnloadableGraph[] {
    const all = [...this.#reasons].map(([name, reason]) => ({ name, reason }));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
