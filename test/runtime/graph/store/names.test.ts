// Names and their codes in every thread, and the lists of vertices by type.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RecordWord } from "../../../../runtime/graph/memory/layout.js";
import { EnumerationError } from "../../../../runtime/graph/model/errors.js";
import { LOCK_TYPE, RELATED, UNTYPED } from "../../../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../support/make-graph.js";

const test = suite("names");
const OTHER_THREAD = TEST_THREAD + 1;

function pair(): [store: GraphStore, other: GraphStore] {
  const store = GraphStore.create("test", TEST_THREAD);
  return [store, GraphStore.attach(store.share, OTHER_THREAD)];
}

test("get codes in the order of first use, after the system's", () => {
  const [store, attachedStore] = pair();
  const { relationships, types, keys, writer } = store;
  assert.is(relationships.codeOf("__related__"), RELATED);
  assert.is(types.codeOf("__vertex__"), UNTYPED);
  assert.is(types.codeOf("lock_"), LOCK_TYPE);
  const define = (name: string) => writer.mutate(() => relationships.define(name));
  assert.equal(["likes", "knows", "likes"].map(define), [512, 513, 512]);
  assert.is(
    writer.mutate(() => types.define("person")),
    32,
  );
  assert.is(
    writer.mutate(() => keys.define("age")),
    1,
  );
  for (const view of [store, attachedStore]) {
    assert.equal([view.relationships.codeOf("knows"), view.keys.codeOf("knows")], [513, 0]);
    assert.equal(
      [512, 513, 514].map((code) => view.relationships.nameOf(code)),
      ["likes", "knows", ""],
    );
    assert.equal(
      [RELATED, 0, 511, 16_128].map((code) => view.relationships.nameOf(code)),
      ["__related__", "", "", ""],
    );
    assert.is(view.types.nameOf(32), "person");
    assert.is(view.types.nameOf(LOCK_TYPE), "lock_");
    assert.is(view.keys.nameOf(1), "age");
  }
});

test("are listed while in use", () => {
  const [{ relationships, writer }, attachedStore] = pair();
  writer.mutate(() => {
    for (const name of ["likes", "knows", "hates"]) relationships.define(name);
    relationships.addCount(512, 3);
    relationships.addCount(RELATED, 2);
    relationships.addCount(514, 1);
    relationships.addCount(514, -1);
  });
  assert.equal(attachedStore.relationships.list(), { __related__: [RELATED, 2], likes: [512, 3] });
  assert.is(attachedStore.relationships.used, 2);
  assert.equal(
    [512, 513, 514, 515].map((code) => attachedStore.relationships.count(code)),
    [3, 0, 0, 0],
  );
});

test("can be listed and counted without waiting for a writer", () => {
  const [{ relationships, writer }, attachedStore] = pair();
  writer.mutate(() => {
    for (let name = 0; name < 100; name++)
      relationships.addCount(relationships.define(`r${name}`), 1);
    // The mutex is held: waiting for it here would never end.
    assert.is(attachedStore.relationships.used, 100);
    assert.equal(attachedStore.relationships.list().r99, [611, 1]);
  });
});

test("are removed from all caches when a definition is rolled back", () => {
  const [{ relationships, writer }, attachedStore] = pair();
  assert.throws(() =>
    writer.mutate(() => {
      assert.is(relationships.define("wrong"), 512);
      assert.is(relationships.codeOf("wrong"), 512);
      assert.is(relationships.nameOf(512), "wrong");
      throw new Error("undo");
    }),
  );
  assert.is(relationships.codeOf("wrong"), 0);
  assert.is(relationships.nameOf(512), "");
  assert.is(
    attachedStore.writer.mutate(() => attachedStore.relationships.define("right")),
    512,
  );
  assert.equal(
    ["wrong", "right"].map((name) => relationships.codeOf(name)),
    [0, 512],
  );
  assert.is(relationships.nameOf(512), "right");
});

test("are copied for change feeds only after a change", () => {
  const [{ relationships, writer }, attachedStore] = pair();
  const names = relationships.byCode();
  assert.is(relationships.byCode(), names);
  assert.throws(() =>
    writer.mutate(() => {
      relationships.define("wrong");
      assert.is(relationships.byCode().get(512), "wrong");
      throw new Error("undo");
    }),
  );
  assert.equal(relationships.byCode(), names, "the definition was rolled back");
  attachedStore.writer.mutate(() => attachedStore.relationships.define("right"));
  assert.is(relationships.byCode().get(512), "right");
  assert.not.ok(names.has(512), "a feed that has started keeps its names");
});

test("report exhausted codes, after tables have grown to the maximum", () => {
  const [store, attachedStore] = pair();
  const { relationships, types, writer } = store;
  for (let code = 512; code <= 16_127; code++) {
    assert.is(
      writer.mutate(() => relationships.define(`r${code}`)),
      code,
    );
    writer.mutate(() => relationships.addCount(code, 1));
    if (code % 1000 === 0) assert.is(attachedStore.relationships.nameOf(code), `r${code}`);
  }
  assert.is(attachedStore.relationships.codeOf("r16127"), 16_127);
  assert.is(attachedStore.relationships.nameOf(600), "r600");
  writer.mutate(() => {
    for (let code = 32; code <= 239; code++) types.addCount(types.define(`t${code}`), 1);
  });
  for (const names of [relationships, types]) {
    assert.throws(
      () => writer.mutate(() => names.define("more")),
      (error: unknown) =>
        error instanceof EnumerationError &&
        error.code === "SVC2404" &&
        /^Enumeration typespace exhausted/.test(error.message),
    );
    assert.is(names.codeOf("more"), 0);
  }
});

test("have a list of vertices per type that frees its pages", () => {
  const [store, attachedStore] = pair();
  const { typeLists, vertices, writer } = store;
  const handles: number[] = [];
  writer.mutate(() => {
    for (let index = 0; index < 5000; index++) {
      handles.push(vertices.allocate());
      typeLists.add(40 + (index % 2), handles[index]!);
    }
  });
  const listed = (store: GraphStore, type: number, slice: number) => {
    const into = new Uint32Array(slice);
    const codes: number[] = [];
    for (let end = store.typeLists.count(type); end > 0; ) {
      const copied = store.typeLists.copyBefore(type, end, into);
      codes.push(...into.subarray(0, copied));
      end -= copied;
    }
    return codes.sort((a, b) => a - b);
  };
  const odd = handles.filter((_, index) => index % 2 === 1);
  for (const view of [store, attachedStore]) {
    for (const slice of [1, 7, 1024, 10_000]) assert.equal(listed(view, 41, slice), odd);
  }
  assert.is(typeLists.count(42), 0);
  assert.is(typeLists.copyBefore(42, 10, new Uint32Array(4)), 0);
  writer.mutate(() => {
    for (const handle of odd.filter((_, index) => index % 3 !== 0)) typeLists.remove(41, handle);
  });
  const left = odd.filter((_, index) => index % 3 === 0);
  assert.equal(listed(attachedStore, 41, 64), left);
  const { length } = store.memory.lists.words;
  for (let round = 0; round < 20; round++) {
    writer.mutate(() => {
      for (const handle of left) typeLists.remove(41, handle);
    });
    assert.is(typeLists.count(41), 0);
    writer.mutate(() => {
      for (const handle of left) typeLists.add(41, handle);
    });
  }
  assert.is(store.memory.lists.words.length, length);
  assert.equal(listed(store, 41, 100), left);
  const positions = left.map((handle) => vertices.fieldOf(handle, RecordWord.TypePosition));
  assert.equal(
    positions.sort((a, b) => a - b),
    [...left.keys()],
  );
});

test.run();
