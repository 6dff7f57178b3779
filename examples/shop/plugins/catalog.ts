// The catalog of the shop: words, facets, similar articles and common purchases, in one graph:
//
//   "buyer 7" -[ bought <M_CNT> times ]-> "bo-0012" { title, description, brand, category, price }

import {
  D_IN,
  D_OUT,
  type float,
  type Graph,
  HttpError,
  type int,
  type PluginRequest,
  type str,
} from "svc-server";
import type { Article } from "../src/article.js";
import { generateArticles, generatePurchases, type Stored } from "../src/stock.js";

/**
 * Declares the text index, and generates articles and purchases.
 *
 * @plugin
 * @graph shop
 * @timeout 2min
 * @param articles number of articles of each category
 * @minimum articles 1
 * @maximum articles 10000
 * @param buyers number of buyers
 * @minimum buyers 0
 * @maximum buyers 1000000
 */
export function feed(
  _request: PluginRequest,
  graph: Graph,
  articles: int = 2000,
  buyers: int = 10_000,
): { articles: int; purchases: int } {
  const keys = { title: { boost: 3 }, description: {} };
  graph.index("text", { name: "articles", type: "article", keys });
  graph.index("property", { key: "price" });
  let count = 0;
  for (const { number, stored, vector } of generateArticles(articles)) {
    graph.createVertex(number, { type: "article", properties: stored, vector });
    count++;
  }
  let purchases = 0;
  for (const { buyer, article } of generatePurchases(buyers, articles)) {
    graph.count(buyer, "bought", article);
    purchases++;
  }
  return { articles: count, purchases };
}

interface Found {
  /** number of all matches */
  count: int;
  articles: (Stored & { number: Article })[];
  brands: { value: str; count: int }[];
  prices: { from?: float; to?: float; count: int }[];
  /** for the next page; null on the last one */
  cursor: str | null;
}

/**
 * Searches articles by words, and counts all matches by brand and price.
 *
 * @plugin
 * @graph shop
 * @readonly
 * @param q words, "phrases" and -exclusions
 * @param brand only articles of this brand
 * @param maxPrice maximum price
 * @minimum maxPrice 0
 * @param cursor `cursor` of the previous page
 * @example search({ q: "waterproof boo", maxPrice: 100 })
 */
export function search(
  _request: PluginRequest,
  graph: Graph,
  q: str,
  brand: str = "",
  maxPrice: float = 1e9,
  cursor: str = "",
): Found {
  const property = { price: { lte: maxPrice }, ...(brand !== "" && { brand }) };
  const page = graph.search(q, {
    prefix: true,
    fuzzy: "auto",
    condition: { property },
    facets: { brand: 10, price: { ranges: [50, 100, 200] } },
    fields: ["id", "properties"],
    result: "dict",
    cursor: cursor === "" ? true : cursor,
    counts: true,
  });
  return {
    count: page.counts.vertices,
    articles: page.search.map(({ id, properties }) => ({ ...(properties as Stored), number: id })),
    brands: page.facets.brand as Found["brands"],
    prices: page.facets.price as Found["prices"],
    cursor: page.cursor,
  };
}

/**
 * Lists the most similar articles up to a price.
 *
 * @plugin
 * @graph shop
 * @readonly
 * @throws {UnknownArticle} the article does not exist
 */
export function similar(
  _request: PluginRequest,
  graph: Graph,
  article: Article,
  maxPrice: float = 1e9,
  /** @minimum 1 @maximum 100 */ n: int = 5,
): { article: Article; similarity: float }[] {
  requireArticle(graph, article);
  using vertex = graph.getVertex(article);
  const condition = { type: "article", property: { price: { lte: maxPrice } } } as const;
  // The article itself is the most similar one.
  const found = graph.nearest(vertex, { hits: n + 1, condition });
  const others = found.filter(({ id }) => id !== article).slice(0, n);
  return others.map(({ id, similarity }) => ({ article: id, similarity }));
}

/**
 * Lists what buyers of an article have also bought, with the number of these buyers.
 *
 * @plugin
 * @graph shop
 * @readonly
 * @throws {UnknownArticle} the article does not exist
 */
export function alsobought(
  _request: PluginRequest,
  graph: Graph,
  article: Article,
  /** @minimum 1 @maximum 100 */ n: int = 5,
): { article: Article; buyers: int }[] {
  requireArticle(graph, article);
  const { facets } = graph.neighborhood(article, {
    arc: ["bought", D_IN],
    hits: 0,
    facets: { bought: { arc: ["bought", D_OUT], top: n + 1 } },
  });
  const counts = facets.bought as { value: Article; count: int }[];
  const others = counts.filter(({ value }) => value !== article).slice(0, n);
  return others.map(({ value, count }) => ({ article: value, buyers: count }));
}

function requireArticle(graph: Graph, article: Article): void {
  if (!graph.hasVertex(article)) throw new UnknownArticle(article);
}

/** Returned as 404. */
export class UnknownArticle extends HttpError {
  constructor(article: Article) {
    super(404, `no article ${article}`, { article });
  }
}
