// The data of the graph benchmarks: arcs whose ends follow power laws, as in real networks. Out of
// a million vertices with ten million arcs one has 10,000 outarcs and another 100,000 inarcs, half
// of them have less than eight. The same seed gives the same arcs.
//
// In a file: four columns of u32, each as long as there are arcs: initial, terminal, relationship,
// value. Vertices are numbers from 0; `idBytesOf` gives their ids.

import { readFileSync, writeFileSync } from "node:fs";

export const RELATIONSHIPS = 8;
/** Values are below this. */
export const VALUES = 1000;
export const ARCS_A_VERTEX = 10;
const SEED = 0x5eed;
/** How steeply degrees fall: the first p of the vertices have p^(1/steepness) of the arcs. */
const OUT_STEEPNESS = 2;
const IN_STEEPNESS = 3;
/** Numbers of vertices are spread by these, so that those with most arcs do not lie together. */
const OUT_SPREAD = 1_000_003;
const IN_SPREAD = 7_368_787;

/** Arcs one after the other, without end; the same ends and relationship may come again. */
export class ArcSource {
  from = 0;
  to = 0;
  relationship = 0;
  value = 0;
  #vertices;
  #state = SEED;

  constructor(vertices) {
    this.#vertices = vertices;
  }

  /** Sets the members to those of the next arc. */
  next() {
    const vertices = this.#vertices;
    const from = Math.floor(vertices * this.#random() ** OUT_STEEPNESS);
    const to = Math.floor(vertices * this.#random() ** IN_STEEPNESS);
    this.from = (from * OUT_SPREAD) % vertices;
    this.to = (to * IN_SPREAD + 1) % vertices;
    this.relationship = Math.floor(this.#random() * RELATIONSHIPS);
    this.value = Math.floor(this.#random() * VALUES);
  }

  /** From 0 to below 1, evenly. */
  #random() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let x = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Writes `count` arcs into a file, no two of the same ends and relationship. */
export function writeArcs(file, count) {
  const source = new ArcSource(verticesOf(count));
  const known = new ArcSet(count, verticesOf(count));
  const columns = new Uint32Array(4 * count);
  for (let arc = 0; arc < count; ) {
    source.next();
    if (!known.add(source)) continue;
    columns[arc] = source.from;
    columns[count + arc] = source.to;
    columns[2 * count + arc] = source.relationship;
    columns[3 * count + arc] = source.value;
    arc++;
  }
  writeFileSync(file, columns);
}

export function readArcs(file) {
  const bytes = readFileSync(file);
  const count = bytes.length / 16;
  const column = (at) => new Uint32Array(bytes.buffer, bytes.byteOffset + 4 * at * count, count);
  return {
    count,
    vertices: verticesOf(count),
    from: column(0),
    to: column(1),
    relationship: column(2),
    value: column(3),
  };
}

export function verticesOf(arcs) {
  return Math.ceil(arcs / ARCS_A_VERTEX);
}

/** Bytes of the ids, one after the other, each `ID_LENGTH` long. */
export function idBytesOf(vertices) {
  const bytes = Buffer.alloc(vertices * ID_LENGTH);
  for (let vertex = 0; vertex < vertices; vertex++) {
    bytes.latin1Write(`v${String(vertex).padStart(ID_LENGTH - 1, "0")}`, vertex * ID_LENGTH);
  }
  return bytes;
}

/** A string that nobody has seen before, as ids are that come in requests. */
export function freshId(idBytes, vertex) {
  return idBytes.latin1Slice(vertex * ID_LENGTH, (vertex + 1) * ID_LENGTH);
}

export const ID_LENGTH = 11;

/** Which arcs there are: open addressing, because a Set ends at 2^24 entries. */
class ArcSet {
  #slots;
  #mask;
  #vertices;

  constructor(count, vertices) {
    const size = 2 ** Math.ceil(Math.log2(2 * count));
    this.#slots = new Float64Array(size).fill(-1);
    this.#mask = size - 1;
    this.#vertices = vertices;
  }

  /** False when it was there. */
  add({ from, to, relationship }) {
    const key = (from * RELATIONSHIPS + relationship) * this.#vertices + to;
    let hash = Math.imul(from, 0x9e3779b1) ^ Math.imul(to, 0x85ebca6b) ^ (relationship << 13);
    hash ^= hash >>> 15;
    let slot = Math.imul(hash, 0xc2b2ae35) >>> 7;
    for (slot &= this.#mask; this.#slots[slot] !== -1; slot = (slot + 1) & this.#mask) {
      if (this.#slots[slot] === key) return false;
    }
    this.#slots[slot] = key;
    return true;
  }
}
