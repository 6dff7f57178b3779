// Applies random changes to a real graph, like a plugin would, and returns its contents in the
// plain form of the model.

import { Graph } from "../../../runtime/graph/api/graph.js";
import type { Vertex } from "../../../runtime/graph/api/vertex.js";
import { expire } from "../../../runtime/graph/changes/expire.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import { decodeSecond } from "../../../runtime/graph/memory/time.js";
import { V_GTE } from "../../../runtime/graph/model/constants.js";
import { ArcFlag, MODIFIERS, valueFromBits } from "../../../runtime/graph/model/modifiers.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import type { FakeClock } from "./fake-clock.js";
import type { Change } from "./graph-change.js";
import type { GraphModel, ModelArc } from "./graph-model.js";

/** Target of the changes. */
export interface ChangedGraph {
  readonly graph: Graph;
  readonly store: GraphStore;
  readonly session: Session;
  readonly clock: FakeClock;
}

/** The graph of a store, with a session of its own. */
export function openForChanges(store: GraphStore, clock: FakeClock): ChangedGraph {
  const session = new Session(store);
  const graph = new Graph({ store, session, path: null, isLocal: false });
  return { graph, store, session, clock };
}

/** Applies a change; returns what the graph's method returns. */
export function makeChange(changed: ChangedGraph, change: Change): unknown {
  const { graph, store, clock } = changed;
  switch (change.kind) {
    case "connect": {
      const { from, to, relationship, modifier, flags, value, lifespan } = change;
      const arc = value === undefined ? [relationship, modifier | flags] : null;
      const spec = arc ?? [relationship, modifier | flags, value];
      return graph.connect(from, spec as [string, number], to, { lifespan });
    }
    case "count":
      return graph.count(change.from, change.relationship, change.to, change.delta);
    case "accumulate":
      return graph.accumulate(change.from, change.relationship, change.to, change.delta);
    case "disconnect": {
      const { anchor, relationship, direction, modifier, atLeast, neighbor } = change;
      const arc = [relationship, direction, ...(modifier === 0 ? [] : [modifier])];
      if (atLeast !== null) arc.push(V_GTE, atLeast);
      return graph.disconnect(anchor, arc as [string], neighbor);
    }
    case "create": {
      const { id, type, lifespan, properties } = change;
      return graph.createVertex(id, { type, lifespan, properties });
    }
    case "delete":
      return graph.deleteVertex(change.id);
    case "expire": {
      const vertex = store.ids.find(change.id);
      if (vertex === 0) return 0;
      const { vertices, arcs } = expire(changed, vertex, clock.second);
      return vertices || arcs;
    }
    case "wait":
      clock.second += change.seconds;
      return undefined;
    default:
      return changeOpened(graph, change);
  }
}

function changeOpened(
  graph: Graph,
  change: Exclude<Change, { kind: "wait" } | { from: string } | { anchor: string }>,
): unknown {
  const vertex: Vertex = graph.openVertex(change.id, "a");
  try {
    switch (change.kind) {
      case "setType":
        return vertex.setType(change.type);
      case "setExpiry":
        return vertex.setExpiration(change.second);
      case "setRank":
        return vertex.setRank(change.c1, change.c0);
      case "setProperty":
        return vertex.setProperty(change.key, change.value);
      case "incProperty":
        return vertex.incProperty(change.key);
      case "removeProperty":
        return vertex.removeProperty(change.key);
      case "removeProperties":
        return vertex.removeProperties();
      case "setVector":
        return vertex.setVector(change.vector, change.name);
      case "removeVector":
        return vertex.removeVector(change.name);
      default:
        throw new Error(`no change ${change.kind}`);
    }
  } finally {
    vertex.close();
  }
}

/** The result of a change, or the message of its error, for comparison. */
export function runChange(make: () => unknown): unknown {
  try {
    return make() ?? "nothing";
  } catch (error) {
    // The model does not know the position in the arguments.
    return `error: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** All contents by vertex id, with the arcs of both sides. */
export type PlainGraph = Record<string, unknown>;

/** The vertices of a store whose ids have this prefix. */
export function plainStore(store: GraphStore, prefix: string): PlainGraph {
  const { vertices, ids, types, properties, outArcs, inArcs } = store;
  const plainGraph: PlainGraph = {};
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    const id = vertices.isUsed(vertex) ? ids.idOf(vertex) : "";
    if (id === "" || !id.startsWith(prefix)) continue;
    const out = [];
    for (let index = 0; index < outArcs.length(vertex); index++) {
      const otherId = ids.idOf(outArcs.otherAt(vertex, index));
      out.push(
        arcText(store, outArcs.word1At(vertex, index), outArcs.valueAt(vertex, index), otherId),
      );
    }
    const from = [];
    for (let index = 0; index < inArcs.length(vertex); index++) {
      const otherId = ids.idOf(inArcs.otherAt(vertex, index));
      from.push(
        arcText(store, inArcs.word1At(vertex, index), inArcs.valueAt(vertex, index), otherId),
      );
    }
    plainGraph[id] = {
      isReal: vertices.isReal(vertex),
      type: types.nameOf(vertices.typeOf(vertex)),
      rank: [vertices.c1(vertex), vertices.c0(vertex)],
      createdAt: vertices.createdAt(vertex),
      expiresAt: decodeSecond(vertices.expiresAt(vertex)),
      properties: sorted(properties.all(vertex)),
      vectors: readVectors(store, vertex),
      degrees: [vertices.outDegree(vertex), vertices.inDegree(vertex)],
      out: out.sort(),
      in: from.sort(),
    };
  }
  return plainGraph;
}

/** The same of a model. */
export function plainModel(model: GraphModel): PlainGraph {
  const plainGraph: PlainGraph = {};
  for (const [id, vertex] of model.vertices) {
    const { isReal, type, rank, createdAt, expiresAt, properties } = vertex;
    const [out, incoming] = [model.arcsFrom(id), model.arcsTo(id)];
    const from = incoming.filter((arc) => !arc.isForwardOnly);
    plainGraph[id] = {
      ...{ isReal, type, rank, createdAt, expiresAt },
      properties: sorted(Object.fromEntries(properties)),
      vectors: [...vertex.vectors].sort(byName),
      degrees: [out.length, incoming.length],
      out: out.map((arc) => modelText(arc, arc.to)).sort(),
      in: from.map((arc) => modelText(arc, arc.from)).sort(),
    };
  }
  return plainGraph;
}

function readVectors(store: GraphStore, vertex: number): [string, number[]][] {
  return store.vectorFields
    .all()
    .filter((table) => table.has(vertex))
    .map((table): [string, number[]] => {
      const name = table.key === 0 ? "" : store.keys.nameOf(table.key);
      return [name, [...table.get(vertex).bytes]];
    })
    .sort(byName);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function arcText(store: GraphStore, word1: number, word2: number, otherId: string): string {
  const modifier = (word1 >>> 8) & 0xff;
  const value = valueFromBits(MODIFIERS[modifier]!.kind, word2);
  const isForwardOnly = (word1 & ArcFlag.ForwardOnly) !== 0;
  const relationship = store.relationships.nameOf(word1 >>> 16);
  return `${relationship} ${modifier} ${isForwardOnly} ${value} ${otherId}`;
}

function modelText(arc: ModelArc, otherId: string): string {
  return `${arc.relationship} ${arc.modifier} ${arc.isForwardOnly} ${arc.value} ${otherId}`;
}

function sorted(properties: object): [string, unknown][] {
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}
