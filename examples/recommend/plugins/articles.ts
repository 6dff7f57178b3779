// Articles that are found by their words, by vectors of their texts, and by arcs:
//
//   "article 7" { text } -[ about ]-> "gardens"
//   "article 7" -[ cites ]-> "article 3"

import {
  D_OUT,
  expr,
  type float,
  type Graph,
  type int,
  type PluginRequest,
  S_RANK,
  type str,
} from "svc-server";
import { COMPONENTS, findEmbed } from "../src/embed.js";

const TOPICS: Readonly<Record<str, readonly str[]>> = {
  gardens: ["roses", "pruning", "compost", "gardener", "seedlings", "hedges", "watering"],
  sailing: ["harbour", "rigging", "sailors", "anchors", "tides", "navigation", "keel"],
  baking: ["sourdough", "kneading", "bakers", "yeast", "crust", "flour", "oven"],
  astronomy: ["telescopes", "planets", "orbits", "galaxies", "observing", "comets", "lenses"],
  music: ["violins", "rehearsing", "orchestra", "melodies", "tuning", "conductor", "rhythm"],
};
const WORDS = 24;
const CITATIONS = 3;

interface Fed {
  vertices: int;
  arcs: int;
  vectors: int;
}

/**
 * Creates the same articles in every run, and indexes of their texts and vectors.
 *
 * @plugin
 * @graph articles
 * @timeout 5min
 * @param count number of articles
 * @minimum count 1
 * @maximum count 100000
 * @example curl -X POST "http://127.0.0.1:9000/svc/plugin/feedarticles"
 */
export async function feedarticles(
  _request: PluginRequest,
  graph: Graph,
  count: int = 2000,
): Promise<Fed> {
  graph.index("text", { type: "article", keys: { text: {} } });
  graph.index("vectors", { length: COMPONENTS });
  const embed = await findEmbed();
  const topics = Object.entries(TOPICS);
  for (let at = 0; at < count; at++) {
    const [topic, words] = topics[at % topics.length] ?? ["", []];
    const text = Array.from({ length: WORDS }, (_, place) => {
      return words[(at * 7 + place * (1 + (at % 5))) % words.length];
    }).join(" ");
    const [vector = []] = await embed([text]);
    graph.createVertex(`article ${at}`, { type: "article", properties: { text }, vector });
    graph.connect(`article ${at}`, "about", topic);
    for (let back = 1; back <= CITATIONS && back <= at; back++) {
      graph.connect(`article ${at}`, "cites", `article ${at - back}`);
    }
  }
  return { vertices: graph.order, arcs: graph.size, vectors: graph.objcnt.vectors };
}

interface Answer {
  id: str;
  text: str;
  /** Articles that it cites, the most similar to the question first. */
  cited: str[];
}

/**
 * Finds articles by the words of a question and by its vector, which also matches other forms of
 * them.
 *
 * @plugin
 * @graph articles
 * @readonly
 * @param q question
 * @param topic only articles about it
 * @param n maximum number of articles
 * @minimum n 1
 * @maximum n 100
 * @example curl "http://127.0.0.1:9000/svc/plugin/ask?q=prune+garden&topic=gardens"
 */
export async function ask(
  _request: PluginRequest,
  graph: Graph,
  q: str,
  topic: str = "",
  n: int = 5,
): Promise<Answer[]> {
  if (graph.order === 0) return [];
  const [vector = []] = await (await findEmbed())([q]);
  const about = { adjacent: { arc: ["about", D_OUT], neighbor: topic } } as const;
  const found = graph.search(q, {
    vector,
    fuse: true,
    condition: { type: "article", ...(topic !== "" && about) },
    fields: ["id"],
    result: "simple",
    hits: n,
  }) as str[];
  return found.map((id) => {
    using article = graph.getVertex(id);
    const cited = graph.neighborhood(id, {
      arc: ["cites", D_OUT],
      vector,
      rank: expr`1 + cosine(vector, next.vector)`,
      sortby: S_RANK,
      fields: ["id"],
      result: "simple",
    }) as str[];
    return { id, text: String(article.getProperty("text")), cited };
  });
}

/** How similar two texts are. */
interface Compared {
  similarity: float;
}

/**
 * Compares two texts by their vectors.
 *
 * @plugin
 * @param a text
 * @param b text
 * @example curl "http://127.0.0.1:9000/svc/plugin/compare?a=gardener&b=gardens"
 */
export async function compare(_request: PluginRequest, a: str, b: str): Promise<Compared> {
  const [one = [], other = []] = await (await findEmbed())([a, b]);
  const product = (x: number[], y: number[]): number =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  const norms = Math.sqrt(product(one, one) * product(other, other));
  return { similarity: norms === 0 ? 0 : product(one, other) / norms };
}
