// Pending texts as a thread has read them: changed again, indexed meanwhile, renumbered, and lost
// when the list of changes was overwritten.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NO_TERM } from "../../../../runtime/graph/texts/analysis/word-forms.js";
import { PendingLog } from "../../../../runtime/graph/texts/pending-log.js";

const test = suite("pending log");
const MOST = 8;

/** Changes of vertices whose text is the number of the change; each version lists one. */
class Changes {
  readonly #vertices: number[] = [0];
  /** Changes that another thread makes during the next read. */
  meanwhile: readonly number[] = [];
  readonly log = new PendingLog(2, { textOf: (term) => (term < 100 ? `a${term}` : `b${term}`) });

  change(...vertices: number[]): void {
    this.#vertices.push(...vertices);
  }

  restart(): void {
    this.#vertices.length = 1;
  }

  get serial(): number {
    return this.#vertices.length - 1;
  }

  versionOf(vertex: number): number {
    return Math.max(0, this.#vertices.lastIndexOf(vertex));
  }

  vertexOfVersion(version: number): number {
    return this.#vertices[version]!;
  }

  /** Returns the vertices with a change that a search finds, by vertex. */
  update(builtTo: number): [vertex: number, version: number][] {
    const range = { builtTo, serial: this.serial, most: MOST };
    const read = (vertex: number) => {
      this.change(...this.meanwhile);
      this.meanwhile = [];
      const version = this.versionOf(vertex);
      return { vertex, version, terms: [null, Int32Array.of(version, 100)], lengths: [0, 2] };
    };
    this.log.update(this, range, read, () => {});
    const entries: [number, number][] = [];
    for (let version = 1; version <= this.serial; version++) {
      this.log.visit(version, (text) => {
        assert.is(text % 2, 1);
        entries.push([this.log.documents[text >> 1]!.vertex, version]);
      });
    }
    const words: number[] = [];
    for (const term of this.log.termsWith("a")) this.log.visit(term, () => words.push(term));
    assert.equal(
      words.sort((a, b) => a - b),
      entries.map(([, version]) => version),
    );
    assert.is(this.log.count, entries.length);
    assert.equal(this.log.lengths, [0, 2 * entries.length]);
    return entries.sort(([a], [b]) => a - b);
  }
}

test("contains the last change of each vertex", () => {
  const changes = new Changes();
  changes.change(5, 6, 5);
  assert.equal(changes.update(0), [
    [5, 3],
    [6, 2],
  ]);
  changes.change(6, 7);
  assert.equal(changes.update(0), [
    [5, 3],
    [6, 4],
    [7, 5],
  ]);
});

test("omits changes that the index contains", () => {
  const changes = new Changes();
  changes.change(5, 6, 7);
  changes.update(0);
  assert.equal(changes.update(2), [[7, 3]]);
  changes.change(5);
  assert.equal(changes.update(2), [
    [5, 4],
    [7, 3],
  ]);
  assert.equal(changes.update(4), []);
  changes.change(8);
  assert.equal(changes.update(4), [[8, 5]]);
});

test("lists each text of a term once, also after other texts and after a removal", () => {
  const log = new PendingLog(2, { textOf: () => "a" });
  const read = (vertex: number) => {
    const texts = [Int32Array.of(7, 7, NO_TERM, 7), Int32Array.of(7, 20_000)];
    return { vertex, version: vertex, terms: texts, lengths: [3, 2] };
  };
  const changes = {
    serial: 2,
    versionOf: (vertex: number) => vertex,
    vertexOfVersion: (at: number) => at,
  };
  log.update(changes, { builtTo: 0, serial: 2, most: MOST }, read, () => {});
  const texts: number[] = [];
  for (const term of log.termsWith("a")) log.visit(term, (text) => texts.push(text));
  assert.equal(texts, [3, 2, 1, 0, 3, 1]);
  log.visit(50_000, () => assert.unreachable("a term that no text has"));
});

test("restarts when versions restart", () => {
  const changes = new Changes();
  changes.change(5, 6, 7);
  changes.update(0);
  changes.restart();
  changes.change(9, 8);
  assert.equal(changes.update(0), [
    [8, 2],
    [9, 1],
  ]);
});

test("discards a list that was overwritten meanwhile", () => {
  const changes = new Changes();
  changes.change(5, 6);
  changes.meanwhile = Array.from({ length: MOST }, (_, index) => 10 + index);
  assert.equal(changes.update(0), []);
  assert.is(changes.update(9).length, 1);
});

test.run();
