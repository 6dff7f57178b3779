// Live sales: the change feed of the graph as events, for pages and other services.

import type { Graph, int, PluginRequest, str } from "svc-server";
import type { Article } from "../src/article.js";

interface Sale {
  article: Article;
  buyer: str;
  /** how often this buyer has bought it */
  times: int;
}

/** Streams sales from now on. @plugin @graph shop @readonly */
export async function* sales(_request: PluginRequest, graph: Graph): AsyncGenerator<Sale> {
  for await (const change of graph.changes({ filter: { kinds: ["arcSet"] } })) {
    if (change.kind !== "arcSet" || change.relationship !== "bought") continue;
    yield { article: change.terminal, buyer: change.initial, times: Number(change.value) };
  }
}
