// Peer: hand-written Maps of Maps. A vertex has a Map of its outarcs and one of its inarcs, by the
// id of the other end; parallel arcs are linked.

class Vertex {
  out = new Map();
  in = new Map();
  outDegree = 0;

  constructor(id) {
    this.id = id;
  }
}

class Arc {
  next = null;

  constructor(from, to, relationship, value) {
    this.from = from;
    this.to = to;
    this.relationship = relationship;
    this.value = value;
  }
}

export class Peer {
  #vertices = new Map();

  connect(fromId, relationship, toId, value) {
    const from = this.#vertices.get(fromId) ?? this.#add(fromId);
    const to = this.#vertices.get(toId) ?? this.#add(toId);
    const first = from.out.get(toId);
    if (first === undefined) {
      const arc = new Arc(from, to, relationship, value);
      from.out.set(toId, arc);
      to.in.set(fromId, arc);
      from.outDegree++;
      return;
    }
    let arc = first;
    while (arc.relationship !== relationship && arc.next !== null) arc = arc.next;
    if (arc.relationship === relationship) arc.value = value;
    else {
      arc.next = new Arc(from, to, relationship, value);
      from.outDegree++;
    }
  }

  #add(id) {
    const vertex = new Vertex(id);
    this.#vertices.set(id, vertex);
    return vertex;
  }

  anchor(id) {
    return this.#vertices.get(id);
  }

  countArcs(anchors) {
    let count = 0;
    for (const vertex of anchors) {
      for (const first of vertex.out.values()) {
        for (let arc = first; arc !== null; arc = arc.next) if (arc.value >= 0) count++;
      }
    }
    return count;
  }

  countFiltered(anchors, relationship, minimum) {
    let count = 0;
    for (const vertex of anchors) {
      for (const first of vertex.out.values()) {
        for (let arc = first; arc !== null; arc = arc.next) {
          if (arc.relationship === relationship && arc.value >= minimum) count++;
        }
      }
    }
    return count;
  }

  countByDegree(anchors, degree) {
    let count = 0;
    for (const vertex of anchors) {
      for (const first of vertex.out.values()) {
        for (let arc = first; arc !== null; arc = arc.next) if (arc.to.outDegree > degree) count++;
      }
    }
    return count;
  }

  countTwoLevels(anchors) {
    let count = 0;
    for (const vertex of anchors) {
      for (const first of vertex.out.values()) {
        for (let arc = first; arc !== null; arc = arc.next) count += this.#countOut(arc.to);
      }
    }
    return count;
  }

  #countOut(vertex) {
    let count = 0;
    for (const first of vertex.out.values()) {
      for (let arc = first; arc !== null; arc = arc.next) if (arc.value >= 0) count++;
    }
    return count;
  }

  countAll(relationship, minimum) {
    let count = 0;
    for (const vertex of this.#vertices.values()) {
      for (const first of vertex.out.values()) {
        for (let arc = first; arc !== null; arc = arc.next) {
          if (arc.relationship === relationship && arc.value >= minimum) count++;
        }
      }
    }
    return count;
  }

  find(fromId, relationship, toId) {
    let arc = this.#vertices.get(fromId).out.get(toId);
    while (arc.relationship !== relationship) arc = arc.next;
    return arc.value;
  }

  list(vertex) {
    const list = [];
    for (const first of vertex.out.values()) {
      for (let arc = first; arc !== null; arc = arc.next) list.push([arc.to.id, arc.value]);
    }
    return list;
  }

  neighborhood(id) {
    const list = [];
    for (const first of this.#vertices.get(id).out.values()) {
      for (let arc = first; arc !== null; arc = arc.next) list.push(arc.to.id);
    }
    return list;
  }

  disconnect(fromId, relationship, toId) {
    const from = this.#vertices.get(fromId);
    const first = from.out.get(toId);
    let arc = first;
    let before = null;
    while (arc.relationship !== relationship) {
      before = arc;
      arc = arc.next;
    }
    from.outDegree--;
    if (before !== null) before.next = arc.next;
    else if (arc.next !== null) {
      from.out.set(toId, arc.next);
      arc.to.in.set(fromId, arc.next);
    } else {
      from.out.delete(toId);
      arc.to.in.delete(fromId);
    }
  }
}
