// The hash index with colliding hashes: the same entries as a map while growing and shrinking.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allocateGraphMemory, GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { SeqlockReader } from "../../../../runtime/graph/memory/seqlock-reader.js";
import { Writer } from "../../../../runtime/graph/memory/writer.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { HashIndex } from "../../../../runtime/graph/store/hash-index.js";
import { Random, SEED } from "../../../property/support/random.js";

const test = suite("hash index");

function makeIndex(): { index: HashIndex; writer: Writer; sequence: () => number } {
  const memory = new GraphMemory(allocateGraphMemory("test"));
  const writer = new Writer(memory, 1);
  const reader = new SeqlockReader(writer);
  const index = new HashIndex(writer, reader, Header.IdSegments, Header.IndexSequence);
  writer.mutate(() => index.format());
  return { index, writer, sequence: () => memory.header.words[Header.IndexSequence]! };
}

const isEntry = (sought: number) => ({ matches: (entry: number) => entry === sought });

test("finds entries despite shared hashes", () => {
  const random = new Random();
  for (const [segments, slots] of [
    [1, 5],
    [2, 40],
    [256, 2 ** 24],
  ] as const) {
    const { index, writer } = makeIndex();
    const hashes = new Map<number, number>();
    // Few hashes, so that probe chains overlap; at most 32 entries of one.
    for (let step = 0; step < 3000; step++) {
      const isGrowing = step % 1500 < 750;
      const entry = 1 + random.below(150);
      const hash = hashes.get(entry);
      if (hash === undefined && (isGrowing || random.below(4) === 0)) {
        const created = (random.below(segments) << 24) | random.below(slots);
        const same = [...hashes.values()].filter((hash) => hash === created).length;
        if (same === 32) continue;
        writer.mutate(() => index.add(created, entry));
        hashes.set(entry, created);
      } else if (hash !== undefined && (!isGrowing || random.below(4) === 0)) {
        writer.mutate(() => index.remove(hash, entry));
        hashes.delete(entry);
      }
      if (step % 10 !== 0) continue;
      for (let sought = 1; sought <= 150; sought++) {
        const match = index.find(hashes.get(sought) ?? 0, isEntry(sought));
        assert.is(match, hashes.has(sought) ? sought : 0, `seed ${SEED}`);
      }
    }
  }
});

test("rolls back additions, and invalidates misses of concurrent lookups", () => {
  const { index, writer, sequence } = makeIndex();
  writer.mutate(() => {
    for (let entry = 1; entry <= 100; entry++) index.add(entry % 7, entry);
  });
  const before = sequence();
  assert.throws(() =>
    writer.mutate(() => {
      for (let entry = 1; entry <= 90; entry++) index.remove(entry % 7, entry);
      for (let entry = 200; entry <= 220; entry++) index.add(entry % 7, entry);
      assert.is(index.find(201 % 7, isEntry(201)), 201);
      assert.is(index.find(1, isEntry(1)), 0);
      assert.is(sequence() & 1, 1);
      throw new Error("undo");
    }),
  );
  assert.is(sequence() & 1, 0);
  assert.ok(sequence() > before);
  for (let entry = 1; entry <= 220; entry++) {
    assert.is(index.find(entry % 7, isEntry(entry)), entry <= 100 ? entry : 0);
  }
});

test("rolls back an entry that replaces a removed one", () => {
  const { index, writer } = makeIndex();
  // Another entry, so that the table stays.
  writer.mutate(() => index.add(3, 9));
  writer.mutate(() => index.add(8, 1));
  assert.throws(() =>
    writer.mutate(() => {
      index.remove(8, 1);
      index.add(16, 2);
      throw new Error("undo");
    }),
  );
  assert.is(index.find(16, isEntry(1)), 0);
  assert.is(index.find(8, isEntry(1)), 1);
  writer.mutate(() => index.remove(8, 1));
});

test("holds at most 32 entries of one hash", () => {
  const { index, writer } = makeIndex();
  for (let entry = 1; entry <= 32; entry++) writer.mutate(() => index.add(9, entry));
  assert.throws(
    () => writer.mutate(() => index.add(9, 33)),
    (error: unknown) => error instanceof CapacityError && error.code === "SVC2402",
  );
  assert.is(index.find(9, isEntry(33)), 0);
  writer.mutate(() => index.remove(9, 5));
  writer.mutate(() => index.add(9, 33));
  assert.is(index.find(9, isEntry(33)), 33);
});

test("frees tables when their entries are removed", () => {
  const { index, writer } = makeIndex();
  const fill = () =>
    writer.mutate(() => {
      for (let entry = 1; entry <= 20_000; entry++) {
        index.add(Math.imul(entry, 0x9e37_79b1), entry);
      }
    });
  const empty = () => {
    for (let entry = 1; entry <= 20_000; entry++) {
      writer.mutate(() => index.remove(Math.imul(entry, 0x9e37_79b1), entry));
    }
  };
  fill();
  empty();
  const { length } = writer.memory.index.words;
  for (let round = 0; round < 3; round++) {
    fill();
    empty();
  }
  assert.is(writer.memory.index.words.length, length);
});

test.run();
