// Plain lists around a vertex, and the vertices of a type: neighborhood searches with a fixed
// result format.

import {
  D_ANY,
  D_IN,
  D_OUT,
  F_ARCDIR,
  F_ID,
  F_MOD,
  F_REL,
  F_VAL,
  R_LIST,
} from "../../model/constants.js";
import { KeyError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ArcBatch, HitSink } from "../hits/hit-sink.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { DirectionNumber } from "../match/arc-test.js";
import { NO_DEADLINE } from "../match/deadline.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ArcFilter, ExecuteOptions, ListQueryOptions } from "../parse/query-options.js";
import { EntryQuery } from "../render/entry-query.js";
import type { Explainable, ExplainedBy } from "../render/explained.js";
import type { ArcTuple } from "../render/typed-results.js";
import { planWalk, walkNeighborhood } from "../walk/walk.js";
import { type NeighborhoodOptions, neighborhood } from "./neighborhood.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import { vertices } from "./vertices.js";

/** Options of `terminals` and `initials`. */
export type ListOptions = ListQueryOptions & Omit<ExecuteOptions, "offset">;
/** Options of `inarcs` and `outarcs`. */
export type ArcListOptions = Omit<ExecuteOptions, "offset">;
type ExplainedOptions<O> = O & { readonly explain?: boolean };

/**
 * Returns the ids of the vertices that outarcs lead to, each once (queries, "Lists around a
 * vertex").
 * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
 */
export function terminals<O extends Explainable<ListOptions> = ListOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): ExplainedBy<O, "terminals", string[]> {
  return distinctHeads(store, anchor, options, D_OUT, "terminals") as ExplainedBy<
    O,
    "terminals",
    string[]
  >;
}

/**
 * Returns the ids of the vertices that inarcs come from, each once (queries, "Lists around a
 * vertex").
 * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
 */
export function initials<O extends Explainable<ListOptions> = ListOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): ExplainedBy<O, "initials", string[]> {
  return distinctHeads(store, anchor, options, D_IN, "initials") as ExplainedBy<
    O,
    "initials",
    string[]
  >;
}

/**
 * Returns the ids of all adjacent vertices, each once. With options it equals a neighborhood with
 * those options, which lists a vertex once per arc.
 * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighbors(
  store: GraphStore,
  anchor: Anchor,
  options?: NeighborhoodOptions,
): string[] {
  if (options === undefined) {
    return distinctHeads(store, anchor, {}, D_ANY, "neighbors") as string[];
  }
  return neighborhood(store, anchor, options) as unknown as string[];
}

function distinctHeads(
  store: GraphStore,
  anchor: Anchor,
  options: object | undefined,
  direction: DirectionNumber,
  name: string,
): unknown {
  const checkedOptions: ExplainedOptions<ListOptions> = checkedArguments("list", options);
  const { neighbor, sortby, rank, pre, filter, post, memory, explain } = checkedOptions;
  const walk = { neighbor, pre, filter, post, memory };
  const source = new NeighborhoodSource(store, walk, direction, "head", name);
  const order = { ...(sortby !== undefined && { sortby }), rank };
  const query = new EntryQuery(source, { ...order, ...(explain !== undefined && { explain }) });
  return query.execute(findAnchor(store, anchor), checkedOptions);
}

/**
 * Returns all outarcs (queries, "Lists around a vertex").
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function outarcs<O extends Explainable<ArcListOptions> = ArcListOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): ExplainedBy<O, "outarcs", ArcTuple[]> {
  return arcTuples(store, anchor, options, D_OUT, "outarcs") as ExplainedBy<
    O,
    "outarcs",
    ArcTuple[]
  >;
}

/**
 * Returns all inarcs (queries, "Lists around a vertex").
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function inarcs<O extends Explainable<ArcListOptions> = ArcListOptions>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): ExplainedBy<O, "inarcs", ArcTuple[]> {
  return arcTuples(store, anchor, options, D_IN, "inarcs") as ExplainedBy<O, "inarcs", ArcTuple[]>;
}

const TUPLE = { result: R_LIST, fields: F_ARCDIR | F_REL | F_MOD | F_VAL | F_ID };

function arcTuples(
  store: GraphStore,
  anchor: Anchor,
  options: object | undefined,
  direction: DirectionNumber,
  name: string,
): unknown {
  const checkedOptions: ExplainedOptions<ArcListOptions> = checkedArguments("arcList", options);
  const { explain } = checkedOptions;
  const source = new NeighborhoodSource(store, {}, direction, "arc", name);
  const query = new EntryQuery(source, { ...TUPLE, ...(explain !== undefined && { explain }) });
  return query.execute(findAnchor(store, anchor), checkedOptions);
}

/** Returns the ids of the vertices of a type; null or `"__vertex__"`: untyped vertices. */
export function verticesOfType(store: GraphStore, type: string | null): string[] {
  return vertices(store, { condition: { type } });
}

/**
 * Returns the handle of the first neighbor that an arc filter leads to (queries, "Lists around a
 * vertex").
 * @throws KeyError "No object : 'No matching neighbor'", or no such anchor
 * @throws QueryError, SearchError
 */
export function firstNeighbor(store: GraphStore, anchor: Anchor, arc?: ArcFilter): number {
  const plan = planWalk(store, { arc }, D_OUT);
  const first = new FirstHead();
  walkNeighborhood(plan, findAnchor(store, anchor), first, NO_DEADLINE);
  if (first.head === 0) throw new KeyError("No object : 'No matching neighbor'");
  return first.head;
}

/** Stops a traversal at its first hit. */
class FirstHead implements HitSink {
  readonly room = 1;
  readonly countsNeighbors = false;
  readonly isCountOnly = false;
  head = 0;

  take({ words, from }: ArcBatch): boolean {
    this.head = words[from]!;
    return false;
  }

  count(): void {}

  addNeighbors(): void {}
}
