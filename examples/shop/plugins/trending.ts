// Articles that sell best: a job ranks them every ten minutes, so that the start page asks for one
// property. All executors share the graph in which the ranking is.

import { type Graph, type int, type Job, type PluginRequest, S_IDEG } from "svc-server";
import type { Article } from "../src/article.js";

const RANKING = "ranking";
const MAX_RANKED = 100;

/**
 * Ranks the articles by the number of their buyers.
 *
 * @every 10min
 * @graph shop
 * @timeout 1min
 */
export function rank(job: Job, graph: Graph): { ranked: int } {
  const articles = graph.vertices({
    condition: { type: "article" },
    sortby: S_IDEG,
    hits: MAX_RANKED,
  });
  const vertex = graph.openVertex(RANKING, "w");
  vertex.setProperty("articles", JSON.stringify(articles));
  vertex.close();
  job.log.info("articles ranked", { ranked: articles.length });
  return { ranked: articles.length };
}

/**
 * Articles that sell best, as of the last ranking.
 *
 * @plugin
 * @graph shop
 * @readonly
 * @param n number of articles
 * @minimum n 1
 * @maximum n 100
 */
export function trending(_request: PluginRequest, graph: Graph, n: int = 10): Article[] {
  if (!graph.hasVertex(RANKING)) return [];
  const vertex = graph.openVertex(RANKING, "r");
  const articles = JSON.parse(String(vertex.getProperty("articles", "[]"))) as Article[];
  vertex.close();
  return articles.slice(0, n);
}
