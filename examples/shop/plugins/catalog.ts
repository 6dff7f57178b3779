// The catalog: words, facets, similar products and common purchases, each in one query.

import {
  type Cursor,
  D_IN,
  D_OUT,
  type float,
  type Graph,
  type int,
  Page,
  type PluginRequest,
  type str,
} from "svc-server";
import { NotSignedIn, userOf } from "../src/session.js";
import { type Card, card, type ProductId, type Shop, UnknownProduct } from "../src/shop.js";

const WORDS = { prefix: true, fuzzy: "auto" } as const;
const PAGE = 20;

/**
 * Finds products by words, the best first. Words can be incomplete or contain typos.
 *
 * @plugin
 * @graph shop
 * @readonly
 * @param q words, "phrases" and -exclusions
 * @param brand only products of this brand
 * @param maxPrice maximum price
 * @example search({ q: "waterproof boo", maxPrice: 100 })
 */
export function search(
  _request: PluginRequest,
  graph: Graph<Shop>,
  q: str,
  brand: str = "",
  maxPrice: float = 1e9,
  cursor?: Cursor<{ after: str }>,
): Page<Card, { after: str }> {
  const property = { price: { lte: maxPrice }, ...(brand !== "" && { brand }) };
  const condition = { type: "product", property } as const;
  const found = graph.search(q, {
    ...WORDS,
    condition,
    hits: PAGE,
    cursor: cursor?.state.after ?? true,
  });
  const items = found.search.map((id) => card(graph, id));
  return new Page(items, found.cursor === null ? null : { after: found.cursor });
}

/** Counts all matches of a search, by brand and by price. @plugin @graph shop @readonly */
export function facets(_request: PluginRequest, graph: Graph<Shop>, q: str) {
  const { counts, facets } = graph.search(q, {
    ...WORDS,
    hits: 0,
    counts: true,
    facets: { brand: 10, price: { ranges: [50, 100, 200] } },
  });
  return { count: counts.vertices, brands: facets.brand, prices: facets.price };
}

/**
 * Lists the products with the most similar vectors.
 * @plugin @graph shop @readonly
 * @throws {UnknownProduct} the product does not exist
 */
export function similar(
  _request: PluginRequest,
  graph: Graph<Shop>,
  product: ProductId,
  /** @minimum 1 @maximum 50 */ n: int = 5,
): Card[] {
  if (!graph.hasVertex(product)) throw new UnknownProduct(product);
  // The product itself is the most similar one.
  const found = graph.nearest(graph.getVertex(product), { hits: n + 1, approximate: true });
  const others = found.filter(({ id }) => id !== product).slice(0, n);
  return others.map(({ id }) => card(graph, id));
}

/**
 * Lists what buyers of a product have also bought.
 * @plugin @graph shop @readonly
 * @throws {UnknownProduct} the product does not exist
 */
export function alsoBought(
  _request: PluginRequest,
  graph: Graph<Shop>,
  product: ProductId,
  /** @minimum 1 @maximum 50 */ n: int = 5,
): (Card & { buyers: int })[] {
  if (!graph.hasVertex(product)) throw new UnknownProduct(product);
  const { facets } = graph.neighborhood(product, {
    arc: ["bought", D_IN],
    hits: 0,
    facets: { products: { arc: ["bought", D_OUT], top: n + 1 } },
  });
  const others = facets.products.filter(({ value }) => value !== product).slice(0, n);
  return others.map(({ value, count }) => ({ ...card(graph, String(value)), buyers: count }));
}

/**
 * Lists products that are close to those the caller has bought.
 * @plugin @graph shop @readonly
 * @throws {NotSignedIn} the caller has no session
 */
export function feed(
  request: PluginRequest,
  graph: Graph<Shop>,
  /** @minimum 1 @maximum 50 */ n: int = 10,
): Card[] {
  const user = userOf(request, graph);
  if (user === null) throw new NotSignedIn();
  const bought = graph.neighborhood(user, { arc: "bought", hits: 50 });
  if (bought.length === 0) return [];
  const taste = graph.sim.newCentroid(bought.map((id) => graph.getVertex(id).getVector()));
  const hits = { hits: n + bought.length, approximate: true };
  const others = graph.nearest(taste, hits).filter(({ id }) => !bought.includes(id));
  return others.slice(0, n).map(({ id }) => card(graph, id));
}
