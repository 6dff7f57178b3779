// Random graphs for query tests, each with its naive model. All but a few arcs belong to one
// vertex, whose runs get an index and are counted by the hub kernel; two terminals have only
// forward-only arcs.

import { indexProperties } from "../../../runtime/graph/changes/index-properties.js";
import { M_CNT, M_FLT, T_NEVER } from "../../../runtime/graph/model/constants.js";
import { ArcFlag, MODIFIERS, STATIC_CODE } from "../../../runtime/graph/model/modifiers.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { QueryStore } from "../../runtime/graph/support/query-store.js";
import { type ModelArc, type ModelVertex, QueryModel } from "./query-model.js";
import type { Random } from "./random.js";
import {
  CITIES,
  EXPIRIES,
  MODIFIERS_USED,
  RandomQueries,
  RELATIONSHIPS,
  TYPES,
  VALUES,
} from "./random-queries.js";

export const IDS = [..."abcdefghijklmnop"].flatMap((letter) => [letter, `${letter}1`]);
export const HUB = "a";
const MAX_ARCS = 350;
const VIRTUAL: ModelVertex = { type: null, isVirtual: true, expiresAt: T_NEVER, properties: {} };

export interface Subject {
  readonly store: GraphStore;
  readonly model: QueryModel;
  readonly queries: RandomQueries;
}

export function makeSubject(random: Random): Subject {
  const graph = new QueryStore();
  const model = new QueryModel();
  for (const id of IDS) {
    const vertex = randomVertex(random);
    const { type, expiresAt, properties } = vertex;
    const expiry = expiresAt === T_NEVER ? {} : { expiresAt };
    graph.vertex(id, type === null ? { ...expiry, properties } : { ...expiry, type, properties });
    model.vertices.set(id, vertex);
  }
  const created = new Set<string>();
  const arcs = 40 + random.below(MAX_ARCS);
  for (let index = 0; index < arcs; index++) {
    const arc = randomArc(random);
    const { initial, relationship, modifier, value, terminal, isForwardOnly } = arc;
    const key = `${initial} ${relationship} ${modifier} ${terminal}`;
    if (created.has(key)) continue;
    created.add(key);
    // An initial is always real.
    if (!model.vertices.has(terminal)) model.vertices.set(terminal, VIRTUAL);
    const flags = isForwardOnly ? ArcFlag.ForwardOnly : 0;
    graph.arc(initial, [relationship, modifier, value], terminal, flags);
    model.add(arc);
  }
  if (random.below(2) === 0) {
    indexProperties(graph.store, "age", true);
    indexProperties(graph.store, "city", true);
    indexProperties(graph.store, null, true);
  }
  return { store: graph.store, model, queries: new RandomQueries(random, IDS) };
}

function randomVertex(random: Random): ModelVertex {
  const properties: Record<string, number | string> = {};
  if (random.below(3) > 0) properties.age = random.of(VALUES);
  if (random.below(3) > 0) properties.city = random.of(CITIES);
  const expiresAt = random.of([T_NEVER, ...EXPIRIES]);
  return { type: random.of([...TYPES, null]), isVirtual: false, expiresAt, properties };
}

function randomArc(random: Random): ModelArc {
  const initial = random.below(3) === 0 ? HUB : random.of(IDS);
  const hubs = [HUB, HUB, HUB, HUB];
  const terminal = random.of([...IDS, ...hubs, "virtual1", "virtual2", "forward1", "forward2"]);
  const isForwardOnly = terminal.startsWith("forward");
  const [relationship, modifier] = [random.of(RELATIONSHIPS), random.of(MODIFIERS_USED)];
  let value = modifier === STATIC_CODE ? 1 : random.of(VALUES);
  if (modifier === M_CNT) value = Math.abs(value);
  if (modifier === M_FLT) value += 0.5;
  return { initial, relationship, modifier, value, terminal, isForwardOnly };
}

/** The name of a modifier of the model in results. */
export function modifierName({ modifier, isForwardOnly }: ModelArc): string {
  const { name } = MODIFIERS[modifier]!;
  return isForwardOnly ? `${name}|M_FWDONLY` : name;
}
