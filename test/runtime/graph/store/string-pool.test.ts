// Interned values: one copy in memory, reference-counted, and freed with the last reference.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../support/make-graph.js";

const test = suite("string pool");
const OTHER_THREAD = TEST_THREAD + 1;
const TEXTS = ["", "a", "abcd", "é€😀", "x".repeat(131_000), "a\0b"];

test("stores equal values once until the last reference is released", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { strings, writer } = store;
  const attachedStore = GraphStore.attach(store.share, OTHER_THREAD);
  const { count } = strings;
  for (const text of TEXTS) {
    const bytes = Buffer.from(text);
    const [first, again, asBytes] = writer.mutate(() => [
      strings.intern(text),
      strings.intern(text),
      strings.internBytes(bytes),
    ]) as [number, number, number];
    assert.is(first, again);
    assert.is.not(first, asBytes);
    assert.is(strings.count, count + 2);
    for (const view of [strings, attachedStore.strings]) {
      assert.is(view.find(text), first);
      assert.is(view.text(first), text);
      assert.is(view.text(first), text);
      assert.equal(Buffer.from(view.bytes(asBytes)), bytes);
      assert.is(view.serialOf(first), strings.serialOf(first));
    }
    writer.mutate(() => strings.release(first));
    assert.is(attachedStore.strings.find(text), first);
    writer.mutate(() => strings.release(first));
    assert.is(attachedStore.strings.find(text), 0);
    writer.mutate(() => strings.release(asBytes));
    assert.is(strings.count, count);
  }
});

test("changes the serial of a reused address, so that caches notice", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { strings, writer } = store;
  const attachedStore = GraphStore.attach(store.share, OTHER_THREAD);
  const before = writer.mutate(() => strings.intern("before"));
  assert.is(attachedStore.strings.text(before), "before");
  const serial = attachedStore.strings.serialOf(before);
  writer.mutate(() => strings.release(before));
  const after = writer.mutate(() => strings.intern("after!"));
  assert.is(after, before);
  assert.is(attachedStore.strings.text(after), "after!");
  assert.is.not(attachedStore.strings.serialOf(after), serial);
});

test("restores strings and references on roll back", () => {
  const { strings, writer } = GraphStore.create("test", TEST_THREAD);
  const keptText = writer.mutate(() => strings.intern("kept"));
  const serial = strings.serialOf(keptText);
  assert.throws(() =>
    writer.mutate(() => {
      strings.release(keptText);
      assert.is(strings.find("kept"), 0);
      assert.is.not(strings.intern("new!"), keptText);
      throw new Error("undo");
    }),
  );
  assert.equal([strings.find("kept"), strings.find("new!")], [keptText, 0]);
  assert.is(strings.serialOf(keptText), serial);
  assert.is(strings.text(keptText), "kept");
  writer.mutate(() => strings.release(keptText));
  assert.is(strings.find("kept"), 0);
});

test("returns some string for a stale pointer instead of failing", () => {
  const { strings } = GraphStore.create("test", TEST_THREAD);
  for (const pointer of [0, 1, 3, 17, 1000, 20_000, 2 ** 31, 2 ** 32 - 1]) {
    assert.type(strings.text(pointer), "string");
    assert.instance(strings.bytes(pointer), Uint8Array);
    assert.type(strings.serialOf(pointer), "number");
  }
});

test("reuses memory of freed values", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { strings, writer } = store;
  const cycle = () => {
    const pointers: number[] = [];
    for (let index = 0; index < 10_000; index++) {
      pointers.push(writer.mutate(() => strings.intern(`some value, number ${index}`)));
    }
    for (const pointer of pointers) writer.mutate(() => strings.release(pointer));
  };
  cycle();
  const lengths = () => store.memory.arenas.map((arena) => arena.words.length);
  const before = lengths();
  for (let round = 0; round < 3; round++) cycle();
  assert.equal(lengths(), before);
});

test.run();
