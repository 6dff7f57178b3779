// Vertex handles with their columns, and the id index.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NEVER, RecordWord } from "../../../../runtime/graph/memory/layout.js";
import { UNTYPED } from "../../../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../support/make-graph.js";

const test = suite("vertex ids");
const REAL = 1;
const VIRTUAL = 2;
const OTHER_THREAD = TEST_THREAD + 1;

function create(store: GraphStore, id: string): number {
  return store.writer.mutate(() => {
    const handle = store.vertices.allocate();
    store.ids.add(handle, id);
    store.vertices.setMeta(handle, UNTYPED, REAL);
    return handle;
  });
}

function destroy(store: GraphStore, handle: number): void {
  store.writer.mutate(() => {
    store.ids.remove(handle);
    store.vertices.free(handle);
  });
}

const IDS = ["a", "ab", "abc", "abcd", "abcde", "Oslo", "é€😀", "x".repeat(131_000), "x/*y z"];

/** Finds an id given as words of a log record. */
function findWords({ ids }: GraphStore, id: string): number {
  const bytes = Buffer.from(id);
  const words = new Uint32Array(1 + Math.ceil(bytes.length / 4));
  Buffer.from(words.buffer).set(bytes, 4);
  return ids.findWords(words, 1, bytes.length);
}

test("find a vertex by its id in all threads", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const attachedStore = GraphStore.attach(store.share, OTHER_THREAD);
  const handles = IDS.map((id) => create(store, id));
  for (const view of [store, attachedStore]) {
    IDS.forEach((id, index) => {
      const handle = handles[index]!;
      assert.is(view.ids.find(id), handle);
      assert.is(findWords(view, id), handle);
      assert.is(view.ids.idOf(handle), id);
      assert.is(view.ids.idOf(handle), id);
      assert.equal(Buffer.from(view.ids.bytesOf(handle)).toString(), id);
      assert.ok(view.ids.startsWith(handle, Buffer.from(id.slice(0, 1))));
      assert.not(view.ids.startsWith(handle, Buffer.from(`${id}a`)));
    });
    for (const id of ["", "b", "abcdef", "oslo", "x".repeat(131_001), "é€", "a\0"]) {
      assert.is(view.ids.find(id), 0);
      assert.is(findWords(view, id), 0);
    }
    assert.is(view.ids.idOf(0), "");
    assert.is(view.ids.idOf(1_000_000), "");
  }
  for (const handle of handles) destroy(store, handle);
  for (const view of [store, attachedStore]) {
    for (const id of IDS) assert.is(view.ids.find(id), 0);
  }
});

test("map internal ids equally in every graph, and back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const handles = IDS.map((id) => create(store, id));
  const internal = handles.map((handle) => store.ids.internalIdOf(handle));
  for (const [index, hex] of internal.entries()) {
    assert.match(hex, /^[0-9a-f]{32}$/);
    assert.is(store.ids.findInternal(hex), handles[index]);
  }
  assert.is(new Set(internal).size, IDS.length);
  assert.is(internal[0], "2b038801483aabfe0dead6c0abed0ccc");
  for (const hex of ["", "0".repeat(32), "z".repeat(32), `${internal[0]!.slice(0, 31)}!`]) {
    assert.is(store.ids.findInternal(hex), 0);
  }
  const sameHash = `${internal[0]!.slice(0, 8)}${"0".repeat(24)}`;
  assert.is(store.ids.findInternal(sameHash), 0);
  assert.is(store.ids.internalIdOf(0), "");
});

test("are ordered by their bytes", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const handles = IDS.map((id) => create(store, id)).sort((a, b) => store.ids.compare(a, b));
  const sorted = IDS.map((id) => Buffer.from(id)).sort((a, b) => a.compare(b));
  assert.equal(
    handles.map((handle) => store.ids.idOf(handle)),
    sorted.map((bytes) => bytes.toString()),
  );
  assert.is(store.ids.compare(handles[0]!, handles[0]!), 0);
});

test("invalidate caches when a handle is reused", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const attachedStore = GraphStore.attach(store.share, OTHER_THREAD);
  const first = create(store, "first");
  assert.is(attachedStore.ids.idOf(first), "first");
  const generation = attachedStore.vertices.generationOf(first);
  destroy(store, first);
  assert.not(attachedStore.vertices.isUsed(first));
  const second = create(store, "second");
  assert.is(second, first);
  assert.is(attachedStore.ids.idOf(second), "second");
  assert.is.not(attachedStore.vertices.generationOf(second), generation);
});

test("leave no vertex when its creation is rolled back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const keptVertex = create(store, "kept");
  const freed = create(store, "freed");
  destroy(store, freed);
  const { end } = store.vertices;
  let listedIds = "";
  assert.throws(() =>
    store.writer.mutate(() => {
      const handles = [create(store, "x"), create(store, "y")];
      assert.is(store.ids.find("x"), handles[0]);
      listedIds = store.ids.idOf(handles[0]!);
      destroy(store, keptVertex);
      assert.is(store.ids.find("kept"), 0);
      throw new Error("undo");
    }),
  );
  assert.is(listedIds, "x");
  assert.is(store.vertices.end, end);
  assert.equal(
    ["x", "y", "kept"].map((id) => store.ids.find(id)),
    [0, 0, keptVertex],
  );
  assert.equal([create(store, "z"), create(store, "w")], [freed, end]);
  assert.equal(
    [freed, end, keptVertex].map((handle) => store.ids.idOf(handle)),
    ["z", "w", "kept"],
  );
});

test("reset all columns of a reused handle", () => {
  const { vertices, writer, ids } = GraphStore.create("test", TEST_THREAD);
  const make = () => writer.mutate(() => vertices.allocate());
  for (let round = 0; round < 2; round++) {
    const handle = make();
    assert.is(handle, 1);
    assert.not(vertices.isUsed(handle));
    assert.equal([vertices.c1(handle), vertices.c0(handle)], [1, 0]);
    assert.is(vertices.expiresAt(handle), NEVER);
    assert.equal([vertices.outDegree(handle), vertices.inDegree(handle)], [0, 0]);
    assert.equal([vertices.createdAt(handle), vertices.modifiedAt(handle)], [0, 0]);
    assert.is(vertices.operationOf(handle), 0);
    writer.mutate(() => {
      ids.add(handle, "id");
      vertices.setMeta(handle, 40, VIRTUAL);
      vertices.setRank(handle, -0.1, 1e30);
      for (const field of [RecordWord.CreatedAt, RecordWord.ModifiedAt, RecordWord.ExpiresAt]) {
        vertices.setField(handle, field, 1234);
      }
      vertices.setField(handle, RecordWord.Operation, 5);
      vertices.setField(handle, RecordWord.OperationHigh, 6);
    });
    assert.is(vertices.typeOf(handle), 40);
    assert.equal([vertices.isUsed(handle), vertices.isReal(handle)], [true, false]);
    assert.ok(vertices.isVirtual(handle));
    assert.equal([vertices.c1(handle), vertices.c0(handle)], [-0.1, 1e30].map(Math.fround));
    assert.is(vertices.operationOf(handle), 6 * 2 ** 32 + 5);
    assert.is(vertices.expiresAt(handle), 1234);
    writer.mutate(() => {
      ids.remove(handle);
      vertices.free(handle);
    });
    assert.not(vertices.isUsed(handle));
  }
});

test("reuse memory after all vertices are deleted", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const cycle = () => {
    const handles = [];
    for (let index = 0; index < 30_000; index++) {
      handles.push(create(store, `vertex with a number ${index % 1000} ${index}`));
    }
    for (const handle of handles) destroy(store, handle);
  };
  cycle();
  const lengths = () => store.memory.arenas.map((arena) => arena.words.length);
  const before = lengths();
  for (let round = 0; round < 3; round++) cycle();
  assert.equal(lengths(), before);
});

test("treat unused handles as empty, even after another thread enlarged the columns", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const attachedStore = GraphStore.attach(store.share, OTHER_THREAD);
  assert.not(attachedStore.vertices.isUsed(50_000));
  let last = 0;
  for (let index = 0; index < 50_000; index++) last = create(store, `v${index}`);
  assert.is(last, 50_000);
  assert.ok(attachedStore.vertices.isReal(last));
  assert.is(attachedStore.vertices.c1(last), 1);
  assert.is(attachedStore.ids.find("v49999"), last);
  assert.is(attachedStore.ids.idOf(last), "v49999");
  assert.not(attachedStore.vertices.isUsed(2 ** 32 - 1));
});

test.run();
