// PageRank: the stationary probability of a random walk with restarts, anywhere or at given
// vertices (personalized). Also connected components.

import { ValueError } from "../../model/errors.js";
import type { Deadline } from "../match/deadline.js";
import type { Projection } from "./projection.js";

export interface RankSettings {
  /** Damping factor: the probability of following an arc. */
  readonly damping: number;
  readonly rounds: number;
  /** Positions to restart at; empty for all. */
  readonly seeds: readonly number[];
}

/**
 * Returns the rank by position; the sum is 1.
 * @throws ValueError, SearchError after the deadline
 */
export function pageRank(
  { vertices, starts, heads, values }: Projection,
  { damping, rounds, seeds }: RankSettings,
  deadline: Deadline,
): Float64Array {
  if (!(typeof damping === "number" && damping >= 0 && damping < 1))
    throw new ValueError("damping must be from 0 to below 1");
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 10_000) {
    throw new ValueError("rounds must be an integer of 1 to 10,000");
  }
  const count = vertices.length;
  const begin = new Float64Array(count).fill(seeds.length === 0 ? 1 / count : 0);
  for (const seed of seeds) begin[seed]! += 1 / seeds.length;
  const sums = weightSums({ starts, values, count });
  let rank = begin.slice();
  let next = new Float64Array(count);
  for (let round = 0; round < rounds; round++) {
    deadline.spend(heads.length + count);
    next.fill(0);
    // A walk without an arc to follow restarts.
    let lost = 0;
    for (let place = 0; place < count; place++) {
      const sum = sums[place]!;
      if (sum === 0) {
        lost += rank[place]!;
        continue;
      }
      const share = rank[place]! / sum;
      const end = starts[place + 1]!;
      if (values === null) {
        for (let arc = starts[place]!; arc < end; arc++) next[heads[arc]!]! += share;
      } else {
        for (let arc = starts[place]!; arc < end; arc++) next[heads[arc]!]! += share * values[arc]!;
      }
    }
    const anew = 1 - damping + damping * lost;
    for (let place = 0; place < count; place++) {
      next[place] = damping * next[place]! + anew * begin[place]!;
    }
    [rank, next] = [next, rank];
  }
  return rank;
}

function weightSums({
  starts,
  values,
  count,
}: {
  readonly starts: Uint32Array;
  readonly values: Float64Array | null;
  readonly count: number;
}): Float64Array {
  const sums = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const [from, end] = [starts[place]!, starts[place + 1]!];
    if (values === null) sums[place] = end - from;
    else for (let arc = from; arc < end; arc++) sums[place]! += values[arc]!;
  }
  return sums;
}

/** Returns by position the lowest position in its component, ignoring arc directions. */
export function components({ vertices, starts, heads }: Projection): Uint32Array {
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
      const [one, other] = [rootOf(place), rootOf(heads[arc]!)];
      if (one < other) roots[other] = one;
      else roots[one] = other;
    }
  }
  return roots.map((_, place) => rootOf(place));
}
