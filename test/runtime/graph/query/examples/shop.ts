// The data set of the worked examples: four persons, the articles that they bought, rated and
// viewed, and their makers. 10 vertices, 18 arcs.

import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { M_CNT, M_FLT, M_INT } from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";

const PERSONS = [
  ["ann", 34, "Oslo"],
  ["bo", 27, "Bergen"],
  ["cy", 41, "Oslo"],
  ["dee", 19, "Bergen"],
] as const;
const ITEMS = [
  ["tent", 120],
  ["lamp", 25.5],
  ["rope", 9.5],
  ["mug", 7],
] as const;
const ARCS = [
  ["ann", ["knows"], "bo"],
  ["ann", ["knows"], "cy"],
  ["ann", ["bought", M_CNT, 2], "lamp"],
  ["ann", ["bought", M_CNT, 1], "mug"],
  ["ann", ["rated", M_FLT, 4.5], "lamp"],
  ["bo", ["knows"], "dee"],
  ["bo", ["bought", M_CNT, 5], "lamp"],
  ["bo", ["bought", M_CNT, 1], "tent"],
  ["bo", ["rated", M_FLT, 3], "tent"],
  ["cy", ["knows"], "dee"],
  ["cy", ["bought", M_CNT, 1], "rope"],
  ["cy", ["rated", M_FLT, 2], "rope"],
  ["cy", ["viewed", M_INT, 7], "rope"],
  ["dee", ["viewed", M_INT, 3], "tent"],
  ["nord", ["makes"], "tent"],
  ["nord", ["makes"], "lamp"],
  ["zig", ["makes"], "rope"],
  ["zig", ["makes"], "mug"],
] as const;

export function makeShop(): Graph {
  const graph = makeGraph("shop");
  for (const [id, age, city] of PERSONS) {
    graph.createVertex(id, "person", { properties: { age, city } });
  }
  for (const [id, price] of ITEMS) graph.createVertex(id, "item", { properties: { price } });
  for (const id of ["nord", "zig"]) graph.createVertex(id, "brand");
  for (const [initial, arc, terminal] of ARCS) graph.connect(initial, [...arc], terminal);
  return graph;
}

/** The shop, and a small graph whose values grow from level to level. */
export function makeShopWithLevels(): Graph {
  const graph = makeShop();
  graph.connect("x0", ["e", M_INT, 10], "x1");
  graph.connect("x0", ["e", M_INT, 20], "x2");
  for (const value of [8, 10, 12]) graph.connect("x1", ["f", M_INT, value], `y${value}`);
  for (const value of [15, 20, 40]) graph.connect("x2", ["f", M_INT, value], `y${value}`);
  return graph;
}
