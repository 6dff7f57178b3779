// A set of vertex handles for queries that give each vertex once. Open addressing in one array; a
// `Set` would hold an entry object each and end at 16.7 million.

const FIRST_SLOTS = 64;

export class HandleSet {
  /** A power of two slots; 0 is free, because no vertex has it. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #count = 0;

  /** True if the handle was not there. */
  add(handle: number): boolean {
    const slots = this.#slots;
    const last = slots.length - 1;
    let at = Math.imul(handle, 0x9e37_79b1) >>> Math.clz32(last);
    for (; slots[at] !== 0; at = (at + 1) & last) if (slots[at] === handle) return false;
    slots[at] = handle;
    this.#count++;
    if (this.#count * 2 > slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#count = 0;
    for (const handle of old) if (handle !== 0) this.add(handle);
  }
}
