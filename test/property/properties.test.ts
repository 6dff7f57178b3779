// Properties against a Map of Maps: random changes, some of them rolled back, and readers during
// writes. ROUNDS=n for more than the default.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { V_GTE } from "../../runtime/graph/model/constants.js";
import { PropertyCondition } from "../../runtime/graph/query/match/property-condition.js";
import { parseValueCondition, testValue } from "../../runtime/graph/query/match/value-condition.js";
import { UNTYPED } from "../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { PropertyNumbers, type PropertyTable } from "../../runtime/graph/store/property-table.js";
import type { PropertyValue } from "../../runtime/graph/store/property-values.js";
import { checkProperties } from "../runtime/graph/support/check-properties.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { startWorker, waitForExit } from "../support/start-worker.js";
import { Random, SEED } from "./support/random.js";

const test = suite("properties");
const ROUNDS = rounds(1);
const REAL = 1;
const VERTICES = 80;
const NAMES = ["a", "b", "c", "d", "e", "f", "g"];
const WORDS = ["Oslo", "Os", "Bergen", "", "*", "é", "5"];

type Model = Map<number, Map<string, PropertyValue>>;

/** The value if it is a number, else NaN. */
function readNumber(properties: PropertyTable, vertex: number, key: number): number {
  const read = new PropertyNumbers(1);
  properties.readNumbers(vertex, [key], read);
  return read.numbers[0]!;
}

/** A store of `VERTICES` vertices, from handle 1 on. */
function makeStore(): GraphStore {
  const store = GraphStore.create("test", TEST_THREAD);
  store.writer.mutate(() => {
    for (let index = 0; index < VERTICES; index++) {
      store.vertices.setMeta(store.vertices.allocate(), UNTYPED, REAL);
    }
    for (const name of NAMES) store.keys.define(name);
  });
  return store;
}

function randomValue(random: Random): PropertyValue {
  switch (random.below(8)) {
    case 0:
      return random.below(10) - 5;
    case 1:
      return (random.below(100) - 50) / 8;
    case 2:
      return random.of([Number.NaN, Number.POSITIVE_INFINITY, null, 0, -0]);
    case 3:
      return `unique ${random.below(1_000_000)}`;
    case 4:
      return new Uint8Array(random.list(9, () => random.below(256)));
    case 5:
      return random.list(5, () => random.below(1000) - 500);
    case 6:
      return random.of([new Map([[random.below(9), 0.5]]), { a: random.below(9) }]);
    default:
      return random.of(WORDS);
  }
}

function randomCondition(random: Random): unknown {
  const randomValue = (): unknown =>
    random.of<unknown>([random.below(10) - 5, ...WORDS.slice(0, 3)]);
  switch (random.below(5)) {
    case 0:
      return null;
    case 1:
      return randomValue();
    case 2:
      return random.of(["Os*", "*", "unique*", "\\*"]);
    case 3:
      return [16 + 2 * random.below(2), [-random.below(6), random.below(6)]];
    default:
      return [4 + 2 * random.below(6), randomValue()];
  }
}

/** Some changes of a vertex, in store and model. */
function change(store: GraphStore, model: Model, random: Random): void {
  const vertex = 1 + random.below(VERTICES);
  const name = random.of(NAMES);
  const key = store.keys.codeOf(name);
  const expected = model.get(vertex)!;
  const kind = random.below(20);
  if (kind === 0) {
    assert.is(store.properties.clear(vertex), expected.size);
    expected.clear();
  } else if (kind < 7) {
    assert.is(store.properties.remove(vertex, key), expected.delete(name));
  } else {
    const value = randomValue(random);
    store.properties.set(vertex, key, value);
    expected.set(name, value);
  }
}

function copyModel(model: Model): Model {
  return new Map([...model].map(([vertex, values]) => [vertex, new Map(values)]));
}

function compare(store: GraphStore, model: Model): void {
  checkProperties(store);
  for (const [vertex, values] of model) {
    const names = [...values.keys()].sort();
    assert.equal(
      store.properties.all(vertex),
      Object.fromEntries(names.map((n) => [n, values.get(n)])),
    );
    for (const name of NAMES) {
      const key = store.keys.codeOf(name);
      assert.is(store.properties.has(vertex, key), values.has(name));
      assert.equal(store.properties.get(vertex, key), values.get(name));
    }
  }
}

function compareCondition(store: GraphStore, model: Model, random: Random): void {
  const parts = random.list(2, () => [random.of(NAMES), randomCondition(random)] as const);
  const condition = new PropertyCondition(store, Object.fromEntries(parts));
  for (const [vertex, values] of model) {
    const expected = Object.entries(Object.fromEntries(parts)).every(
      ([name, part]) => values.has(name) && testValue(parseValueCondition(part), values.get(name)),
    );
    const text = `vertex ${vertex}, ${JSON.stringify(parts)}`;
    assert.is(condition.matches(vertex), expected, text);
  }
}

function seeded(name: string, run: (random: Random) => void | Promise<void>): void {
  test(name, async () => {
    try {
      await run(new Random());
    } catch (error) {
      console.log(`SEED=${SEED}`);
      throw error;
    }
  });
}

seeded("match a Map under random changes and roll backs", (random) => {
  const store = makeStore();
  const texts = store.strings.count;
  let model: Model = new Map();
  for (let vertex = 1; vertex <= VERTICES; vertex++) model.set(vertex, new Map());
  for (let round = 0; round < 60 * ROUNDS; round++) {
    for (let mutation = 0; mutation < 50; mutation++) {
      const isUndone = random.below(4) === 0;
      const before = isUndone ? copyModel(model) : model;
      const changes = random.below(12);
      const mutate = (): void =>
        store.writer.mutate(() => {
          for (let count = 0; count < changes; count++) change(store, model, random);
          if (isUndone) throw new Error("undone");
        });
      if (isUndone) assert.throws(mutate, /^undone$/);
      else mutate();
      model = before;
    }
    compare(store, model);
    for (let count = 0; count < 5; count++) compareCondition(store, model, random);
  }
  store.writer.mutate(() => {
    for (const vertex of model.keys()) store.properties.clear(vertex);
  });
  checkProperties(store);
  assert.is(store.strings.count, texts);
});

seeded("are read as of before or after a concurrent change", async (random) => {
  const store = makeStore();
  const { properties } = store;
  const keys = ["a", "b", "c"].map((name) => store.keys.codeOf(name));
  const [number, text, list] = keys as [number, number, number];
  const done = new Int32Array(new SharedArrayBuffer(4));
  const rounds = 60_000 * ROUNDS;
  const task = { share: store.share, thread: TEST_THREAD + 1, vertices: VERTICES, rounds, done };
  const worker = startWorker(new URL("./support/property-writer.ts", import.meta.url), {
    ...{ ...task, keys, seed: random.below(2 ** 31) },
  });
  const ended = waitForExit(worker);
  const negative = new PropertyCondition(store, { a: [V_GTE, -1000], b: "text -*" });
  let reads = 0;
  while (Atomics.load(done, 0) === 0) {
    for (let count = 0; count < 1000; count++) {
      const vertex = 1 + random.below(VERTICES);
      const values = properties.all(vertex);
      const value = values.a as number | undefined;
      if (value !== undefined) {
        reads++;
        assert.ok(value >= 0);
        assert.equal(values, { a: value, b: `text ${value}`, c: [value, value] });
      } else assert.equal(values, {});
      assert.not.ok(negative.matches(vertex));
      assert.not.ok(readNumber(properties, vertex, number) < 0);
      assert.not.match(String(properties.get(vertex, text)), /-/);
      assert.is((properties.get(vertex, list) as number[] | undefined)?.length ?? 2, 2);
    }
    // Receives messages of the thread, such as its failure.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  assert.ok(reads > 0);
  checkProperties(store);
});

test.run();
