// A simple copy of a graph that follows its change feed, by the rules of the guide, and changes to
// follow.

import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { getAccess } from "../../../../runtime/graph/api/graph-handle.js";
import type { GraphChange } from "../../../../runtime/graph/log/graph-change.js";
import { M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import { MODIFIERS, valueFromBits } from "../../../../runtime/graph/model/modifiers.js";
import type { Random } from "../../../property/support/random.js";

interface CopiedVertex {
  isReal: boolean;
  type: string | null;
  readonly properties: Map<string, unknown>;
}

type ArcEnds = readonly [initial: string, relationship: string, modifier: string, terminal: string];

/** Real vertices and arcs as text, in an order of its own. */
export type CopiedContent = readonly string[];

export class GraphCopy {
  readonly #vertices = new Map<string, CopiedVertex>();
  /** By the JSON of `ArcEnds`. */
  readonly #arcs = new Map<string, { readonly ends: ArcEnds; readonly value: number }>();

  apply(change: GraphChange): void {
    switch (change.kind) {
      case "vertexCreated":
        Object.assign(this.#vertexOf(change.id), { isReal: true, type: change.type });
        return;
      case "vertexDeleted":
        return this.#delete(change.id);
      case "typeSet":
        this.#real(change.id).type = change.type;
        return;
      case "propertySet":
        this.#real(change.id).properties.set(change.property, change.value);
        return;
      case "propertyRemoved":
        if (change.property === null) this.#real(change.id).properties.clear();
        else this.#real(change.id).properties.delete(change.property);
        return;
      case "arcSet": {
        const { initial, relationship, modifier, terminal, value } = change;
        this.#vertexOf(initial).isReal = true;
        this.#vertexOf(terminal);
        const ends: ArcEnds = [initial, relationship, modifier, terminal];
        this.#arcs.set(JSON.stringify(ends), { ends, value });
        return;
      }
      case "arcRemoved": {
        const { initial, relationship, modifier, terminal } = change;
        return this.#removeArcs(([first, name, kind, last]) => {
          const isNamed = (relationship ?? name) === name && (modifier ?? kind) === kind;
          return isNamed && first === initial && last === terminal;
        });
      }
      case "truncated":
        return this.#truncate(change.type);
      default:
    }
  }

  content(): CopiedContent {
    const vertices = [...this.#vertices].flatMap(([id, { isReal, type, properties }]) => {
      return isReal ? [vertexText(id, type, [...properties])] : [];
    });
    const arcs = [...this.#arcs.values()].map(({ ends, value }) =>
      JSON.stringify([...ends, value]),
    );
    return [...vertices, ...arcs].sort();
  }

  #vertexOf(id: string): CopiedVertex {
    const vertex = this.#vertices.get(id) ?? { isReal: false, type: null, properties: new Map() };
    this.#vertices.set(id, vertex);
    return vertex;
  }

  #real(id: string): CopiedVertex {
    const vertex = this.#vertices.get(id);
    if (vertex?.isReal === true) return vertex;
    throw new Error(`a change of '${id}', which does not exist`);
  }

  #delete(id: string): void {
    // It may be virtual: deleting such a vertex changes nothing.
    const vertex = this.#vertexOf(id);
    vertex.isReal = false;
    vertex.properties.clear();
    this.#removeArcs(([initial]) => initial === id);
    this.#removeIfUnreferenced(id);
  }

  #truncate(type: string | null): void {
    for (const [id, vertex] of this.#vertices) {
      if (type !== null && vertex.type !== type) continue;
      this.#removeArcs(([initial, , , terminal]) => initial === id || terminal === id);
      this.#vertices.delete(id);
    }
  }

  #removeArcs(isRemoved: (ends: ArcEnds) => boolean): void {
    for (const [key, { ends }] of this.#arcs) {
      if (!isRemoved(ends)) continue;
      this.#arcs.delete(key);
      this.#removeIfUnreferenced(ends[3]);
    }
  }

  #removeIfUnreferenced(id: string): void {
    const isReferenced = [...this.#arcs.values()].some(({ ends }) => ends[3] === id);
    if (this.#vertices.get(id)?.isReal === false && !isReferenced) this.#vertices.delete(id);
  }
}

function vertexText(id: string, type: string | null, properties: [string, unknown][]): string {
  return JSON.stringify([id, type, properties.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns what `GraphCopy.content` returns for an exact copy. */
export function copiedContent(graph: Graph): CopiedContent {
  const { store } = getAccess(graph);
  const { vertices, ids, types, outArcs, relationships } = store;
  const content: string[] = [];
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    if (!vertices.isUsed(vertex) || !vertices.isReal(vertex)) continue;
    const id = ids.idOf(vertex);
    const type = types.nameOf(vertices.typeOf(vertex));
    const properties = Object.entries(graph.getVertex(id).getProperties());
    content.push(vertexText(id, type === "__vertex__" ? null : type, properties));
    for (let place = 0; place < outArcs.length(vertex); place++) {
      const word = outArcs.word1At(vertex, place);
      const { kind, name } = MODIFIERS[(word >>> 8) & 0xff]!;
      const ends = [
        id,
        relationships.nameOf(word >>> 16),
        name,
        ids.idOf(outArcs.otherAt(vertex, place)),
      ];
      content.push(JSON.stringify([...ends, valueFromBits(kind, outArcs.valueAt(vertex, place))]));
    }
  }
  return content.sort();
}

/** Makes a change, or none if it is impossible. Types and relationships are few, so they clash. */
export function changeRandomly(graph: Graph, random: Random): void {
  const [id, otherId] = [`v${random.below(12)}`, `v${random.below(12)}`];
  const [type, relationship] = [random.of(["t", "u"]), random.of(["r", "s"])];
  const key = `k${random.below(4)}`;
  const value = random.of([random.below(1000), "é", [1], null]);
  const exists = graph.hasVertex(id);
  const arc = [relationship, random.of([M_INT, M_FLT]), random.below(100)] as const;
  switch (random.below(12)) {
    case 0:
      graph.deleteVertex(id);
      return;
    case 1:
      if (random.below(8) === 0) graph.truncate(type);
      return;
    case 2:
      if (exists) graph.disconnect(id, random.of([undefined, relationship]));
      return;
    case 3:
      graph.count(id, relationship, otherId, random.below(9) - 4);
      return;
    case 4:
      if (exists && id !== otherId && graph.hasVertex(otherId)) graph.connect(id, "r", [otherId]);
      return;
    case 5:
    case 6:
      graph.connect(id, arc, otherId);
      return;
    case 7:
      graph.createVertex(id, exists ? {} : { type });
      return;
    case 8:
      if (exists) changeVertex(graph, id, type, key);
      return;
    default:
      graph.createVertex(id, { properties: { [key]: value } });
  }
}

/** Opens a vertex, which makes a virtual one real. */
function changeVertex(graph: Graph, id: string, type: string, key: string): void {
  using vertex = graph.openVertex(id);
  graph.batch(() => {
    if (!vertex.hasProperty(key)) vertex.removeProperties();
    else vertex.removeProperty(key);
    vertex.setType(type);
    vertex.setProperty(key, type);
  });
}
