// Vertices held by a session, by handle. Most sessions hold one vertex at a time. It is stored
// outside of the map, because changing a map costs more than the rest of a lock.

/** @typeParam H record of a held vertex */
export class HeldVertices<H extends { readonly vertex: number }> {
  #one: H | null = null;
  #others: Map<number, H> | null = null;

  get size(): number {
    return (this.#one === null ? 0 : 1) + (this.#others?.size ?? 0);
  }

  get(vertex: number): H | undefined {
    if (this.#one?.vertex === vertex) return this.#one;
    return this.#others?.get(vertex);
  }

  /** Adds a vertex that is not held yet. */
  add(hold: H): void {
    if (this.#one === null) this.#one = hold;
    else {
      this.#others ??= new Map();
      this.#others.set(hold.vertex, hold);
    }
  }

  remove(hold: H): void {
    if (this.#one === hold) this.#one = null;
    else this.#others?.delete(hold.vertex);
  }

  all(): H[] {
    const others = this.#others?.values() ?? [];
    return this.#one === null ? [...others] : [this.#one, ...others];
  }
}
