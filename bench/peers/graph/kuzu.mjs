// Peer: kuzu in memory. Arcs are loaded with COPY from files, as its documentation advises; single
// arcs take a hundred times longer. Every query uses a prepared statement.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import kuzu from "kuzu";

const START = "MATCH (a:Vertex {id: $id})-[e:Arc]->(b:Vertex)";
const PAIR =
  "MATCH (a:Vertex {id: $from})-[e:Arc {relationship: $relationship}]->(b:Vertex {id: $to})";
const QUERIES = {
  countArcs: `${START} WHERE e.value >= 0 RETURN count(*) AS n`,
  countFiltered: `${START} WHERE e.relationship = $relationship AND e.value >= $least
    RETURN count(*) AS n`,
  countByDegree: `${START} WHERE COUNT { MATCH (b)-[:Arc]->(:Vertex) } > $degree
    RETURN count(*) AS n`,
  countTwoLevels: `${START}-[f:Arc]->(:Vertex) WHERE f.value >= 0 RETURN count(*) AS n`,
  countAll: `MATCH ()-[e:Arc]->() WHERE e.relationship = $relationship AND e.value >= $least
    RETURN count(*) AS n`,
  find: `${PAIR} RETURN e.value AS n`,
  list: `${START} RETURN b.id AS id, e.value AS value`,
  disconnect: `${PAIR} DELETE e`,
};

export class Peer {
  static hasThreads = true;
  #connection;
  #statements;

  constructor() {
    this.#connection = new kuzu.Connection(new kuzu.Database(":memory:"));
    this.#connection.querySync("CREATE NODE TABLE Vertex(id STRING PRIMARY KEY)");
    const columns = "relationship INT64, value INT64";
    this.#connection.querySync(`CREATE REL TABLE Arc(FROM Vertex TO Vertex, ${columns})`);
    const prepared = Object.entries(QUERIES).map(([name, text]) => {
      return [name, this.#connection.prepareSync(text)];
    });
    this.#statements = Object.fromEntries(prepared);
  }

  /** Replaces `connect` of each arc. */
  connectAll({ count, from, to, relationship, value }, ids) {
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
    try {
      const ends = new Set();
      const arcs = [];
      for (let arc = 0; arc < count; arc++) {
        ends.add(from[arc]).add(to[arc]);
        arcs.push(`${ids[from[arc]]},${ids[to[arc]]},${relationship[arc]},${value[arc]}`);
      }
      this.#copy(
        "Vertex",
        Array.from(ends, (end) => ids[end]),
        folder,
      );
      this.#copy("Arc", arcs, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #copy(table, lines, folder) {
    const file = join(folder, `${table}.csv`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    this.#connection.querySync(`COPY ${table} FROM "${file}"`);
  }

  #run(name, values) {
    const result = this.#connection.executeSync(this.#statements[name], values);
    const rows = result.getAllSync();
    result.close();
    return rows;
  }

  #count(name, anchors, values) {
    let count = 0;
    for (const id of anchors) count += Number(this.#run(name, { id, ...values })[0].n);
    return count;
  }

  anchor(id) {
    return id;
  }

  countArcs(anchors) {
    return this.#count("countArcs", anchors, {});
  }

  countFiltered(anchors, relationship, minimum) {
    return this.#count("countFiltered", anchors, { relationship, least: minimum });
  }

  countByDegree(anchors, degree) {
    return this.#count("countByDegree", anchors, { degree });
  }

  countTwoLevels(anchors) {
    return this.#count("countTwoLevels", anchors, {});
  }

  countAll(relationship, minimum) {
    return Number(this.#run("countAll", { relationship, least: minimum })[0].n);
  }

  find(from, relationship, to) {
    return Number(this.#run("find", { from, relationship, to })[0].n);
  }

  list(id) {
    return this.#run("list", { id }).map((row) => [row.id, Number(row.value)]);
  }

  neighborhood(id) {
    return this.#run("list", { id }).map((row) => row.id);
  }

  disconnect(from, relationship, to) {
    this.#run("disconnect", { from, relationship, to });
  }
}
