// Results of queries on random graphs against a naive model: pages of sorted results, counts and
// sums of the whole, distinct heads, and prepared queries like one-shot ones. ROUNDS=n for more
// graphs than the default.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as S from "../../runtime/base/sort-constants.js";
import { D_BOTH, D_IN, D_OUT, F_DEGREES } from "../../runtime/graph/model/constants.js";
import { STATIC_CODE } from "../../runtime/graph/model/modifiers.js";
import { aggregate } from "../../runtime/graph/query/calls/aggregate.js";
import { initials, terminals } from "../../runtime/graph/query/calls/lists.js";
import { neighborhood } from "../../runtime/graph/query/calls/neighborhood.js";
import { NeighborhoodQuery } from "../../runtime/graph/query/calls/prepared-query.js";
import { vertices } from "../../runtime/graph/query/calls/vertices.js";
import type {
  GlobalQueryOptions,
  ListQueryOptions,
  NeighborhoodQueryOptions,
} from "../../runtime/graph/query/parse/query-options.js";
import { rounds } from "../support/rounds.js";
import type { ModelHit, QueryModel } from "./support/query-model.js";
import { HUB, IDS, makeSubject, modifierName, type Subject } from "./support/query-subject.js";
import { Random, SEED } from "./support/random.js";

const test = suite("query results");
const ROUNDS = rounds(12);
const QUERIES = 40;
const FIELDS = ["anchor", "direction", "relationship", "modifier", "value", "id"] as const;

type Key = (model: QueryModel, hit: ModelHit) => number | string;

/** Sort keys, with their default directions. */
const KEYS: readonly (readonly [sortby: number, isDescending: boolean, Key])[] = [
  [S.S_VAL, true, (_model, { arc }) => (arc.modifier === STATIC_CODE ? 0 : arc.value)],
  [S.S_ID, false, (_model, { head }) => head],
  [S.S_ANCHOR, false, (_model, { tail }) => tail],
  [S.S_DEG, true, (model, { head }) => model.degree(head, null, 0)],
  [S.S_IDEG, true, (model, { head }) => model.degree(head, null, D_IN)],
  [S.S_ODEG, true, (model, { head }) => model.degree(head, null, D_OUT)],
  [S.S_TMX, false, (model, { head }) => model.vertices.get(head)!.expiresAt],
];
const SIDES = ["D_OUT", "D_IN", "D_BOTH"];

function formatHit({ level, tail, arc, head, side }: ModelHit): string {
  const { relationship, value } = arc;
  return `${level} ${tail} ${SIDES[side]} ${relationship} ${modifierName(arc)} ${value} ${head}`;
}

interface Entry {
  readonly anchor: string;
  readonly arc: Record<"direction" | "relationship" | "modifier" | "value", unknown>;
  readonly distance: number;
  readonly id: string;
}

function textOfEntry({ anchor, arc, distance, id }: Entry): string {
  const { direction, relationship, modifier, value } = arc;
  return `${distance} ${anchor} ${direction} ${relationship} ${modifier} ${value} ${id}`;
}

/** An order, its option, and its sort key for hits of the model. */
function randomOrder(random: Random): { sortby: number; key: Key; sign: 1 | -1 } {
  const [kind, isDescending, key] = random.of(KEYS);
  const direction = random.of([0, S.S_ASC, S.S_DESC]);
  const isReversed = direction === 0 ? isDescending : direction === S.S_DESC;
  return { sortby: kind | direction, key, sign: isReversed ? -1 : 1 };
}

function describeQuery(...query: unknown[]): string {
  return `seed ${SEED}: ${JSON.stringify(query)}`;
}

/** A page is full, consists of hits, and repeats none too often. */
function isPage(
  page: readonly string[],
  matches: readonly string[],
  size: number,
  of: string,
): void {
  assert.is(page.length, size, of);
  const left = new Map<string, number>();
  for (const entry of matches) left.set(entry, (left.get(entry) ?? 0) + 1);
  for (const entry of page) {
    const count = left.get(entry) ?? 0;
    assert.ok(count > 0, `${of}: ${entry} is not there, or not as often`);
    left.set(entry, count - 1);
  }
}

function pageSize(total: number, { hits, offset }: { hits: number; offset: number }): number {
  const left = Math.max(total - offset, 0);
  return hits < 0 ? left : Math.min(left, hits);
}

function randomPage(random: Random): { hits: number; offset: number } {
  return { hits: random.of([-1, 0, 1, 3, 10, 100]), offset: random.of([0, 0, 1, 5, 40]) };
}

/** A rule whose hits do not depend on which arc stands for a pair. */
function ruleWithoutPairs({ queries, model }: Subject, anchor: string): object {
  for (;;) {
    const rule = queries.rule();
    model.neighborhood(anchor, rule, D_OUT);
    if (model.hits.every(({ side }) => side < 2) && !isPaired(rule.arc)) return rule;
  }
}

function isPaired(arc: unknown): boolean {
  return arc === D_BOTH || (Array.isArray(arc) && arc.some(isPaired));
}

function checkPage(random: Random, subject: Subject, anchor: string): void {
  const { store, model } = subject;
  const rule = ruleWithoutPairs(subject, anchor) as NeighborhoodQueryOptions;
  const { sortby, key, sign } = randomOrder(random);
  const page = randomPage(random);
  const options = { ...rule, ...page, sortby, fields: FIELDS, result: "dict", counts: true };
  const result = neighborhood(store, anchor, options as object) as unknown as {
    neighborhood: Entry[];
    counts: object;
  };
  const label = describeQuery(anchor, options);
  assert.equal(result.counts, { neighbors: model.neighbors, arcs: model.hits.length }, label);
  const entries = new Map(model.hits.map((hit) => [formatHit(hit), key(model, hit)]));
  const foundTexts = result.neighborhood.map(textOfEntry);
  isPage(foundTexts, model.hits.map(formatHit), pageSize(model.hits.length, page), label);
  const keys = model.hits.map((hit) => key(model, hit)).sort((a, b) => compared(a, b) * sign);
  const expectedKeys = keys.slice(page.offset, page.offset + foundTexts.length);
  assert.equal(
    foundTexts.map((entry) => entries.get(entry)),
    expectedKeys,
    label,
  );
  const sorted = neighborhood(store, anchor, { ...rule, sortby, fields: FIELDS, result: "dict" });
  const whole = (sorted as unknown as Entry[]).map(textOfEntry);
  assert.equal(foundTexts, whole.slice(page.offset, page.offset + foundTexts.length), label);
  const unsorted = neighborhood(store, anchor, {
    ...rule,
    ...page,
    fields: FIELDS,
    result: "dict",
  });
  const texts = (unsorted as unknown as Entry[]).map(textOfEntry);
  isPage(texts, model.hits.map(formatHit), pageSize(model.hits.length, page), label);
}

function compared(a: number | string, b: number | string): number {
  return a < b ? -1 : Number(a > b);
}

function checkSums(subject: Subject, anchor: string): void {
  const { store, model } = subject;
  const rule = ruleWithoutPairs(subject, anchor) as NeighborhoodQueryOptions;
  const sums = aggregate(store, anchor, { ...rule, fields: F_DEGREES });
  const heads = [...new Set(model.hits.map(({ head }) => head))];
  const indegree = total(heads, (head) => model.degree(head, null, D_IN));
  const outdegree = total(heads, (head) => model.degree(head, null, D_OUT));
  const counts = { neighbors: model.neighbors, arcs: model.hits.length };
  const degrees = { degree: indegree + outdegree, indegree, outdegree };
  assert.equal(sums, { ...counts, ...degrees }, describeQuery(anchor, rule));
}

function total(heads: readonly string[], count: (head: string) => number): number {
  return heads.reduce((sum, head) => sum + count(head), 0);
}

function checkHeads(random: Random, { store, model, queries }: Subject, anchor: string): void {
  const neighbor = queries.condition(3, false);
  const list = random.of([terminals, initials]);
  const arc = list === terminals ? D_OUT : D_IN;
  model.neighborhood(anchor, { arc, neighbor }, D_OUT);
  const heads = [...new Set(model.hits.map(({ head }) => head))];
  const { hits } = randomPage(random);
  const options = { neighbor, hits } as ListQueryOptions;
  const listed = list(store, anchor, options);
  isPage(
    listed,
    heads,
    pageSize(heads.length, { hits, offset: 0 }),
    describeQuery(list.name, anchor, options),
  );
  const sorted = list(store, anchor, { ...options, sortby: S.S_ID });
  assert.equal(
    sorted,
    heads.sort().slice(0, sorted.length),
    describeQuery(list.name, anchor, options),
  );
}

function checkVertices(random: Random, { store, model, queries }: Subject): void {
  const condition = queries.condition(2, false);
  const ids = model.vertexIds(condition);
  const page = randomPage(random);
  const fields = ["id", "type", "degree", "properties"] as const;
  const options = { condition, ...page, sortby: S.S_ID, fields, result: "dict" };
  const expected = ids.sort().slice(page.offset, page.offset + pageSize(ids.length, page));
  const entries = expected.map((id) => {
    const { type, properties } = model.vertices.get(id)!;
    return { id, type: type ?? "__vertex__", degree: model.degree(id, null, 0), properties };
  });
  assert.equal(vertices(store, options as GlobalQueryOptions), entries, describeQuery(options));
}

/** A prepared query for many anchors returns the same as a new one for each. */
function checkPrepared(random: Random, { store, queries }: Subject): void {
  const rule = queries.rule() as NeighborhoodQueryOptions;
  const prepared = new NeighborhoodQuery(store, null, { ...rule, sortby: S.S_NATIVE });
  for (const anchor of [random.of(IDS), HUB, random.of(IDS)]) {
    const page = randomPage(random);
    prepared.id = anchor;
    const once = neighborhood(store, anchor, { ...rule, ...page, sortby: S.S_NATIVE });
    assert.equal(prepared.execute(page), once, describeQuery(anchor, rule, page));
    prepared.vertex = store.ids.find(anchor);
    const neighbors = neighborhood(store, anchor, rule) as readonly string[];
    assert.is(prepared.count(), neighbors.length, describeQuery(anchor, rule));
  }
}

test("agree with a naive model in entries, counts and sums", () => {
  const random = new Random();
  let hits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const subject = makeSubject(random);
    for (let query = 0; query < QUERIES; query++) {
      const anchor = random.of([...IDS, HUB, HUB]);
      checkPage(random, subject, anchor);
      hits += subject.model.hits.length;
      checkSums(subject, anchor);
      checkHeads(random, subject, anchor);
      checkVertices(random, subject);
      checkPrepared(random, subject);
    }
  }
  assert.ok(hits > 5 * ROUNDS, `seed ${SEED}: queries that find nothing test nothing`);
});

test.run();
