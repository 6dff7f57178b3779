// PageRank: the stationary probability of a random walk with restarts, anywhere or at given
// vertices (personalized). Also connected components.
//
// A round adds a share of each vertex's rank to the heads of its arcs. In a large graph the heads
// lie all over memory, so arcs are sorted by blocks of 65,536 tails and heads first: the ranks of
// two blocks fit into the caches of a CPU. An arc takes one word then, two places within blocks.

import { ValueError } from "../../model/errors.js";
import type { Deadline } from "../match/deadline.js";
import type { Projection } from "./projection.js";
import type { Steps } from "./steps.js";

export interface RankSettings {
  /** Damping factor: the probability of following an arc. */
  readonly damping: number;
  readonly rounds: number;
  /** Positions to restart at; empty for all. */
  readonly seeds: readonly number[];
}

/** Arcs sorted by the blocks of their ends. */
interface BlockedArcs {
  /** Number of blocks. */
  readonly blocks: number;
  /** By block of heads, then of tails: start of the arcs; one extra entry ends the last. */
  readonly starts: Uint32Array;
  /** Per arc: place of the tail in its block << 16 | place of the head in its block. */
  readonly ends: Uint32Array;
  readonly values: Float64Array | null;
}

/** Vertices between two steps, minus one. */
const STEP_MASK = 0xfff;
const BLOCK_SHIFT = 16;
const PLACE_MASK = (1 << BLOCK_SHIFT) - 1;

/**
 * Computes the rank by position; the sum is 1. Yields the finished share of the work.
 * @throws ValueError, SearchError after the deadline
 */
export function* rankVertices(
  projection: Projection,
  { damping, rounds, seeds }: RankSettings,
  deadline: Deadline,
): Steps<Float64Array> {
  if (!(typeof damping === "number" && damping >= 0 && damping < 1))
    throw new ValueError("damping must be from 0 to below 1");
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 10_000) {
    throw new ValueError("rounds must be an integer of 1 to 10,000");
  }
  const count = projection.vertices.length;
  const begin = new Float64Array(count).fill(seeds.length === 0 ? 1 / count : 0);
  for (const seed of seeds) begin[seed]! += 1 / seeds.length;
  const sums = weightSums(projection);
  const arcs = yield* sortByBlocks(projection);
  const shares = new Float64Array(count);
  let rank = begin.slice();
  let next = new Float64Array(count);
  for (let round = 0; round < rounds; round++) {
    next.fill(0);
    const lost = divide(rank, sums, shares);
    for (let headBlock = 0, cell = 0; headBlock < arcs.blocks; headBlock++) {
      for (let tailBlock = 0; tailBlock < arcs.blocks; tailBlock++, cell++) {
        follow(arcs, cell, shares, tailBlock << BLOCK_SHIFT, next, headBlock << BLOCK_SHIFT);
      }
      deadline.spend(count / arcs.blocks + arcs.starts[cell]! - arcs.starts[cell - arcs.blocks]!);
      yield (round + headBlock / arcs.blocks) / rounds;
    }
    const anew = 1 - damping + damping * lost;
    for (let place = 0; place < count; place++) {
      next[place] = damping * next[place]! + anew * begin[place]!;
    }
    [rank, next] = [next, rank];
  }
  return rank;
}

/** Divides each rank among the arcs; returns the ranks of vertices without one, which restart. */
function divide(rank: Float64Array, sums: Float64Array, shares: Float64Array): number {
  let lost = 0;
  for (let place = 0; place < rank.length; place++) {
    const sum = sums[place]!;
    if (sum === 0) lost += rank[place]!;
    shares[place] = sum === 0 ? 0 : rank[place]! / sum;
  }
  return lost;
}

/** Adds the shares of the tails of a cell's arcs to their heads. */
function follow(
  { starts, ends, values }: BlockedArcs,
  cell: number,
  shares: Float64Array,
  firstTail: number,
  next: Float64Array,
  firstHead: number,
): void {
  const end = starts[cell + 1]!;
  for (let arc = starts[cell]!; arc < end; arc++) {
    const places = ends[arc]!;
    const share = shares[firstTail + (places >>> BLOCK_SHIFT)]!;
    const head = firstHead + (places & PLACE_MASK);
    next[head]! += values === null ? share : share * values[arc]!;
  }
}

function* sortByBlocks({ vertices, starts: from, heads, values }: Projection): Steps<BlockedArcs> {
  const blocks = Math.max(1, Math.ceil(vertices.length / (PLACE_MASK + 1)));
  const starts = new Uint32Array(blocks * blocks + 1);
  const cellOf = (tail: number, arc: number): number =>
    (heads[arc]! >>> BLOCK_SHIFT) * blocks + (tail >>> BLOCK_SHIFT);
  for (let tail = 0; tail < vertices.length; tail++) {
    for (let arc = from[tail]!; arc < from[tail + 1]!; arc++) starts[cellOf(tail, arc) + 1]!++;
    if ((tail & STEP_MASK) === 0) yield 0;
  }
  for (let cell = 0; cell < blocks * blocks; cell++) starts[cell + 1]! += starts[cell]!;
  const at = starts.slice();
  const arcs = from[vertices.length]!;
  const ends = new Uint32Array(arcs);
  const sorted = values === null ? null : new Float64Array(arcs);
  for (let tail = 0; tail < vertices.length; tail++) {
    for (let arc = from[tail]!; arc < from[tail + 1]!; arc++) {
      const place = at[cellOf(tail, arc)]!++;
      ends[place] = ((tail & PLACE_MASK) << BLOCK_SHIFT) | (heads[arc]! & PLACE_MASK);
      if (sorted !== null) sorted[place] = values![arc]!;
    }
    if ((tail & STEP_MASK) === 0) yield 0;
  }
  return { blocks, starts, ends, values: sorted };
}

function weightSums({ vertices, starts, values }: Projection): Float64Array {
  const sums = new Float64Array(vertices.length);
  for (let place = 0; place < vertices.length; place++) {
    const [from, end] = [starts[place]!, starts[place + 1]!];
    if (values === null) sums[place] = end - from;
    else for (let arc = from; arc < end; arc++) sums[place]! += values[arc]!;
  }
  return sums;
}

/** Computes by position the lowest position in its component, ignoring arc directions. */
export function* joinComponents({
  vertices,
  starts,
  heads,
}: Pick<Projection, "vertices" | "starts" | "heads">): Steps<Uint32Array> {
  const roots = Uint32Array.from(vertices, (_, place) => place);
  const rootOf = (place: number): number => {
    let root = place;
    while (roots[root] !== root) {
      roots[root] = roots[roots[root]!]!;
      root = roots[root]!;
    }
    return root;
  };
  for (let place = 0; place < vertices.length; place++) {
    for (let arc = starts[place]!; arc < starts[place + 1]!; arc++) {
      const [root, otherRoot] = [rootOf(place), rootOf(heads[arc]!)];
      if (root < otherRoot) roots[otherRoot] = root;
      else roots[root] = otherRoot;
    }
    if ((place & STEP_MASK) === 0) yield place / vertices.length;
  }
  return roots.map((_, place) => rootOf(place));
}
