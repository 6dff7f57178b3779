// Paths of a range of lengths from one vertex, breadth first: one path to each vertex, of the
// fewest arcs.

import { ARC_WORDS } from "../../memory/layout.js";
import type { Deadline } from "../match/deadline.js";
import { type ArcSource, trail } from "./shortest-path.js";
import type { VertexFilter } from "./vertex-filter.js";

export interface EndSearch {
  readonly reader: ArcSource;
  readonly start: number;
  /** Numbers of arcs. */
  readonly min: number;
  readonly max: number;
  /** Returns whether a path may lead through a vertex. */
  readonly passes: VertexFilter;
  /** Returns whether a path may end at a vertex. */
  readonly isEnd: VertexFilter;
  readonly deadline: Deadline;
}

/**
 * Iterates over the paths, shortest first. The start can be an end, by an arc back to it.
 * @throws SearchError after the deadline
 */
export function* pathsToEnds(search: EndSearch): Generator<number[]> {
  const { reader, start, min, max, passes, isEnd, deadline } = search;
  const [vertices, parents]: [number[], number[]] = [[start], [-1]];
  const seen = new Set<number>();
  let frontier = [0];
  for (let length = 1; length <= max && frontier.length > 0; length++) {
    const next: number[] = [];
    for (const position of frontier) {
      // Copied, as tests and the caller may read arcs too.
      const words = reader.read(vertices[position]!).slice();
      for (let at = 0; at < words.length; at += ARC_WORDS) {
        const head = words[at]!;
        // A ring that is too short would hide longer ones.
        if (seen.has(head) || (head === start && length < min)) continue;
        seen.add(head);
        const reached = vertices.length;
        vertices.push(head);
        parents.push(position);
        if (head !== start && length < max && passes(head)) next.push(reached);
        if (length >= min && isEnd(head)) yield trail(reached, vertices, parents);
      }
      // At the end, so that a limit loses no paths that were found.
      deadline.spend(words.length / ARC_WORDS + 1);
    }
    frontier = next;
  }
}
