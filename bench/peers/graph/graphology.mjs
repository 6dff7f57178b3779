// Peer: graphology, a directed multigraph. Arc keys consist of ends and relationship, so connecting
// again sets the value.

import { MultiDirectedGraph } from "graphology";

export class Peer {
  #graph = new MultiDirectedGraph();

  connect(from, relationship, to, value) {
    this.#graph.mergeEdgeWithKey(keyOf(from, relationship, to), from, to, { relationship, value });
  }

  anchor(id) {
    return id;
  }

  countArcs(anchors) {
    let count = 0;
    const each = (_key, { value }) => {
      if (value >= 0) count++;
    };
    for (const vertex of anchors) this.#graph.forEachOutEdge(vertex, each);
    return count;
  }

  countFiltered(anchors, relationship, minimum) {
    let count = 0;
    const each = (_key, arc) => {
      if (arc.relationship === relationship && arc.value >= minimum) count++;
    };
    for (const vertex of anchors) this.#graph.forEachOutEdge(vertex, each);
    return count;
  }

  countByDegree(anchors, degree) {
    let count = 0;
    const each = (_key, _arc, _from, to) => {
      if (this.#graph.outDegree(to) > degree) count++;
    };
    for (const vertex of anchors) this.#graph.forEachOutEdge(vertex, each);
    return count;
  }

  countTwoLevels(anchors) {
    let count = 0;
    const second = (_key, { value }) => {
      if (value >= 0) count++;
    };
    const first = (_key, _arc, _from, to) => this.#graph.forEachOutEdge(to, second);
    for (const vertex of anchors) this.#graph.forEachOutEdge(vertex, first);
    return count;
  }

  countAll(relationship, minimum) {
    let count = 0;
    this.#graph.forEachEdge((_key, arc) => {
      if (arc.relationship === relationship && arc.value >= minimum) count++;
    });
    return count;
  }

  find(from, relationship, to) {
    return this.#graph.getEdgeAttribute(keyOf(from, relationship, to), "value");
  }

  list(vertex) {
    return this.#graph.mapOutEdges(vertex, (_key, { value }, _from, to) => [to, value]);
  }

  neighborhood(id) {
    return this.#graph.mapOutEdges(id, (_key, _arc, _from, to) => to);
  }

  disconnect(from, relationship, to) {
    this.#graph.dropEdge(keyOf(from, relationship, to));
  }
}

function keyOf(from, relationship, to) {
  return `${from}>${to}:${relationship}`;
}
