// Three ways to recommend items: by vectors, by purchases, and by both.

import {
  D_IN,
  D_OUT,
  expr,
  type float,
  type Graph,
  type int,
  type PluginRequest,
  S_RANK,
  type str,
} from "svc-server";

interface Similar {
  id: str;
  similarity: float;
}

/**
 * Returns the items with the vectors most similar to that of an item.
 *
 * @plugin
 * @graph shop
 * @param item id of the item
 * @param n maximum number of items
 * @param exact compare all vectors instead of searching the index
 * @example curl "http://127.0.0.1:9000/svc/plugin/similar?item=item%207&n=3"
 */
export function similar(
  _request: PluginRequest,
  graph: Graph,
  item: str,
  n: int = 10,
  exact: boolean = false,
): Similar[] {
  using vertex = graph.getVertex(item);
  // The item itself is the most similar of all.
  const found = graph.nearest(vertex, { hits: n + 1, approximate: !exact });
  return found.filter(({ id }) => id !== item).slice(0, n);
}

/**
 * Returns items bought with an item, similar and cheap ones first.
 *
 * @plugin
 * @graph shop
 * @param item id of the item
 * @param n maximum number of items
 * @example curl "http://127.0.0.1:9000/svc/plugin/alsobought?item=item%207"
 */
export function alsobought(_request: PluginRequest, graph: Graph, item: str, n: int = 10): str[] {
  using vertex = graph.getVertex(item);
  return graph.neighborhood(item, {
    arc: ["bought", D_OUT],
    vector: vertex.vector,
    rank: "next.arc.value * (1 + cosine(vector, next.vector)) / next['price']",
    sortby: S_RANK,
    fields: ["id"],
    result: "simple",
    hits: n,
  }) as str[];
}

/**
 * Returns the most similar items below a price that share a purchase with an item.
 *
 * @plugin
 * @graph shop
 * @param item id of the item
 * @param price maximum price
 * @param n maximum number of items
 * @example curl "http://127.0.0.1:9000/svc/plugin/discover?item=item%207&price=30"
 */
export function discover(
  _request: PluginRequest,
  graph: Graph,
  item: str,
  price: int = 50,
  n: int = 10,
): Similar[] {
  using vertex = graph.getVertex(item);
  const bought = graph.terminals(item);
  const condition = {
    type: "item",
    adjacent: { arc: ["bought", D_IN], neighbor: bought },
    filter: expr`vertex['price'] <= ${price}`,
  } as const;
  return graph.nearest(vertex, { hits: n, condition });
}
