// Data of the graph benchmarks: arcs whose degrees follow power laws, as in real networks. Of a
// million vertices with ten million arcs one has 10,000 outarcs and another 100,000 inarcs, and
// half have fewer than eight. The same seed gives the same arcs.
//
// File format: four columns of u32, one entry per arc: initial, terminal, relationship, value.
// Vertices are numbers from 0; `idBytesOf` returns their ids.

import { readFileSync, writeFileSync } from "node:fs";

export const RELATIONSHIPS = 8;
/** Number of possible values of an arc. */
export const VALUES = 1000;
export const ARCS_PER_VERTEX = 10;
const SEED = 0x5eed;
/**
 * Steepness of the degree distribution: the first p of the vertices have p^(1/steepness) of the
 * arcs.
 */
const OUT_STEEPNESS = 2;
const IN_STEEPNESS = 3;
/** Multipliers that scatter the vertices with the most arcs. */
const OUT_SPREAD = 1_000_003;
const IN_SPREAD = 7_368_787;

/** Infinite sequence of arcs; ends and relationship may repeat. */
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

  /** Advances to the next arc. */
  next() {
    const vertices = this.#vertices;
    const from = Math.floor(vertices * this.#random() ** OUT_STEEPNESS);
    const to = Math.floor(vertices * this.#random() ** IN_STEEPNESS);
    this.from = (from * OUT_SPREAD) % vertices;
    this.to = (to * IN_SPREAD + 1) % vertices;
    this.relationship = Math.floor(this.#random() * RELATIONSHIPS);
    this.value = Math.floor(this.#random() * VALUES);
  }

  /** Returns a uniform random number in [0, 1). */
  #random() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let x = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Writes `count` arcs to a file, distinct in ends and relationship. */
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
  return Math.ceil(arcs / ARCS_PER_VERTEX);
}

/** Returns the bytes of the ids, each `ID_LENGTH` long. */
export function idBytesOf(vertices) {
  const bytes = Buffer.alloc(vertices * ID_LENGTH);
  for (let vertex = 0; vertex < vertices; vertex++) {
    bytes.latin1Write(`v${String(vertex).padStart(ID_LENGTH - 1, "0")}`, vertex * ID_LENGTH);
  }
  return bytes;
}

/** Creates a new string, as ids from requests are. */
export function freshId(idBytes, vertex) {
  return idBytes.latin1Slice(vertex * ID_LENGTH, (vertex + 1) * ID_LENGTH);
}

export const ID_LENGTH = 11;

/** Set of arcs by open addressing, because a Set is limited to 2^24 entries. */
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

  /** Adds an arc; returns false if it is already there. */
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
