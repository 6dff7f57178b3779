// Why graphs cannot be used that are stored or configured.

import type { UnloadableGraph } from "../builtin/server-view.js";

export class UnloadableGraphs {
  readonly #reasons = new Map<string, string>();
  readonly #changed: (all: readonly UnloadableGraph[]) => void;

  /** @param changed is told of all after each change */
  constructor(changed: (all: readonly UnloadableGraph[]) => void) {
    this.#changed = changed;
  }

  note(name: string, reason: string): void {
    this.#reasons.set(name, reason);
    this.#changed(this.all());
  }

  /** It can be used now. */
  forget(name: string): void {
    if (this.#reasons.delete(name)) this.#changed(this.all());
  }

  /** Sorted by name. */
  all(): UnloadableGraph[] {
    const all = [...this.#reasons].map(([name, reason]) => ({ name, reason }));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
