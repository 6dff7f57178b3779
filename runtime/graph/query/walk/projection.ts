// Dense arrays of a graph's vertices and the arcs that pass a filter, for algorithms over the whole
// graph. Each vertex is read consistently; the graph as a whole may change meanwhile.

import { ARC_WORDS } from "../../memory/layout.js";
import { arcSortValue } from "../../model/arc-number.js";
import { D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { ArcStack } from "../match/arc-stack.js";
import type { ArcTest } from "../match/arc-test.js";
import type { Deadline } from "../match/deadline.js";
import { getScanners } from "../match/run-scanner.js";
import type { Steps } from "./steps.js";

export interface Projection {
  /** Handles; offsets in this array are the positions below. */
  readonly vertices: Uint32Array;
  /** Position by handle, or -1. */
  readonly places: Int32Array;
  /** By position: start of its arcs in `heads` and `values`; one extra entry ends the last. */
  readonly starts: Uint32Array;
  /** Positions of heads. */
  readonly heads: Uint32Array;
  /** Arc weights; null if all are equal. */
  readonly values: Float64Array | null;
}

/** Reads the arcs of one vertex that pass a filter. */
export class ArcReader {
  readonly #store: GraphStore;
  readonly #test: ArcTest;
  readonly #direction: number;
  readonly #stack = new ArcStack();

  /**
   * @param direction overrides that of the filter
   * @throws QueryError for D_BOTH
   */
  constructor(store: GraphStore, test: ArcTest, direction: number = test.direction) {
    this.#direction = direction;
    if (direction === D_BOTH) {
      throw invalidArgument(
        "D_BOTH is not for algorithms",
        direction,
        "D_OUT, D_IN, D_ANY",
        ".arc",
      );
    }
    this.#store = store;
    this.#test = test;
    test.bind(store.relationships);
  }

  /** Returns the words of the arcs, three each, head first; valid until the next call. */
  read(vertex: number): Uint32Array {
    const { outArcs, inArcs } = getScanners(this.#store);
    const stack = this.#stack;
    const direction = this.#direction;
    stack.top = 0;
    if (direction !== D_IN) outArcs.select(vertex, this.#test, stack, MAX_ARCS);
    if (direction !== D_OUT) inArcs.select(vertex, this.#test, stack, MAX_ARCS);
    return stack.words.subarray(0, stack.top);
  }
}

const MAX_ARCS = 0x3fff_ffff;

/** Returns the weight of an arc: its value, 1 if it has none. */
export function arcWeight(word1: number, bits: number): number {
  return (((word1 >>> 8) & 0x1f) === 1 ? 1 : arcSortValue(word1, bits)) || 0;
}

/** Vertices between two steps, minus one. */
const STEP_MASK = 0xff;

/**
 * Reads the graph. Yields the finished share of the work.
 * @param isWeighted weights arcs by their values; negative values count as 0
 * @throws SearchError after the deadline
 */
export function* project(
  store: GraphStore,
  test: ArcTest,
  isWeighted: boolean,
  deadline: Deadline,
): Steps<Projection> {
  const { end } = store.vertices;
  const places = new Int32Array(end).fill(-1);
  const vertices = new Uint32Array(end);
  let count = 0;
  for (let vertex = 1; vertex < end; vertex++) {
    if (!store.vertices.isUsed(vertex)) continue;
    places[vertex] = count;
    vertices[count++] = vertex;
  }
  const reader = new ArcReader(store, test);
  const starts = new Uint32Array(count + 1);
  let heads = new Uint32Array(1024);
  let values = new Float64Array(isWeighted ? 1024 : 0);
  let arcs = 0;
  for (let place = 0; place < count; place++) {
    const words = reader.read(vertices[place]!);
    deadline.spend(words.length / ARC_WORDS + 1);
    if (arcs + words.length / ARC_WORDS > heads.length) {
      const capacity = Math.max(arcs + words.length, heads.length * 2);
      heads = copyInto(heads, new Uint32Array(capacity));
      if (isWeighted) values = copyInto(values, new Float64Array(capacity));
    }
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      // Vertices created since they were counted have no position.
      const head = places[words[at]!] ?? -1;
      if (head < 0) continue;
      heads[arcs] = head;
      if (isWeighted) values[arcs] = Math.max(0, arcWeight(words[at + 1]!, words[at + 2]!));
      arcs++;
    }
    starts[place + 1] = arcs;
    if ((place & STEP_MASK) === 0) yield place / count;
  }
  const ids = vertices.subarray(0, count);
  return { vertices: ids, places, starts, heads, values: isWeighted ? values : null };
}

function copyInto<A extends Uint32Array | Float64Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
