// Peer: ngraph.graph. It has one link per pair of nodes, whose data are the arcs of the pair.

import createGraph from "ngraph.graph";

export class Peer {
  #graph = createGraph();

  connect(from, relationship, to, value) {
    const link = this.#graph.getLink(from, to);
    if (link === null || link === undefined) {
      this.#graph.addLink(from, to, [{ relationship, value }]);
      return;
    }
    const arc = link.data.find((candidate) => candidate.relationship === relationship);
    if (arc === undefined) link.data.push({ relationship, value });
    else arc.value = value;
  }

  anchor(id) {
    return this.#graph.getNode(id);
  }

  countArcs(anchors) {
    let count = 0;
    for (const node of anchors) {
      for (const { fromId, data } of node.links) {
        if (fromId !== node.id) continue;
        for (const arc of data) if (arc.value >= 0) count++;
      }
    }
    return count;
  }

  countFiltered(anchors, relationship, minimum) {
    let count = 0;
    for (const node of anchors) {
      for (const { fromId, data } of node.links) {
        if (fromId !== node.id) continue;
        for (const arc of data) {
          if (arc.relationship === relationship && arc.value >= minimum) count++;
        }
      }
    }
    return count;
  }

  countByDegree(anchors, degree) {
    let count = 0;
    for (const node of anchors) {
      for (const { fromId, toId, data } of node.links) {
        if (fromId !== node.id) continue;
        if (countOut(this.#graph.getNode(toId)) > degree) count += data.length;
      }
    }
    return count;
  }

  countTwoLevels(anchors) {
    let count = 0;
    for (const node of anchors) {
      for (const { fromId, toId, data } of node.links) {
        if (fromId !== node.id) continue;
        count += data.length * countOut(this.#graph.getNode(toId));
      }
    }
    return count;
  }

  countAll(relationship, minimum) {
    let count = 0;
    this.#graph.forEachLink(({ data }) => {
      for (const arc of data)
        if (arc.relationship === relationship && arc.value >= minimum) count++;
    });
    return count;
  }

  find(from, relationship, to) {
    const { data } = this.#graph.getLink(from, to);
    return data.find((arc) => arc.relationship === relationship).value;
  }

  list(node) {
    const list = [];
    for (const { fromId, toId, data } of node.links) {
      if (fromId !== node.id) continue;
      for (const arc of data) list.push([toId, arc.value]);
    }
    return list;
  }

  neighborhood(id) {
    const list = [];
    for (const { fromId, toId, data } of this.#graph.getNode(id).links) {
      if (fromId === id) for (let arc = 0; arc < data.length; arc++) list.push(toId);
    }
    return list;
  }

  disconnect(from, relationship, to) {
    const link = this.#graph.getLink(from, to);
    link.data = link.data.filter((arc) => arc.relationship !== relationship);
    if (link.data.length === 0) this.#graph.removeLink(link);
  }
}

/** Counts the outarcs of a node, whose links are those of both directions. */
function countOut(node) {
  let count = 0;
  for (const { fromId, data } of node.links) {
    if (fromId === node.id) for (const arc of data) if (arc.value >= 0) count++;
  }
  return count;
}
