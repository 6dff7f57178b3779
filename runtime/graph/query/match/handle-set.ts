// Set of vertex handles with constant-time clear: an open-addressing hash table whose slots are
// valid only with the current stamp, so one set serves vertex after vertex. A `Set` would allocate
// per handle and is limited to 16.7 million.

const FIRST_SLOTS = 64;
/** 2^32 divided by the golden ratio. */
const MULTIPLIER = 0x9e37_79b1;

export class HandleSet {
  #handles = new Uint32Array(FIRST_SLOTS);
  #stamps = new Uint32Array(FIRST_SLOTS);
  #shift = Math.clz32(FIRST_SLOTS) + 1;
  #stamp = 1;
  #size = 0;

  clear(): void {
    this.#size = 0;
    this.#stamp = (this.#stamp + 1) >>> 0;
    if (this.#stamp !== 0) return;
    this.#stamps.fill(0);
    this.#stamp = 1;
  }

  has(handle: number): boolean {
    return this.#stamps[this.#slotOf(handle)] === this.#stamp;
  }

  /** Adds a handle; returns true if it is new. */
  add(handle: number): boolean {
    const slot = this.#slotOf(handle);
    if (this.#stamps[slot] === this.#stamp) return false;
    this.#handles[slot] = handle;
    this.#stamps[slot] = this.#stamp;
    this.#size++;
    if (this.#size * 2 > this.#handles.length) this.#grow();
    return true;
  }

  /** Returns the slot of a handle, or the free slot to insert it at. */
  #slotOf(handle: number): number {
    const handles = this.#handles;
    const stamps = this.#stamps;
    const stamp = this.#stamp;
    const last = handles.length - 1;
    let slot = Math.imul(handle, MULTIPLIER) >>> this.#shift;
    while (stamps[slot] === stamp && handles[slot] !== handle) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const handles = this.#handles;
    const stamps = this.#stamps;
    const stamp = this.#stamp;
    this.#handles = new Uint32Array(handles.length * 2);
    this.#stamps = new Uint32Array(handles.length * 2);
    this.#shift--;
    for (let old = 0; old < handles.length; old++) {
      if (stamps[old] !== stamp) continue;
      const slot = this.#slotOf(handles[old]!);
      this.#handles[slot] = handles[old]!;
      this.#stamps[slot] = stamp;
    }
  }
}
