// Searches recipes by words, facets and ingredients, and finds similar ones by their vectors.

import { D_OUT, type float, type Graph, type int, type PluginRequest, type str } from "svc-server";
import type { Recipe } from "../src/recipes.js";

interface Hit extends Omit<Recipe, "description"> {
  id: str;
  /** HTML, with the words of the search in `<em>` */
  title: str;
  description: str;
}

interface Count {
  value: str;
  count: int;
}

interface Found {
  /** number of all matches */
  count: int;
  hits: Hit[];
  facets: { cuisine: Count[]; course: Count[]; ingredient: Count[] };
  /** for the next page; null on the last one */
  cursor: str | null;
}

/**
 * Searches recipes. The last word may be incomplete, and words may contain typos.
 *
 * @plugin
 * @graph recipes
 * @readonly
 * @param q words, "phrases" and -exclusions
 * @param cuisine only recipes of this cuisine
 * @param course only recipes of this course
 * @param ingredients only recipes that contain all of these
 * @param minutes maximum number of minutes
 * @param cursor `cursor` of the previous page
 * @maxItems ingredients 8
 * @example search({ q: "roasted pumpk", cuisine: "Thai" })
 */
export function search(
  _request: PluginRequest,
  graph: Graph,
  q: str,
  cuisine: str = "",
  course: str = "",
  ingredients: str[] = [],
  minutes: int = 0,
  cursor: str = "",
): Found {
  const properties = {
    ...(cuisine !== "" && { cuisine }),
    ...(course !== "" && { course }),
    ...(minutes > 0 && { minutes: { lte: minutes } }),
  };
  const contained = ingredients.map((neighbor) => ({
    adjacent: { arc: ["contains", D_OUT], neighbor } as const,
  }));
  const page = graph.search(q, {
    prefix: true,
    fuzzy: "auto",
    condition: { and: [{ property: properties }, ...contained] },
    facets: { cuisine: 20, course: 4, ingredient: { arc: ["contains", D_OUT], top: 10 } },
    highlight: { title: 120, description: 200 },
    fields: ["id", "properties"],
    result: "dict",
    cursor: cursor === "" ? true : cursor,
    counts: true,
  });
  return {
    count: page.counts.vertices,
    hits: page.search.map(({ id, properties: stored, highlights }) => ({
      ...(stored as Recipe),
      id,
      ...(highlights as { title: str; description: str }),
    })),
    facets: page.facets as unknown as Found["facets"],
    cursor: page.cursor,
  };
}

interface Similar {
  id: str;
  title: str;
  similarity: float;
}

/**
 * Lists the recipes with the most similar ingredients.
 *
 * @plugin
 * @graph recipes
 * @readonly
 * @param id id of a recipe
 * @param n number of recipes
 * @minimum n 1
 * @maximum n 100
 * @example similar({ id: "recipe 7" })
 */
export function similar(_request: PluginRequest, graph: Graph, id: str, n: int = 5): Similar[] {
  using recipe = graph.getVertex(id);
  // The recipe itself is the most similar one.
  const found = graph.nearest(recipe, { hits: n + 1 }).filter((entry) => entry.id !== id);
  return found.slice(0, n).map(({ id: other, similarity }) => {
    using vertex = graph.getVertex(other);
    return { id: other, title: String(vertex.getProperty("title")), similarity };
  });
}
