// A thread dies at each single write of each kind of change: recovery restores the graph before or
// after the change, never in between, the transaction log agrees, and the next writer continues.
// The same when memory allocation fails and the thread survives. POINTS=n is the number of writes
// tried in each change, evenly distributed; SEED=n repeats the first one.
// limit: 60 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Arena } from "../../runtime/graph/memory/arena.js";
import { Writer } from "../../runtime/graph/memory/writer.js";
import { M_INT } from "../../runtime/graph/model/constants.js";
import { CapacityError } from "../../runtime/graph/model/errors.js";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { readWriter } from "../runtime/graph/support/header-words.js";
import { loggedStore, replayTo } from "../runtime/graph/support/logged-graph.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { buildGraph, CASES, type ChangeCase } from "./support/change-cases.js";
import { comparable, withoutOperations } from "./support/comparable.js";
import { DyingStore } from "./support/dying-store.js";
import { FakeClock } from "./support/fake-clock.js";
import { openForChanges } from "./support/make-change.js";
import { Random } from "./support/random.js";

const test = suite<{ clock: FakeClock }>("interrupted changes");
const POINTS = Number(process.env.POINTS ?? rounds(20));
const DEAD = 120;
const HEIR = 121;
/** Small, so that it is soon written completely. */
const RING_WORDS = 2 ** 16;

test.before.each((context) => {
  context.clock = new FakeClock().start();
});

test.after.each(({ clock }) => {
  clock.stop();
});

/** All memory of a graph, to be restored; except for words that only snapshots read. */
class Image {
  readonly #arenas: readonly Pick<Arena, "words" | "refresh">[];
  readonly #saved: readonly Uint32Array[];

  constructor({ memory }: GraphStore) {
    const ring = { words: memory.log?.words ?? new Uint32Array(0), refresh: () => undefined };
    this.#arenas = [...memory.arenas.filter((arena) => arena !== memory.dirty), ring];
    this.#saved = this.#arenas.map(({ words }) => {
      let length = words.length;
      while (length > 0 && words[length - 1] === 0) length--;
      return words.slice(0, length);
    });
  }

  restore(): void {
    this.#arenas.forEach((arena, index) => {
      arena.refresh();
      arena.words.fill(0);
      arena.words.set(this.#saved[index]!);
    });
  }
}

/** Runs a change up to a write in a thread that then dies; returns the number of words written. */
function dieAfter(
  store: GraphStore,
  clock: FakeClock,
  change: ChangeCase["change"],
  writes: number,
): number {
  const dying = new DyingStore(store.share, DEAD);
  const changed = openForChanges(dying.store, clock);
  assert.is(
    dying.run(writes, () => change(changed)),
    writes !== Number.POSITIVE_INFINITY,
  );
  return dying.written;
}

/** The graph after recovery, which must be consistent and writable. */
function recovered(store: GraphStore, clock: FakeClock): unknown {
  const heir = GraphStore.attach(store.share, HEIR);
  recoverGraph(heir, DEAD);
  assert.is(readWriter(heir.memory), 0);
  checkStore(heir);
  const content = withoutOperations(heir);
  const { graph } = openForChanges(heir, clock);
  graph.connect("next", ["after", M_INT, 1], "leaf 3");
  graph.createVertex("next", { properties: { text: "next" } });
  checkStore(heir);
  return content;
}

for (const { name, change, isMany = false } of CASES) {
  test(`${name}: the thread dies`, ({ clock }) => {
    const random = new Random();
    const store = loggedStore(RING_WORDS);
    const copy = GraphStore.create("test", TEST_THREAD);
    buildGraph(openForChanges(store, clock));
    replayTo(store, copy);
    const image = new Image(store);
    const copyImage = new Image(copy);
    const before = withoutOperations(store);
    const writes = dieAfter(store, clock, change, Number.POSITIVE_INFINITY);
    const after = recovered(store, clock);
    assert.not.equal(after, before);
    const step = Math.max(1, writes / POINTS);
    for (let point = random.below(Math.ceil(step)); point < writes; point += step) {
      image.restore();
      dieAfter(store, clock, change, Math.floor(point));
      const content = recovered(store, clock);
      const isEither = JSON.stringify(content) === JSON.stringify(before) || isMany;
      if (!isEither) assert.equal(content, after, `died after ${Math.floor(point)} of ${writes}`);
      copyImage.restore();
      const freshStore = GraphStore.attach(copy.share, TEST_THREAD);
      replayTo(store, freshStore);
      const now = comparable(GraphStore.attach(store.share, HEIR));
      assert.equal(comparable(freshStore), now, `log after ${Math.floor(point)} of ${writes}`);
    }
  });
}

/** Runs a change that fails at one of its memory allocations; returns their number. */
function failAfter(
  store: GraphStore,
  clock: FakeClock,
  change: ChangeCase["change"],
  allocations: number,
): number {
  const changed = openForChanges(GraphStore.attach(store.share, DEAD), clock);
  let count = 0;
  const require: Writer["ensureWords"] = function require(this: Writer, arena, words) {
    if (count++ === allocations) throw new CapacityError("test");
    Writer.prototype.ensureWords.call(this, arena, words);
  };
  Object.assign(changed.store.writer, { require });
  try {
    change(changed);
  } catch (error) {
    assert.instance(error, CapacityError);
  }
  changed.session.releaseAll();
  return count;
}

for (const { name, change, isMany = false, isInSteps = false, cannotFail = false } of CASES) {
  if (cannotFail) continue;
  test(`${name}: a memory allocation fails`, ({ clock }) => {
    const store = GraphStore.create("test", TEST_THREAD);
    buildGraph(openForChanges(store, clock));
    const image = new Image(store);
    const before = withoutOperations(store);
    const times = failAfter(store, clock, change, -1);
    const after = withoutOperations(store);
    for (let allocations = 0; allocations < times; allocations++) {
      image.restore();
      failAfter(store, clock, change, allocations);
      checkStore(store);
      const freshStore = GraphStore.attach(store.share, HEIR);
      const content = withoutOperations(freshStore);
      const isEither = JSON.stringify(content) === JSON.stringify(before) || isMany || isInSteps;
      if (!isEither) assert.equal(content, after, `failed at ${allocations} of ${times}`);
    }
  });
}

test.run();
