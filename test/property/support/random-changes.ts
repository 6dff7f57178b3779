// Changes of a graph that depend on a seed only: the same ones, in the same order, in any thread or
// process. They differ only in times, which `timeless` removes from comparisons.

import type { Graph } from "../../../runtime/graph/api/graph.js";
import { M_CNT, M_FLT, M_INT } from "../../../runtime/graph/model/constants.js";
import type { GraphContent } from "../../runtime/graph/support/graph-content.js";
import type { Random } from "./random.js";

const VERTICES = 400;
const RELATIONSHIPS = ["likes", "saw", "near", "owns"];
const KEYS = ["age", "name", "tags", "none"];
/** Seconds. */
const LIFESPANS = [1, 30, 100, 10_000_000];
const TYPES = ["person", "thing", null];
const VECTOR_NAMES = ["", "title", "image"];
const VECTOR_PRECISIONS = ["int8", "float16", "float32"] as const;

/** An arc whose value is a time: its modifier is 12, 13 or 14, stored above 8 flags. */
const TIME_ARC = /^(\S+ (?:3072|3328|3584)) \d+ /;

/** Makes one change of a random kind. */
export function changeAtRandom(graph: Graph, random: Random): void {
  const id = `v${random.below(VERTICES)}`;
  const otherId = `v${random.below(VERTICES)}`;
  const relationship = random.of(RELATIONSHIPS);
  const value = random.below(1000);
  switch (random.below(13)) {
    case 0:
      graph.deleteVertex(id);
      return;
    case 1:
      if (graph.hasVertex(id)) graph.disconnect(id, relationship);
      return;
    case 2:
      graph.count(id, relationship, otherId, value - 300);
      return;
    case 3:
      graph.accumulate(id, relationship, otherId, value / 7);
      return;
    case 4:
    case 5:
      setProperty(graph, id, random);
      return;
    case 6:
      graph.connect(id, [relationship, M_CNT, value], otherId, { lifespan: random.of(LIFESPANS) });
      return;
    case 8:
      changeVector(graph, id, random);
      return;
    case 7:
      if (graph.hasVertex(id)) graph.createVertex(id, { lifespan: random.of(LIFESPANS) });
      else graph.createVertex(id, { type: random.of(TYPES) });
      return;
    default:
      graph.connect(id, [relationship, random.of([M_INT, M_FLT]), value], otherId);
  }
}

function setProperty(graph: Graph, id: string, random: Random): void {
  const value = random.of([
    random.below(100),
    `text ${random.below(50)}`,
    random.list(20, () => random.below(10)),
    null,
  ]);
  graph.createVertex(id, { properties: { [random.of(KEYS)]: value } });
}

/** Sets a vector, of a name or without one, or the precision of further ones. */
function changeVector(graph: Graph, id: string, random: Random): void {
  const name = random.of(VECTOR_NAMES);
  const precision = random.of(VECTOR_PRECISIONS);
  const length = random.below(5) === 0 ? 0 : random.of([20, 70]);
  const vector = Array.from({ length }, () => random.below(99) - 49.5);
  if (random.below(4) === 0) graph.setVectorSettings({ precision }, name);
  else if (name === "") graph.createVertex(id, { vector });
  else graph.createVertex(id, { vectors: { [name]: vector } });
}

/** The content of a graph without times of changes. */
export function timeless({ graph, vertices }: GraphContent): unknown {
  return JSON.parse(JSON.stringify({ graph, vertices }), (key, value) => {
    if (["times", "createdAt", "next"].includes(key)) return null;
    if (["out", "in"].includes(key)) return (value as string[]).sort();
    return typeof value === "string" ? value.replace(TIME_ARC, "$1 time ") : value;
  });
}
