// Queries over random partitions, merged, against the same queries of one graph with everything.
// ROUNDS=n for more graphs than the default.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as S from "../../runtime/base/sort-constants.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { getAccess } from "../../runtime/graph/api/graph-handle.js";
import {
  addTextStatistics,
  mergeHeads,
  type PartialEntry,
  selectEntries,
  showMerged,
} from "../../runtime/graph/api/merge-queries.js";
import { type PartitionQuery, queryPartition } from "../../runtime/graph/api/partition-queries.js";
import { D_OUT, M_INT } from "../../runtime/graph/model/constants.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("matrix queries");
const ROUNDS = rounds(12);
const WORDS = ["red", "redder", "blue", "shoe", "shoes", "coat"];
const TEXTS = ["red", "red shoe", "re* -coat", "sho*", '"red shoe"', "shoos blu"];
const SHOPS = ["shop1", "shop2", "shop3"];
const PRICE = "vertex['price']";
const label = `seed ${SEED}`;

function makeGraph(): Graph {
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  graph.createVertex("root", { properties: { brand: "Root", price: 1 } });
  for (const shop of SHOPS) graph.createVertex(shop, { type: "shop" });
  graph.index("text", { keys: ["title", "notes"], type: "product" });
  return graph;
}

function makePartitions(random: Random): { whole: Graph; partitions: Graph[] } {
  const wholeGraph = makeGraph();
  const partitions = Array.from({ length: 1 + random.below(4) }, makeGraph);
  const texts = (maxWords: number): string =>
    random.list(maxWords, () => random.of(WORDS)).join(" ");
  for (let index = random.below(200); index >= 0; index--) {
    const id = `p${index}${random.of(["", "é", " b"])}`;
    const brand = random.of(["Acme", "Zeta", "7", 7, null]);
    const price = random.of([null, random.below(50) / 2]);
    const properties = {
      ...{ title: texts(5), notes: texts(12) },
      ...(brand !== null && { brand }),
      ...(price !== null && { price }),
    };
    const shops = SHOPS.filter(() => random.below(2) === 0);
    const value = random.below(3);
    const ways = random.below(3);
    for (const graph of [wholeGraph, random.of(partitions)]) {
      graph.createVertex(id, { type: "product", properties });
      for (const shop of shops) graph.connect(id, ["sold_by", M_INT, 1], shop);
      graph.connect("root", ["has", M_INT, value], id);
      for (let way = 0; way < ways; way++) graph.connect("root", `way${way}`, id);
    }
  }
  for (const graph of [wholeGraph, ...partitions]) {
    // Some partitions have segments, others pending texts alone.
    const processor = new TextProcessor(getAccess(graph).store, assert.unreachable);
    if (random.below(2) === 0) while (processor.run(1000));
  }
  return { whole: wholeGraph, partitions };
}

/** Merges as a dispatcher does, on one level or two. */
function queryAll(partitions: readonly Graph[], query: PartitionQuery, levels: 1 | 2): unknown {
  const results = partitions.flatMap((graph) => {
    const { head, entries } = queryPartition(graph, query)!;
    // Partitions send heads as JSON.
    return [{ head: JSON.parse(JSON.stringify(head)) as typeof head, entries: [...entries] }];
  });
  const merge = (parts: typeof results) => ({
    head: mergeHeads(parts.map(({ head }) => head)),
    entries: parts.flatMap(({ entries }) => entries).sort((a, b) => Buffer.compare(a.key, b.key)),
  });
  const half = Math.ceil(results.length / 2);
  const groups = levels === 1 ? [] : [results.slice(0, half), results.slice(half)];
  const below = groups
    .filter((parts) => parts.length > 0)
    .map((parts) => {
      const { head, entries } = merge(parts);
      return { head, entries: [...selectEntries(head, entries, false)] };
    });
  const { head, entries } = merge(levels === 1 ? results : below);
  return JSON.parse(JSON.stringify(showMerged(head, entries as PartialEntry[])));
}

function queryOne(graph: Graph, query: PartitionQuery): unknown {
  switch (query.call) {
    case "search":
      return graph.search(query.text, query.options);
    case "vertices":
      return graph.vertices(query.options);
    case "arcs":
      return graph.arcs(query.options);
    case "neighborhood":
      return graph.neighborhood(query.anchor as string, query.options);
  }
}

const FACETS = {
  brand: 3,
  cheap: { property: "price", ranges: [5, 10.5, 20], stats: "price" },
  ".type": 5,
  shop: { arc: ["sold_by", D_OUT], top: 2, distinct: "brand" },
  all: { property: "brand", top: 10_000, stats: ["price"], distinct: ["price", "title"] },
} as const;

/** Queries of each kind, with a total order. */
function randomQueries(random: Random): PartitionQuery[] {
  const order = random.of([S.S_ID, S.S_ID | S.S_DESC, S.S_RANK | S.S_ASC]);
  // The degree of shops differs from partition to partition.
  const byDegree = random.below(4) === 0 ? S.S_DEG : order;
  const shared = {
    ...{ hits: random.of([-1, 0, 1, 4, 300]), counts: random.below(2) === 0 },
    offset: random.of([0, 0, 2]),
    ...(random.below(2) === 0 && { facets: FACETS }),
    ...random.of([{}, { groupBy: "brand" }, { groupBy: { key: ".type", distinct: "price" } }]),
    ...random.of([{ result: "list" }, { result: "dict", fields: ["id", "type"] }, {}] as const),
  };
  const sorted = { ...shared, sortby: order, cursor: true };
  const condition = { type: "product" };
  return [
    { call: "vertices", options: { ...sorted, sortby: byDegree, condition, rank: PRICE } },
    { call: "arcs", options: { ...sorted, condition, rank: "next['price']" } },
    {
      ...{ call: "neighborhood", anchor: "root" },
      options: { ...sorted, arc: ["has", D_OUT], rank: "next['price']" },
    },
    {
      ...{ call: "neighborhood", anchor: "root" },
      // Several arcs lead to a product, so the arcs behind it are as many entries.
      options: {
        ...{ sortby: order, cursor: true, hits: 1 + random.below(3), counts: true },
        ...{ rank: "next['price']", collect: false },
        neighbor: { type: "product", traverse: { arc: ["sold_by", D_OUT], collect: true } },
      },
    },
    { call: "search", text: random.of(TEXTS), options: searchOptions(random, shared) },
  ];
}

function searchOptions(random: Random, shared: object) {
  return {
    ...shared,
    cursor: true,
    match: random.of(["all", "any"] as const),
    fuzzy: random.of([0, 1, "auto"] as const),
    ...random.of([{}, { keys: { title: 2 } }, { condition: { property: { price: { lt: 10 } } } }]),
  };
}

/** Numbers as floats: sums of parts may differ in the last bits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === "number" ? Number(part.toPrecision(6)) : part,
    ),
  );
}

function withStatistics(partitions: readonly Graph[], query: PartitionQuery): PartitionQuery {
  if (query.call !== "search") return query;
  const { text, options } = query;
  const shares = partitions.map((graph) => graph.textStatistics(text, options));
  return { ...query, options: { ...options, statistics: addTextStatistics(shares) } };
}

test("give the results of one graph, page by page", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { whole, partitions } = makePartitions(random);
    for (const query of randomQueries(random)) {
      let [paged, complete]: unknown[] = [true, true];
      for (let page = 0; page < 4 && paged !== null; page++) {
        const on = (cursor: unknown) =>
          ({ ...query, options: { ...query.options, cursor } }) as PartitionQuery;
        const expected = queryOne(whole, on(paged)) as { cursor: string | null };
        const partitionQuery = withStatistics(partitions, on(complete));
        const merged = queryAll(partitions, partitionQuery, random.of([1, 2])) as {
          cursor: string | null;
        };
        const shown = `${label} round ${round} page ${page} ${JSON.stringify(query)}`;
        assert.is(merged.cursor === null, expected.cursor === null, shown);
        [paged, complete] = [expected.cursor, merged.cursor];
        const comparedResults = [expected, merged].map((result) =>
          rounded({ ...result, cursor: null }),
        );
        assert.equal(comparedResults[1], comparedResults[0], shown);
      }
    }
  }
});

test("give equal scores with the statistics of all partitions", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { whole, partitions } = makePartitions(random);
    const options = { fields: ["id", "text"], result: "list", hits: -1, cursor: true } as const;
    const query = { call: "search", text: random.of(TEXTS), options } as const;
    const expected = whole.search(query.text, options).search;
    const merged = queryAll(partitions, withStatistics(partitions, query), 1);
    assert.equal(rounded((merged as { search: unknown }).search), rounded(expected), label);
  }
});

test("return each path to an arc once if its key is infinite", () => {
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  for (let way = 0; way < 5; way++) graph.connect("root", `way${way}`, "middle");
  graph.connect("middle", "to", "end");
  const neighbor = { traverse: { arc: ["to", D_OUT], collect: true } } as const;
  // Vertices without a vector are infinitely far away.
  const order = { sortby: S.S_SIM, vector: [1, 2], collect: false, hits: 1 } as const;
  const pages: unknown[] = [];
  for (let cursor: string | true | null = true; cursor !== null && pages.length < 9; ) {
    const options = { ...order, neighbor, cursor };
    const query = { call: "neighborhood", anchor: "root", options } as const;
    const page = queryAll([graph], query, 1) as { neighborhood: unknown; cursor: string | null };
    pages.push(page.neighborhood);
    cursor = page.cursor;
  }
  assert.equal(pages, new Array(5).fill(["end"]));
});

interface MergedPage {
  readonly vertices: readonly unknown[];
  readonly groups?: readonly unknown[];
  readonly cursor: string | null;
}

test("join pages to the whole result if partitions share vertices", () => {
  const random = new Random();
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const partitions = Array.from({ length: 2 + random.below(3) }, () =>
      openStore(GraphStore.create("test", TEST_THREAD)),
    );
    for (const graph of partitions) {
      for (let index = random.below(20); index >= 0; index--) {
        const properties = { brand: random.of(["Acme", "Zeta", 7]), price: random.below(3) };
        graph.createVertex(`p${random.below(9)}`, { properties });
      }
    }
    const sortby = random.of([S.S_ID, S.S_ID | S.S_DESC, S.S_RANK | S.S_ASC]);
    const query = {
      ...({ sortby, rank: PRICE, fields: ["id", "properties"], result: "dict" } as const),
      ...(random.below(2) === 0 && { groupBy: { key: "brand", stats: "price" } }),
    };
    const read = (hits: number, cursor: string | true): MergedPage => {
      const options = { ...query, hits, cursor };
      const levels = random.of([1, 2] as const);
      return queryAll(partitions, { call: "vertices", options }, levels) as MergedPage;
    };
    const pages: MergedPage[] = [];
    const hits = 1 + random.below(4);
    for (let cursor: string | true | null = true; cursor !== null && pages.length < 99; ) {
      const page = read(hits, cursor);
      pages.push(page);
      cursor = page.cursor;
    }
    const whole = read(-1, true);
    const shown = `${label} round ${round}`;
    assert.equal(
      pages.flatMap((page) => page.vertices),
      whole.vertices,
      shown,
    );
    assert.equal(
      pages.flatMap((page) => page.groups ?? []),
      whole.groups ?? [],
      shown,
    );
    assert.ok(
      pages.slice(0, -1).every(({ vertices }) => vertices.length === hits),
      shown,
    );
  }
});

test("give the first page of partitions of release 0.1.0, whose cursors have no last hit", () => {
  for (const hits of [1, 2]) {
    const options = { sortby: S.S_ID, hits, cursor: true } as const;
    const { head, entries } = queryPartition(makeGraph(), { call: "vertices", options })!;
    const { last: _, equal: _equal, ...cursor } = head.cursor!;
    const earlier = { ...head, cursor } as typeof head;
    const { vertices } = showMerged(mergeHeads([earlier]), entries) as MergedPage;
    assert.equal(vertices, ["root", "shop1"].slice(0, hits));
  }
});

test.run();
