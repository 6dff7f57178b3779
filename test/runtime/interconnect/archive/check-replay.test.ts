// Graphs of a restored data folder are compared with what was recorded of them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import { checkReplay } from "../../../../runtime/interconnect/archive/check-replay.js";
import type { GraphCheckpoint } from "../../../../runtime/interconnect/archive/manifest.js";
import { replicationPosition } from "../../../../runtime/interconnect/replication-position.js";
import { openStore } from "../../graph/support/make-graph.js";
import type { LoggedFolder } from "../support/logged-folder.js";
import { begin, isFlushed, keep, makeFolder, removeFolder } from "../support/logged-folder.js";

interface Context extends LoggedFolder {
  /** Changes a graph some times; returns its contents after each change. */
  change: (store: GraphStore, times: number) => GraphCheckpoint[];
  /** Checks the log written so far. */
  check: (expected: readonly GraphCheckpoint[]) => Promise<unknown>;
  save: () => Promise<void>;
  store: GraphStore;
}

const test = suite<Context>("check of a replay");

test.before.each((context) => {
  makeFolder(context);
  const { interconnect, clock } = begin(context);
  context.store = keep(context, interconnect);
  context.change = (store, times) =>
    Array.from({ length: times }, (_, n) => {
      // Stored in a file of its own.
      const text = "x".repeat(20_000 + store.operationCount + n);
      openStore(store).createVertex(`${store.operationCount}`, { properties: { "*text": text } });
      const { identity } = replicationPosition(store);
      return { identity, ...digestCheckpoint(store)! };
    });
  context.save = async () => void (await interconnect.save(0));
  context.check = async (expected) => {
    await isFlushed(clock);
    try {
      const { graphs, compared } = checkReplay(context.root, expected);
      return [graphs, compared];
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      return `${code}: ${message}`;
    }
  };
});

test.after.each(removeFolder);

/** The same with another digest. */
function differing(checkpoint: GraphCheckpoint): GraphCheckpoint {
  return { ...checkpoint, digest: "0".repeat(32) };
}

test("each recorded state of the log is compared, and no others", async (context) => {
  const [first, two, three] = context.change(context.store, 3) as [
    GraphCheckpoint,
    GraphCheckpoint,
    GraphCheckpoint,
  ];
  const { check } = context;
  assert.equal(await check([]), [1, 0]);
  assert.equal(await check([first, three]), [1, 2]);
  const unknown = [
    { ...differing(two), count: 99 },
    { ...differing(two), identity: "a".repeat(32) },
  ];
  assert.equal(await check(unknown), [1, 0]);
  const text = `SVC3423: graph "g" differs after ${two.count} operations`;
  assert.is(await check([first, differing(two), three]), text);
});

test("states of a snapshot are compared, and the log continues from there", async (context) => {
  const { change, check, save, store } = context;
  const [first] = change(store, 1);
  const [saved] = change(store, 1);
  await save();
  const [last] = change(store, 1);
  assert.equal(await check([first!, saved!, last!]), [1, 2], "the first one is not there any more");
  const text = `SVC3423: graph "g" differs after ${saved!.count} operations`;
  assert.is(await check([differing(saved!)]), text);
});

test("a snapshot that differs from its own digest is found before what follows it", async (c) => {
  const { change, check, save, store } = c;
  const [saved] = change(store, 1);
  const { words } = store.memory.header;
  words[Header.Digest]! ^= 1;
  await save();
  change(store, 1);
  assert.is(await check([]), `SVC3423: graph "g" differs after ${saved!.count} operations`);
});

test("all graphs are checked, also one that the log does not change", async (context) => {
  const { change, check, store, running } = context;
  const [of] = change(store, 1);
  const quiet = keep(context, running[0]!.interconnect, "quiet");
  const [also] = change(quiet, 1);
  assert.equal(await check([of!, also!]), [2, 2]);
});

test.run();
