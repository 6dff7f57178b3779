// Setting, reading and removing properties, and reclaiming their memory.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { UNTYPED } from "../../../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import {
  PropertyNumbers,
  type PropertyTable,
} from "../../../../runtime/graph/store/property-table.js";
import { checkProperties } from "../support/check-properties.js";
import { TEST_THREAD } from "../support/make-graph.js";

const test = suite("property table");
const REAL = 1;

/** A store of n vertices, from handle 1 on, and codes of some keys. */
function makeStore(vertices: number, ...names: string[]): { store: GraphStore; keys: number[] } {
  const store = GraphStore.create("test", TEST_THREAD);
  const keys = store.writer.mutate(() => {
    for (let index = 0; index < vertices; index++) {
      store.vertices.setMeta(store.vertices.allocate(), UNTYPED, REAL);
    }
    return names.map((name) => store.keys.define(name));
  });
  return { store, keys };
}

/** The value if it is a number, else NaN. */
function readNumber(properties: PropertyTable, vertex: number, key: number): number {
  const read = new PropertyNumbers(1);
  properties.readNumbers(vertex, [key], read);
  return read.numbers[0]!;
}

test("returns values of every kind", () => {
  const { store, keys } = makeStore(3, "key");
  const [key] = keys as [number];
  const { properties, writer } = store;
  const values = [
    ...[0, -0, 1, -1, 0.1, 2 ** 53 - 1, -(2 ** 53) + 1, 5e-324, -2.5e-300],
    ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ...[null, "", "Oslo", "é€😀", "a".repeat(131_000)],
    ...[new Uint8Array([1, 2, 3]), [1, 2, 3], [0.5, 2], [], new Map([[-5, 0.5]]), { a: ["b"] }],
  ];
  for (const value of values) {
    writer.mutate(() => properties.set(2, key, value));
    assert.equal(properties.get(2, key), value);
    assert.ok(typeof value !== "number" || Object.is(properties.get(2, key), value));
    const number = typeof value === "number" ? value : Number.NaN;
    assert.ok(Object.is(readNumber(properties, 2, key), number));
    checkProperties(store);
  }
  assert.is(properties.get(1, key), undefined);
  assert.is(properties.get(3, key), undefined);
});

test("distinguishes integral floats from integers, up to 2^49", () => {
  const { store, keys } = makeStore(1, "key");
  const [key] = keys as [number];
  const { properties, writer } = store;
  for (const size of [0, 1, 7, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 48 + 5, 2 ** 49 - 1]) {
    for (const value of [size, size === 0 ? 0 : -size]) {
      writer.mutate(() => properties.set(1, key, new Float(value)));
      assert.equal(properties.stored(1, key), new Float(value));
      assert.is(properties.get(1, key), value);
      assert.is(readNumber(properties, 1, key), value);
    }
  }
  for (const value of [2 ** 49, -(2 ** 49), 2 ** 53 - 1]) {
    writer.mutate(() => properties.set(1, key, new Float(value)));
    assert.is(properties.stored(1, key), value);
  }
  // No integer is that large.
  for (const value of [2 ** 53, -(2 ** 60), 1e300]) {
    writer.mutate(() => properties.set(1, key, new Float(value)));
    assert.equal(properties.stored(1, key), new Float(value));
    assert.is(properties.get(1, key), value);
  }
});

test("keeps vertices of a group independent in any order of changes", () => {
  const { store, keys } = makeStore(70, "a", "b", "c");
  const { properties, writer } = store;
  for (let step = 0; step < 70; step++) {
    // 37 is coprime to 70, so that every vertex is visited.
    const vertex = ((step * 37) % 70) + 1;
    for (const key of keys) writer.mutate(() => properties.set(vertex, key, vertex * 10 + key));
    checkProperties(store);
  }
  for (let step = 0; step < 70; step++) {
    const vertex = ((step * 23) % 70) + 1;
    const expected = { a: vertex * 10 + keys[0]!, b: vertex * 10 + keys[1]! };
    assert.equal(properties.all(vertex), { ...expected, c: vertex * 10 + keys[2]! });
    assert.ok(writer.mutate(() => properties.remove(vertex, keys[2]!)));
    assert.not.ok(writer.mutate(() => properties.remove(vertex, keys[2]!)));
    assert.equal(properties.all(vertex), expected);
    assert.equal(properties.keysOf(vertex), keys.slice(0, 2));
    checkProperties(store);
  }
});

test("counts by vertex, by key and in total", () => {
  const { store, keys } = makeStore(40, "a", "b");
  const { properties, writer } = store;
  writer.mutate(() => {
    for (let vertex = 1; vertex <= 40; vertex++) properties.set(vertex, keys[vertex % 2]!, vertex);
    properties.set(7, keys[0]!, "more");
  });
  assert.equal(store.keys.list(), { a: [keys[0], 21], b: [keys[1], 20] });
  assert.is(store.memory.header.words[Header.PropertyCount], 41);
  assert.is(properties.countOf(7), 2);
  assert.is(
    writer.mutate(() => properties.clear(7)),
    2,
  );
  assert.is(
    writer.mutate(() => properties.clear(7)),
    0,
  );
  assert.is(properties.countOf(7), 0);
  checkProperties(store);
});

test("frees cells and strings without references", () => {
  const { store, keys } = makeStore(200, "a", "b", "c", "d");
  const { properties, writer } = store;
  const texts = store.strings.count;
  const fill = (): void => {
    for (let vertex = 1; vertex <= 200; vertex++) {
      writer.mutate(() => {
        properties.set(vertex, keys[0]!, `text ${vertex}`);
        properties.set(vertex, keys[1]!, "shared");
        properties.set(vertex, keys[2]!, [vertex]);
        properties.set(vertex, keys[3]!, vertex);
      });
    }
  };
  fill();
  const used = store.memory.cells.words.length;
  assert.is(store.strings.count, texts + 401);
  for (let round = 0; round < 5; round++) {
    for (let vertex = 1; vertex <= 200; vertex++) writer.mutate(() => properties.clear(vertex));
    assert.is(store.strings.count, texts);
    checkProperties(store);
    fill();
  }
  assert.is(store.memory.cells.words.length, used);
});

test("restores everything when a mutation fails", () => {
  const { store, keys } = makeStore(40, "a", "b");
  const { properties, writer } = store;
  writer.mutate(() => {
    for (let vertex = 1; vertex < 40; vertex += 2) properties.set(vertex, keys[0]!, `v${vertex}`);
  });
  const texts = store.strings.count;
  for (let round = 0; round < 3; round++) {
    assert.throws(
      () =>
        writer.mutate(() => {
          properties.clear(3);
          for (let vertex = 1; vertex < 40; vertex++) properties.set(vertex, keys[1]!, "other");
          for (let vertex = 5; vertex < 40; vertex++) properties.set(vertex, keys[0]!, vertex);
          throw new Error("undone");
        }),
      /undone/,
    );
    assert.is(store.strings.count, texts);
    for (let vertex = 1; vertex < 40; vertex++) {
      assert.equal(properties.all(vertex), vertex % 2 === 1 ? { a: `v${vertex}` } : {});
    }
    checkProperties(store);
  }
});

test("finds growth made by another thread", () => {
  const { store, keys } = makeStore(10, "a");
  const attachedStore = GraphStore.attach(store.share, TEST_THREAD + 1);
  assert.is(attachedStore.properties.get(5, keys[0]!), undefined);
  store.writer.mutate(() => {
    for (let index = 0; index < 100_000; index++) {
      const vertex = store.vertices.allocate();
      store.vertices.setMeta(vertex, UNTYPED, REAL);
      store.properties.set(vertex, keys[0]!, vertex);
    }
  });
  for (const vertex of [100_010, 50_000, 11]) {
    assert.is(readNumber(attachedStore.properties, vertex, keys[0]!), vertex);
    assert.equal(attachedStore.properties.all(vertex), { a: vertex });
  }
  assert.is(attachedStore.properties.get(5, keys[0]!), undefined);
  assert.is(attachedStore.properties.get(10_000_000, keys[0]!), undefined);
});

test("supports any number of keys in a group", () => {
  const names = Array.from({ length: 300 }, (_, index) => `key${index}`);
  const { store, keys } = makeStore(2, ...names);
  const { properties, writer } = store;
  for (let step = 0; step < 300; step++) {
    const key = keys[(step * 77) % 300]!;
    writer.mutate(() => properties.set(1 + (step % 2), key, key));
  }
  checkProperties(store);
  const keyCodes = [...properties.keysOf(1), ...properties.keysOf(2)].sort((a, b) => a - b);
  assert.equal(keyCodes, keys);
  for (const key of properties.keysOf(1)) assert.is(properties.get(1, key), key);
});

test("is empty after truncate", () => {
  const { store, keys } = makeStore(40, "a");
  const { properties, writer } = store;
  writer.mutate(() => {
    for (let vertex = 1; vertex <= 40; vertex++) properties.set(vertex, keys[0]!, "text");
  });
  writer.mutate(() => properties.dropAll(41));
  for (let vertex = 1; vertex <= 40; vertex++) assert.equal(properties.keysOf(vertex), []);
});

test.run();
