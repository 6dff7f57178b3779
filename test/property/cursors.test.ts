// Pagination by cursor over random graphs. All pages together are the whole result in order. If the
// graph changes between pages, no unchanged entry is missing or repeated.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as S from "../../runtime/base/sort-constants.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { D_OUT, M_INT } from "../../runtime/graph/model/constants.js";
import { QueryError } from "../../runtime/graph/model/errors.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("cursors");
const ROUNDS = rounds(5);
const WORDS = ["red", "blue", "green"];
const ORDERS = [
  ...[undefined, S.S_ID, S.S_ID | S.S_DESC, S.S_OBID, S.S_DEG, S.S_TMC | S.S_DESC, S.S_ADDR],
  ...[S.S_RANK, S.S_RANK | S.S_ASC],
];
const label = `seed ${SEED}`;

function randomTitle(random: Random): string {
  return random.list(4, () => random.of(WORDS)).join(" ");
}

function makeShop(random: Random) {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.createVertex("root");
  graph.index("text", { keys: ["title"] });
  const ids = Array.from({ length: 20 + random.below(120) }, (_, index) =>
    `p${index}é`.slice(random.below(2)),
  );
  for (const id of new Set(ids)) {
    const price = random.below(4) - 1;
    graph.createVertex(id, { type: "product", properties: { title: randomTitle(random), price } });
    graph.connect("root", ["has", M_INT, random.below(3)], id);
    if (random.below(3) === 0) graph.connect("root", ["has", M_INT], id);
    if (random.below(3) === 0) graph.connect("root", ["likes", M_INT, random.below(3)], id);
  }
  const processor = new TextProcessor(store, assert.unreachable);
  if (random.below(2) === 0) while (processor.run(1000));
  return { graph, processor };
}

interface PagedResult {
  readonly entries: readonly unknown[];
  readonly cursor: string | null;
}
type FetchPage = (cursor: string | true) => PagedResult;

/** All pages, with a change between them. */
function fetchAll(fetch: FetchPage, change: () => void = () => {}): unknown[] {
  const entries: unknown[] = [];
  let cursor: string | true | null = true;
  while (cursor !== null) {
    const page: PagedResult = fetch(cursor);
    entries.push(...page.entries);
    cursor = page.cursor;
    change();
  }
  return entries;
}

function makeQueries(graph: Graph, random: Random): FetchPage[] {
  const hits = 1 + random.below(9);
  const sortby = random.of(ORDERS);
  const rank = "vertex['price']";
  const order = { ...(sortby !== undefined && { sortby }), rank, hits } as const;
  const condition = { type: "product" };
  const around = {
    ...order,
    rank: "next['price']",
    arc: ["*", D_OUT] as const,
    result: "list",
  } as const;
  const byValue = {
    ...around,
    sortby: S.S_VAL,
    fields: ["id", "relationship", "modifier", "value"],
  } as const;
  const text = random.of([...WORDS, "red blue", "gren"]);
  return [
    (cursor) => {
      const { vertices, cursor: next } = graph.vertices({ ...order, condition, cursor });
      return { entries: vertices, cursor: next };
    },
    (cursor) => {
      const { neighborhood, cursor: next } = graph.neighborhood("root", { ...byValue, cursor });
      return { entries: neighborhood, cursor: next };
    },
    (cursor) => {
      const fields = ["id", "relationship", "modifier", "value"] as const;
      const options = { ...around, fields, cursor } as const;
      const { neighborhood, cursor: next } = graph.neighborhood("root", options);
      return { entries: neighborhood, cursor: next };
    },
    (cursor) => {
      const options = { hits, match: "any", fuzzy: "auto", cursor } as const;
      const { search, cursor: next } = graph.search(text, options);
      return { entries: search, cursor: next };
    },
  ];
}

test("return an entry once for each path to it", () => {
  const random = new Random();
  for (let round = 0; round < 4 * ROUNDS; round++) {
    const graph = openStore(GraphStore.create("test", TEST_THREAD));
    for (let arc = 0; arc < 12; arc++) {
      const middle = `m${random.below(2)}`;
      graph.connect("root", `r${random.below(6)}`, middle);
      graph.connect(middle, "to", `end${random.below(3)}`);
    }
    const neighbor = { traverse: { arc: ["to", D_OUT] as const, collect: true } };
    const rank = "next.deg";
    const options = { collect: random.of([true, false]), neighbor, rank } as const;
    const entry = { fields: ["anchor", "relationship", "id"], result: "list" } as const;
    const paged = { ...options, ...entry, hits: 1 + random.below(7), sortby: random.of(ORDERS)! };
    const entries = fetchAll((cursor) => {
      const page = graph.neighborhood("root", { ...paged, cursor });
      return { entries: page.neighborhood, cursor: page.cursor };
    });
    const texts = (list: readonly unknown[]) => list.map((item) => JSON.stringify(item)).sort();
    assert.equal(
      texts(entries),
      texts(graph.neighborhood("root", { ...options, ...entry })),
      label,
    );
  }
});

test("join pages to the whole result", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { graph } = makeShop(random);
    const paged = makeQueries(graph, random);
    for (const fetch of paged) {
      const entries = fetchAll(fetch);
      const unique = new Set(entries.map((entry) => JSON.stringify(entry)));
      assert.is(unique.size, entries.length, label);
    }
    const products = graph.vertices({ condition: { type: "product" }, sortby: S.S_ID });
    const pages = fetchAll((cursor) => {
      const options = { condition: { type: "product" }, sortby: S.S_ID, hits: 7, cursor } as const;
      const page = graph.vertices({ ...options, facets: { price: 9 }, counts: true });
      assert.is(page.counts.vertices, products.length, label);
      assert.is(
        page.facets.price.reduce((sum, { count }) => sum + count, 0),
        products.length,
        label,
      );
      return { entries: page.vertices, cursor: page.cursor };
    });
    assert.equal(pages, products, label);
    for (const text of [...WORDS, "red blue"]) {
      const scored = graph.search(text, {
        hits: -1,
        match: "any",
        fields: ["text"],
        result: "simple",
      });
      const pages = fetchAll((cursor) => {
        const options = {
          hits: 5,
          match: "any",
          fields: ["text"],
          result: "simple",
          cursor,
        } as const;
        const page = graph.search(text, options);
        return { entries: page.search, cursor: page.cursor };
      });
      assert.equal(pages, scored, `${label} ${text}`);
    }
    const groups = graph.vertices({
      condition: { type: "product" },
      sortby: S.S_ID,
      groupBy: "title",
    });
    const paging = fetchAll((cursor) => {
      const options = { condition: { type: "product" }, sortby: S.S_ID, hits: 2, cursor } as const;
      const page = graph.vertices({ ...options, groupBy: "title" });
      return { entries: page.groups, cursor: page.cursor };
    });
    assert.equal(paging, groups.groups, label);
  }
});

test("return each unchanged entry once while the graph changes", () => {
  const random = new Random();
  let created = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { graph, processor } = makeShop(random);
    for (const fetch of makeQueries(graph, random)) {
      const before = new Set(fetchAll(fetch).map((entry) => JSON.stringify(entry)));
      let added = 0;
      const touched = new Set<string>();
      const pages = fetchAll(fetch, () => {
        const ids = graph.vertices({ condition: { type: "product" } });
        const [removed, changed] = [random.of(ids), random.of(ids)];
        touched.add(removed).add(changed);
        if (graph.hasVertex(removed)) graph.deleteVertex(removed);
        if (graph.hasVertex(changed)) {
          const vertex = graph.openVertex(changed);
          vertex.setProperty("title", randomTitle(random));
          vertex.close();
        }
        if (added++ < 30) {
          const properties = { title: randomTitle(random), price: random.below(3) };
          graph.createVertex(`new${created++}`, {
            type: "product",
            properties,
          });
        }
        if (random.below(2) === 0) while (processor.run(1000));
      }).map((entry) => JSON.stringify(entry));
      const isTouched = (entry: string): boolean =>
        [...touched].some((id) => entry.includes(JSON.stringify(id)));
      const untouched = [...before].filter((entry) => !isTouched(entry));
      const counts = new Map<string, number>();
      for (const entry of pages) counts.set(entry, (counts.get(entry) ?? 0) + 1);
      for (const entry of untouched) assert.is(counts.get(entry), 1, `${label} ${entry}`);
    }
  }
});

test("are rejected when altered, or with another query", () => {
  const random = new Random();
  const { graph } = makeShop(random);
  const options = { condition: { type: "product" }, hits: 3 } as const;
  const { cursor } = graph.vertices({ ...options, cursor: true });
  assert.ok(cursor !== null);
  assert.is(graph.vertices({ ...options, hits: 5, fields: ["type"], cursor }).vertices.length, 5);
  const isRefused = (run: () => unknown): void =>
    assert.throws(
      run,
      (error: unknown) => error instanceof QueryError && /cursor/.test(String(error)),
    );
  for (let index = 0; index < cursor.length; index++) {
    const replacement = cursor[index] === "A" ? "B" : "A";
    const altered = `${cursor.slice(0, index)}${replacement}${cursor.slice(index + 1)}`;
    isRefused(() => graph.vertices({ ...options, cursor: altered }));
    isRefused(() => graph.vertices({ ...options, cursor: cursor.slice(0, index) }));
  }
  isRefused(() => graph.vertices({ hits: 3, cursor }));
  isRefused(() => graph.vertices({ ...options, sortby: S.S_ID | S.S_DESC, cursor }));
  isRefused(() => graph.search("red", { hits: 3, cursor }));
  isRefused(() => graph.neighborhood("root", { hits: 3, cursor }));
  isRefused(() => graph.vertices({ ...options, cursor: 5 as never }));
  isRefused(() => graph.vertices({ ...options, sortby: S.S_RANDOM, cursor: true }));
  const around = graph.neighborhood("root", { hits: 1, cursor: true }).cursor!;
  graph.connect("other", "has", "root");
  isRefused(() => graph.neighborhood("other", { hits: 1, cursor: around }));
  const searched = graph.search("red", { hits: 1, cursor: true }).cursor!;
  isRefused(() => graph.search("blue", { hits: 1, cursor: searched }));
});

test.run();
