// Peer: SQLite in memory through better-sqlite3. Vertices are numbers; arcs are a table ordered by
// initial, with an index by terminal for inarcs. All changes are in one transaction.

import Database from "better-sqlite3";

const SCHEMA = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE vertices (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
  CREATE TABLE arcs (
    initial INTEGER NOT NULL, relationship INTEGER NOT NULL, terminal INTEGER NOT NULL,
    value INTEGER NOT NULL, PRIMARY KEY (initial, relationship, terminal)
  ) WITHOUT ROWID;
  CREATE INDEX inarcs ON arcs (terminal, relationship, value);
`;

export class Peer {
  #statements;

  constructor() {
    const database = new Database(":memory:");
    database.exec(SCHEMA);
    database.exec("BEGIN");
    const one = (sql) => database.prepare(sql);
    const number = (sql) => database.prepare(sql).pluck();
    this.#statements = {
      number: number("SELECT number FROM vertices WHERE id = ?"),
      addVertex: one("INSERT INTO vertices (id) VALUES (?)"),
      connect: one(
        "INSERT INTO arcs VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      ),
      countArcs: number("SELECT count(*) FROM arcs WHERE initial = ? AND value >= 0"),
      countFiltered: number(
        "SELECT count(*) FROM arcs WHERE initial = ? AND relationship = ? AND value >= ?",
      ),
      countByDegree: number(`SELECT count(*) FROM arcs a WHERE initial = ?
        AND (SELECT count(*) FROM arcs WHERE initial = a.terminal) > ?`),
      countTwoLevels: number(`SELECT count(*) FROM arcs a JOIN arcs b ON b.initial = a.terminal
        WHERE a.initial = ? AND b.value >= 0`),
      countAll: number("SELECT count(*) FROM arcs WHERE relationship = ? AND value >= ?"),
      find: number(`SELECT value FROM arcs
        WHERE initial = (SELECT number FROM vertices WHERE id = ?) AND relationship = ?
        AND terminal = (SELECT number FROM vertices WHERE id = ?)`),
      list: database
        .prepare("SELECT id, value FROM arcs JOIN vertices ON number = terminal WHERE initial = ?")
        .raw(),
      neighborhood: number(`SELECT id FROM arcs JOIN vertices ON number = terminal
        WHERE initial = (SELECT number FROM vertices WHERE id = ?)`),
      disconnect: one(`DELETE FROM arcs
        WHERE initial = (SELECT number FROM vertices WHERE id = ?) AND relationship = ?
        AND terminal = (SELECT number FROM vertices WHERE id = ?)`),
    };
  }

  connect(from, relationship, to, value) {
    this.#statements.connect.run(this.#numberOf(from), relationship, this.#numberOf(to), value);
  }

  #numberOf(id) {
    const { number, addVertex } = this.#statements;
    return number.get(id) ?? addVertex.run(id).lastInsertRowid;
  }

  anchor(id) {
    return this.#statements.number.get(id);
  }

  countArcs(anchors) {
    let count = 0;
    for (const vertex of anchors) count += this.#statements.countArcs.get(vertex);
    return count;
  }

  countFiltered(anchors, relationship, minimum) {
    let count = 0;
    for (const vertex of anchors) {
      count += this.#statements.countFiltered.get(vertex, relationship, minimum);
    }
    return count;
  }

  countByDegree(anchors, degree) {
    let count = 0;
    for (const vertex of anchors) count += this.#statements.countByDegree.get(vertex, degree);
    return count;
  }

  countTwoLevels(anchors) {
    let count = 0;
    for (const vertex of anchors) count += this.#statements.countTwoLevels.get(vertex);
    return count;
  }

  countAll(relationship, minimum) {
    return this.#statements.countAll.get(relationship, minimum);
  }

  find(from, relationship, to) {
    return this.#statements.find.get(from, relationship, to);
  }

  list(vertex) {
    return this.#statements.list.all(vertex);
  }

  neighborhood(id) {
    return this.#statements.neighborhood.all(id);
  }

  disconnect(from, relationship, to) {
    this.#statements.disconnect.run(from, relationship, to);
  }
}
