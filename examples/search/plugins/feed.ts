// Fills the graph `recipes`:
//
//   "recipe 7" { title, description, cuisine, course, minutes } -[ contains ]-> "ginger"

import type { Graph, int, PluginRequest } from "svc-server";
import { generateRecipes } from "../src/recipes.js";

interface Fed {
  recipes: int;
  arcs: int;
  vectors: int;
}

/**
 * Declares the text index and generates the recipes.
 *
 * @plugin
 * @graph recipes
 * @timeout 2min
 * @param count number of recipes
 * @minimum count 1
 * @maximum count 1000000
 * @example curl -X POST "http://127.0.0.1:9000/svc/plugin/feed"
 */
export function feed(_request: PluginRequest, graph: Graph, count: int = 20_000): Fed {
  graph.index("text", {
    type: "recipe",
    keys: { title: { boost: 3 }, description: {} },
    synonyms: [
      ["aubergine", "eggplant"],
      ["courgette", "zucchini"],
      ["prawn", "shrimp"],
    ],
  });
  for (const { id, recipe, ingredients, vector } of generateRecipes(count)) {
    graph.createVertex(id, { type: "recipe", properties: recipe, vector });
    for (const name of ingredients) graph.connect(id, "contains", name);
  }
  return { recipes: count, arcs: graph.size, vectors: graph.objcnt.vectors };
}
