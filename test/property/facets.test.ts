// Facets and groups of random graphs against naive counts, in `vertices`, `neighborhood` and
// `search`. ROUNDS=n for more graphs than the default.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../runtime/base/sort-constants.js";
import { D_OUT, M_INT } from "../../runtime/graph/model/constants.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("facets");
const ROUNDS = rounds(15);
const BRANDS = ["Acme", "Zeta", "Ωmega", 7, 7.5, -0];
const SHOPS = ["shop1", "shop2", "shop3"];
const LIMITS = [10, 20.5, 40];

interface Product {
  readonly id: string;
  readonly type: "product" | "offer";
  readonly title: string;
  readonly brand: string | number | null;
  readonly price: number | null;
  readonly shops: readonly string[];
}

function randomProduct(random: Random, number: number): Product {
  return {
    id: `p${number}`,
    type: random.of(["product", "offer"] as const),
    title: random.of(["red shoe", "red coat", "blue shoe"]),
    brand: random.below(4) === 0 ? null : random.of(BRANDS),
    price: random.below(4) === 0 ? null : random.below(50) + random.of([0, 0.5]),
    shops: SHOPS.filter(() => random.below(2) === 0),
  };
}

function makeShop(random: Random) {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.createVertex("root", { properties: { brand: "Acme", price: 1, title: "x" } });
  for (const shop of SHOPS) graph.createVertex(shop, { type: "shop" });
  const products = Array.from({ length: random.below(300) }, (_, index) =>
    randomProduct(random, index),
  );
  for (const { id, type, title, brand, price, shops } of products) {
    const properties = {
      title,
      ...(brand !== null && { brand }),
      ...(price !== null && { price }),
    };
    graph.createVertex(id, { type, properties });
    for (const shop of shops) {
      graph.connect(id, ["sold_by", M_INT, 1], shop);
      if (random.below(3) === 0) graph.connect(id, ["sold_by", M_INT, 2], shop);
    }
    graph.connect("root", "has", id);
  }
  const columns = random.of([undefined, ["brand"], ["price", "brand", "title"]]);
  graph.index("text", { keys: ["title"], ...(columns !== undefined && { columns }) });
  const processor = new TextProcessor(store, assert.unreachable);
  if (random.below(3) !== 0) while (processor.run(1000));
  return { graph, products };
}

const FACETS = {
  brand: 3,
  cheap: { property: "price", ranges: LIMITS },
  ".type": 5,
  shop: { arc: ["sold_by", D_OUT], top: 2 },
  all: { property: "brand", top: 10_000, stats: ["price"], distinct: ["price", "title"] },
} as const;

type Value = string | number;

function computeStats(products: readonly Product[]) {
  const prices = products.flatMap(({ price }) => price ?? []);
  const sum = prices.reduce((total, price) => total + price, 0);
  const isAny = prices.length > 0;
  return {
    values: prices.length,
    sum,
    min: isAny ? Math.min(...prices) : null,
    max: isAny ? Math.max(...prices) : null,
    avg: isAny ? sum / prices.length : null,
  };
}

function naiveValues(products: readonly Product[], of: (product: Product) => readonly Value[]) {
  const hits = new Map<Value, Product[]>();
  for (const product of products) {
    for (const value of of(product)) hits.set(value, [...(hits.get(value) ?? []), product]);
  }
  const isBefore = (a: Value, b: Value): boolean =>
    typeof a === typeof b ? a < b : typeof a === "number";
  return [...hits].sort(
    ([a, first], [b, second]) => second.length - first.length || (isBefore(a, b) ? -1 : 1),
  );
}

function naiveFacets(products: readonly Product[]) {
  const counted = (of: (product: Product) => readonly Value[], top: number) =>
    naiveValues(products, of)
      .slice(0, top)
      .map(([value, hits]) => ({ value, count: hits.length }));
  const listBrands = ({ brand }: Product): Value[] =>
    typeof brand === "number" ? [brand + 0] : brand === null ? [] : [brand];
  const ranges = [-1, ...LIMITS].map((_, index) => {
    const [from, to] = [LIMITS[index - 1], LIMITS[index]];
    const isWithin = ({ price }: Product): boolean =>
      price !== null && price >= (from ?? -1) && price < (to ?? 1000);
    const limits = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return { ...limits, count: products.filter(isWithin).length };
  });
  const distinct = (hits: readonly Product[]) => ({
    price: new Set(hits.flatMap(({ price }) => price ?? [])).size,
    title: new Set(hits.map(({ title }) => title)).size,
  });
  return {
    brand: counted(listBrands, 3),
    cheap: ranges,
    ".type": counted(({ type }) => [type], 5),
    shop: counted(({ shops }) => shops, 2),
    all: naiveValues(products, listBrands).map(([value, hits]) => ({
      value,
      count: hits.length,
      stats: { price: computeStats(hits) },
      distinct: distinct(hits),
    })),
  };
}

const label = `seed ${SEED}`;

test("count all matches as a naive count does", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { graph, products } = makeShop(random);
    if (products.length === 0) continue;
    const expected = naiveFacets(products);
    const hits = random.of([0, 3, -1]);
    const ids = products.map(({ id }) => id);
    const options = { facets: FACETS, hits } as const;
    assert.equal(graph.vertices({ ...options, condition: { id: ids } }).facets, expected, label);
    const sorted = { ...options, sortby: S_ID, counts: true } as const;
    const searched = graph.vertices({ ...sorted, condition: { id: ids } });
    assert.equal(searched.facets, expected, label);
    assert.equal(searched.counts, { vertices: products.length }, label);
    assert.equal(graph.neighborhood("root", { ...options, arc: "has" }).facets, expected, label);
    for (const word of ["red", "shoe", "red shoe"]) {
      const matching = products.filter(({ title }) =>
        word.split(" ").every((part) => title.split(" ").includes(part)),
      );
      const counted = { ...options, counts: true } as const;
      const result =
        random.below(2) === 0
          ? graph.search(word, { ...counted, cursor: true })
          : graph.search(word, counted);
      assert.equal(result.facets, naiveFacets(matching), `${label} ${word}`);
      assert.equal(result.counts, { vertices: matching.length }, `${label} ${word}`);
    }
  }
});

test("group hits by the first of each value", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { graph, products } = makeShop(random);
    if (products.length === 0) continue;
    const byId = [...products].sort((a, b) => (a.id < b.id ? -1 : 1));
    const groups = new Map<Value | null, Product[]>();
    for (const product of byId) {
      const key = typeof product.brand === "number" ? product.brand + 0 : product.brand;
      groups.set(key, [...(groups.get(key) ?? []), product]);
    }
    const [hits, offset] = [random.of([-1, 2]), random.below(3)];
    const shown = [...groups].slice(offset, hits < 0 ? undefined : offset + hits);
    const result = graph.vertices({
      ...{ condition: { id: products.map(({ id }) => id) }, sortby: S_ID, hits, offset },
      ...{ groupBy: { key: "brand", stats: "price" }, result: "dict", fields: ["id"] },
    });
    const expected = shown.map(([, members]) => ({ id: members[0]!.id, grouped: members.length }));
    assert.equal(result.vertices, expected, label);
    assert.equal(
      result.groups,
      shown.map(([value, members]) => ({
        ...{ value, count: members.length, stats: { price: computeStats(members) } },
      })),
      label,
    );
    const types = graph.neighborhood("root", { arc: "has", groupBy: ".type", sortby: S_ID });
    const names = [...new Set(byId.map(({ type }) => type))];
    assert.equal(
      types.groups.map(({ value }) => value),
      names,
      label,
    );
    assert.equal(
      types.neighborhood,
      names.map((name) => byId.find(({ type }) => type === name)!.id),
      label,
    );
  }
});

test.run();
