// Queries of random graphs against a naive model: the same collected, counted and found arcs for
// any filter and condition. ROUNDS=n for more graphs than the default.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ARC_WORDS } from "../../runtime/graph/memory/layout.js";
import { D_ANY, D_OUT } from "../../runtime/graph/model/constants.js";
import { MODIFIERS, valueFromBits } from "../../runtime/graph/model/modifiers.js";
import { HitCollector } from "../../runtime/graph/query/hits/hit-collector.js";
import {
  type ArcBatch,
  HitCounter,
  HitSide,
  type HitSink,
} from "../../runtime/graph/query/hits/hit-sink.js";
import { Deadline } from "../../runtime/graph/query/match/deadline.js";
import { compileArcFilter } from "../../runtime/graph/query/parse/arc-filter.js";
import type { VertexCondition } from "../../runtime/graph/query/parse/query-options.js";
import {
  planArcScan,
  planVertexScan,
  scanArcs,
  scanVertices,
} from "../../runtime/graph/query/walk/scan.js";
import {
  countArcs,
  countNeighborhood,
  isAdjacent,
  planWalk,
  type WalkOptions,
  walkNeighborhood,
} from "../../runtime/graph/query/walk/walk.js";
import type { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { rounds } from "../support/rounds.js";
import type { ModelHit } from "./support/query-model.js";
import { HUB, IDS, makeSubject, type Subject } from "./support/query-subject.js";
import { Random, SEED } from "./support/random.js";

const test = suite("graph queries");
const ROUNDS = rounds(20);
const QUERIES = 60;
const never = new Deadline("neighborhood", Number.POSITIVE_INFINITY);
const PAGE = { order: null, isComplete: true, countsNeighbors: true, heads: null };

/** Hits as strings; omits which of several arcs was chosen, because any may be. */
class TextSink implements HitSink {
  readonly room = Number.POSITIVE_INFINITY;
  readonly countsNeighbors = true;
  readonly isCountOnly = false;
  readonly hits: string[] = [];
  neighbors = 0;
  readonly #store: GraphStore;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  take({ words, from, end, level, tail, side }: ArcBatch): boolean {
    const { ids, relationships } = this.#store;
    for (let offset = from; offset < end; offset += ARC_WORDS) {
      const word1 = words[offset + 1]!;
      const modifier = (word1 >>> 8) & 0xff;
      const kind = MODIFIERS[modifier]?.kind ?? "unit";
      const value = valueFromBits(kind, words[offset + 2]!);
      const arc = `${relationships.nameOf(word1 >>> 16)} ${modifier} ${value}`;
      const shown = side === HitSide.Both ? "" : arc;
      this.hits.push(`${level} ${ids.idOf(tail)} ${shown} ${ids.idOf(words[offset]!)} ${side}`);
    }
    return true;
  }

  count(): void {}

  addNeighbors(count: number): void {
    this.neighbors += count;
  }
}

function formatHit({ level, tail, arc, head, side }: ModelHit): string {
  const { relationship, modifier, value } = arc;
  const shown = side === HitSide.Both ? "" : `${relationship} ${modifier} ${value}`;
  return `${level} ${tail} ${shown} ${head} ${side}`;
}

/** The same hits in any order; reports missing and extra ones. */
function sameHits(actual: readonly string[], expected: readonly string[], query: unknown): void {
  const counts = new Map<string, number>();
  for (const hit of expected) counts.set(hit, (counts.get(hit) ?? 0) - 1);
  for (const hit of actual) counts.set(hit, (counts.get(hit) ?? 0) + 1);
  const differences = [...counts].filter(([, count]) => count !== 0);
  assert.equal(differences, [], describeQuery(query));
}

function describeQuery(query: unknown): string {
  return `seed ${SEED}: ${JSON.stringify(query)}`;
}

function checkNeighborhood({ store, model, queries }: Subject, anchor: string): void {
  const rule = queries.rule();
  const plan = planWalk(store, rule as WalkOptions, D_OUT);
  const sink = new TextSink(store);
  const handle = store.ids.find(anchor);
  walkNeighborhood(plan, handle, sink, never);
  model.neighborhood(anchor, rule, D_OUT);
  const query = { anchor, ...rule };
  sameHits(sink.hits, model.hits.map(formatHit), query);
  assert.is(sink.neighbors, model.neighbors, describeQuery(query));
  assert.is(countNeighborhood(plan, handle, never), model.hits.length, describeQuery(query));
  assert.is(isAdjacent(plan, handle, never), model.isAdjacent(anchor, rule), describeQuery(query));
  // A page keeps its arcs and counts those behind it, some without visiting them.
  for (const keep of [0, 1]) {
    const page = new HitCollector({ ...PAGE, keep });
    walkNeighborhood(plan, handle, page, never);
    const { arcs, neighbors } = page;
    assert.equal([arcs, neighbors], [model.hits.length, model.neighbors], describeQuery(query));
  }
}

function checkVertices({ store, model, queries }: Subject): void {
  const condition = queries.condition(1, true);
  const plan = planVertexScan(store, condition as VertexCondition);
  const sink = new TextSink(store);
  scanVertices(plan, sink, never);
  const expected = model.vertexIds(condition);
  const ids = sink.hits.map((hit) => hit.split(" ").at(-2)!);
  sameHits(ids, expected, condition);
  const counter = new HitCounter();
  scanVertices(plan, counter, never);
  assert.is(counter.hits, expected.length, describeQuery(condition));
}

function checkArcs({ store, model, queries }: Subject): void {
  const tail = queries.condition(4, false);
  const isObject = typeof tail === "object" && tail !== null && !Array.isArray(tail);
  const traverse = { arc: queries.arc(false), neighbor: queries.condition(2, true), collect: true };
  const condition = { ...(isObject ? tail : {}), traverse };
  const sink = new TextSink(store);
  scanArcs(planArcScan(store, condition as VertexCondition), sink, never);
  const expected: ModelHit[] = [];
  // Without a filter each arc is seen from its tail.
  const direction = traverse.arc === null || traverse.arc === undefined ? D_OUT : D_ANY;
  for (const id of model.vertices.keys()) {
    if (isObject && !model.passes(tail, id, 0)) continue;
    model.neighborhood(id, traverse, direction);
    for (const hit of model.hits) expected.push(hit);
  }
  sameHits(sink.hits, expected.map(formatHit), condition);
}

function checkDegree({ store, model, queries }: Subject, id: string): void {
  const arc = queries.arc(false) as never;
  const count = countArcs(store, store.ids.find(id), compileArcFilter(store, arc, D_ANY), never);
  assert.is(count, model.countArcs(id, arc), describeQuery({ id, arc }));
}

test("return the hits of a naive model", () => {
  const random = new Random();
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const subject = makeSubject(random);
    for (let query = 0; query < QUERIES; query++) {
      const id = random.of([...IDS, HUB, HUB]);
      checkNeighborhood(subject, id);
      hits += subject.model.hits.length;
      checkVertices(subject);
      checkArcs(subject);
      checkDegree(subject, random.of([id, ...subject.model.vertices.keys()]));
    }
  }
  assert.ok(hits > 5 * ROUNDS, `seed ${SEED}: queries that find nothing test nothing`);
});

test.run();
