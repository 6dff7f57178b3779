// Prefetches the words that a change or copy of several vertices reads, so that their cache misses
// overlap: in a large graph these are most of the cost.

import { ARC_WORDS, RECORD_WORDS, SEQUENCE_WORDS, SIDE_WORDS, Side } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";

/** Vertices that are read together. */
export const MAX_PREFETCHED = 64;
const MAX_HEADS = 256;
/** Maximum arcs of a vertex that is prefetched, which excludes hubs. */
const MAX_ARCS = 32;
const heads = new Uint32Array(MAX_HEADS);
/** The compiler would eliminate reads whose results are not stored. */
const SINK = new Uint32Array(1);

type Handles = ArrayLike<number>;

/** For a removal: heads list the arcs. Requires the mutex. */
export function prefetchRemovals(store: GraphStore, handles: Handles, start: number): void {
  const count = readArcs(store, handles, start);
  SINK[0] = store.inArcs.prefetchEach(heads, count, 0);
}

/** For a copy, which has the ids of heads. Requires the mutex. */
export function prefetchCopies(store: GraphStore, handles: Handles, start: number): void {
  const count = readArcs(store, handles, start);
  const { record, ids } = store.memory;
  let seen = 0;
  for (let head = 0; head < count; head++) {
    heads[head] = record.words[heads[head]! * RECORD_WORDS]!;
  }
  for (let head = 0; head < count; head++) seen ^= ids.words[heads[head]!]!;
  SINK[0] = seen;
}

/** Reads the vertices from index `start` on and their arcs; returns the number of heads. */
function readArcs(store: GraphStore, handles: Handles, start: number): number {
  const end = Math.min(start + MAX_PREFETCHED, handles.length);
  const { out, in: into, record, sequence, meta, ids, outArcs } = store.memory;
  let seen = 0;
  for (let position = start; position < end; position++) {
    const vertex = handles[position]!;
    seen ^=
      out.words[vertex * SIDE_WORDS]! ^
      into.words[vertex * SIDE_WORDS]! ^
      record.words[vertex * RECORD_WORDS]! ^
      sequence.words[vertex * SEQUENCE_WORDS]! ^
      meta.words[vertex]!;
  }
  let count = 0;
  for (let position = start; position < end; position++) {
    const vertex = handles[position]!;
    seen ^= ids.words[record.words[vertex * RECORD_WORDS]!]!;
    const side = vertex * SIDE_WORDS;
    const run = out.words[side + Side.Pointer]!;
    if (run === 0) continue;
    const arcs = Math.min(MAX_ARCS, MAX_HEADS - count, out.words[side + Side.Degree]!);
    for (let arc = 0; arc < arcs; arc++) heads[count++] = outArcs.words[run + arc * ARC_WORDS]!;
  }
  SINK[0] = seen;
  return count;
}
