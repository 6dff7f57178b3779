// The graph store of svc, through the package as plugins use it. Measured queries are prepared ones
// whose anchor is set by handle; everything else is by id.

import { RELATIONSHIPS } from "../../lib/graph-data.mjs";
import { initialize, svc } from "../../lib/package.mjs";

const { C_NONE, D_OUT, Graph, M_INT, V_GT, V_GTE } = svc;
const ALL = [null, D_OUT, M_INT, V_GTE, 0];
const NAMES = Array.from({ length: RELATIONSHIPS }, (_, number) => `rel${number}`);

await initialize();

export class Peer {
  static #made = 0;
  #graph = new Graph(`bench${Peer.#made++}`);
  /** By the name of what they count. */
  #queries = new Map();
  #list = this.#graph.newNeighborhoodQuery(null, { fields: ["id", "value"], result: "list" });

  connect(from, relationship, to, value) {
    this.#graph.connect(from, [NAMES[relationship], M_INT, value], to);
  }

  anchor(id) {
    const vertex = this.#graph.openVertex(id, "r");
    const { handle } = vertex;
    vertex.close();
    return handle;
  }

  countArcs(anchors) {
    return this.#count("arcs", anchors, { arc: ALL });
  }

  countFiltered(anchors, relationship, minimum) {
    const arc = [NAMES[relationship], D_OUT, M_INT, V_GTE, minimum];
    return this.#count("filtered", anchors, { arc });
  }

  countByDegree(anchors, degree) {
    return this.#count("degree", anchors, { neighbor: { outdegree: [V_GT, degree] } });
  }

  countTwoLevels(anchors) {
    const neighbor = { arc: ALL, collect: true };
    return this.#count("levels", anchors, { collect: C_NONE, neighbor });
  }

  #count(name, anchors, options) {
    let query = this.#queries.get(name);
    if (query === undefined) {
      query = this.#graph.newNeighborhoodQuery(null, options);
      this.#queries.set(name, query);
    }
    let count = 0;
    for (const handle of anchors) {
      query.vertex = handle;
      count += query.count();
    }
    return count;
  }

  countAll(relationship, minimum) {
    const arc = [NAMES[relationship], D_OUT, M_INT, V_GTE, minimum];
    return this.#graph.newArcsQuery({ condition: { arc } }).count();
  }

  find(from, relationship, to) {
    return this.#graph.arcValue(from, [NAMES[relationship], D_OUT, M_INT], to);
  }

  list(handle) {
    this.#list.vertex = handle;
    return this.#list.execute();
  }

  neighborhood(id) {
    return this.#graph.neighborhood(id);
  }

  disconnect(from, relationship, to) {
    this.#graph.disconnect(from, [NAMES[relationship], D_OUT], to);
  }
}
