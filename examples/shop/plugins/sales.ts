// Sales: an arc counts them for ever, a vertex that expires shows them for an hour.

import { randomUUID } from "node:crypto";
import { type Graph, type int, type Job, type PluginRequest, S_DESC, S_IDEG } from "svc-server";
import { NotSignedIn, userOf } from "../src/session.js";
import { type Card, card, type ProductId, type Shop, UnknownProduct } from "../src/shop.js";

const HOUR = 3600;
const RANKING = "best sellers";

/**
 * Buys a product. Returns how often the caller has bought it.
 * @plugin @graph shop
 * @throws {NotSignedIn} the caller has no session
 * @throws {UnknownProduct} the product does not exist
 */
export function buy(request: PluginRequest, graph: Graph<Shop>, product: ProductId): int {
  const user = userOf(request, graph);
  if (user === null) throw new NotSignedIn();
  if (!graph.hasVertex(product)) throw new UnknownProduct(product);
  return graph.batch(() => {
    const sale = { type: "sale", lifespan: HOUR, properties: { product } } as const;
    graph.createVertex(`sale ${randomUUID()}`, sale);
    return graph.count(user, "bought", product);
  });
}

/** Lists the products sold most often in the last hour. @plugin @graph shop @readonly */
export function trending(
  _request: PluginRequest,
  graph: Graph<Shop>,
  /** @minimum 1 @maximum 50 */ n: int = 5,
): (Card & { sold: int })[] {
  const condition = { type: "sale" } as const;
  const { facets } = graph.vertices({ condition, hits: 0, facets: { product: n } });
  return facets.product.map(({ value, count }) => ({ ...card(graph, String(value)), sold: count }));
}

/** Streams each sale from now on. @plugin @graph shop @readonly */
export async function* sales(_request: PluginRequest, graph: Graph<Shop>): AsyncGenerator<Card> {
  const filter = { kinds: ["propertySet"], types: ["sale"], properties: ["product"] } as const;
  for await (const change of graph.changes({ filter })) {
    if (change.property === "product") yield card(graph, change.value);
  }
}

/** Ranks the products by all purchases, every night. @cron 0 3 * * * @graph shop @catchup */
export function rankProducts(job: Job, graph: Graph<Shop>): { ranked: int } {
  const condition = { type: "product" } as const;
  const products = graph.vertices({ condition, sortby: S_IDEG | S_DESC, hits: 100 });
  graph.createVertex(RANKING, { type: "ranking", properties: { products } });
  job.log.info("products ranked", { ranked: products.length });
  return { ranked: products.length };
}

/** Lists the products that sell best, as of last night. @plugin @graph shop @readonly */
export function bestSellers(
  _request: PluginRequest,
  graph: Graph<Shop>,
  /** @minimum 1 @maximum 100 */ n: int = 10,
): Card[] {
  if (!graph.hasVertex(RANKING)) return [];
  const products = graph.getVertex<"ranking">(RANKING).requireProperty("products");
  return products.slice(0, n).map((id) => card(graph, id));
}
