// Deltas: saves that write only the changes since the last whole snapshot, and the state after a
// crash or a corruption between any two of their steps. SEED=n repeats a run.
// Each save waits for the disk several times, which other tests keep busy.
// limit: 120 s
// takes 6 s

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import { SnapshotFiles } from "../../../../../runtime/graph/manager/snapshot/snapshot-files.js";
import {
  readSnapshotHeader,
  snapshotCounts,
} from "../../../../../runtime/graph/manager/snapshot/snapshot-reader.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { Random, SEED } from "../../../../property/support/random.js";
import { changeAtRandom, timeless } from "../../../../property/support/random-changes.js";
import { rounds } from "../../../../support/rounds.js";
import { checkStore } from "../../support/check-store.js";
import { graphContent } from "../../support/graph-content.js";
import { makeLarge, openStore, TEST_THREAD } from "../../support/make-graph.js";

interface Context {
  folder: string;
  files: SnapshotFiles;
  store: GraphStore;
}

const test = suite<Context>("deltas of snapshots");
const NAME = "deltas";
const ROUNDS = rounds(40);
const SMALL = { minDeltaGraphBytes: 0 };
const MAX_DELTA_BYTES = 2 ** 20;

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-deltas-"));
  context.files = new SnapshotFiles(context.folder);
  context.store = GraphStore.create(NAME, TEST_THREAD);
  makeLarge(openStore(context.store));
  saveGraph(context.store, context.folder, SMALL);
});

test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

function load(folder: string, warnings: string[] = []): GraphStore {
  const store = loadGraph(NAME, folder, TEST_THREAD, { warn: (line) => warnings.push(line) })!;
  checkStore(store);
  return store;
}

function readContent(store: GraphStore): unknown {
  return timeless(graphContent(store));
}

function add(store: GraphStore, id: string): unknown {
  openStore(store).createVertex(id, { properties: { text: id } });
  return readContent(store);
}

test("contain the changes of a large graph instead of the whole graph", ({
  folder,
  files,
  store,
}) => {
  const before = statSync(files.current);
  const content = add(store, "a");
  const words = saveGraph(store, folder, SMALL);
  assert.ok(words * 8 < MAX_DELTA_BYTES, `${words * 8} bytes`);
  assert.is(statSync(files.delta).size <= words * 8, true);
  assert.is(statSync(files.current).mtimeMs, before.mtimeMs);
  assert.equal(readContent(load(folder)), content);
});

test("contain everything since the whole snapshot, also after a restart", (context) => {
  const { folder, files } = context;
  let { store } = context;
  for (const id of ["a", "b", "c"]) {
    const content = add(store, id);
    saveGraph(store, folder, SMALL);
    store = load(folder);
    assert.equal(readContent(store), content, id);
  }
  assert.ok(statSync(files.delta).size < MAX_DELTA_BYTES);
});

test("are replaced by a whole snapshot when forced, or when much has changed", (context) => {
  const { folder, files, store } = context;
  add(store, "a");
  saveGraph(store, folder, SMALL);
  saveGraph(store, folder, { ...SMALL, isForced: true });
  assert.not(existsSync(files.delta));
  assert.ok(existsSync(files.previousDelta));
  const size = statSync(files.current).size;
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(120_000, "-"));
  for (const text of texts)
    openStore(store).createVertex(text.slice(0, 9), { properties: { text } });
  saveGraph(store, folder, SMALL);
  assert.not(existsSync(files.delta));
  assert.ok(statSync(files.current).size > size * 1.5);
  assert.equal(readContent(load(folder)), readContent(store));
});

test("are not written where a log lacks the changes of this process", ({ folder, store }) => {
  const files = new SnapshotFiles(join(folder, "graphs", NAME));
  saveGraph(store, files.folder, { ...SMALL, isForced: true });
  for (const [id, isDelta] of [
    ["a", true],
    ["b", false],
  ] as const) {
    if (!isDelta) mkdirSync(join(folder, "_txlog"));
    const content = add(store, id);
    saveGraph(store, files.folder, SMALL);
    assert.is(existsSync(files.delta), isDelta);
    // A backup contains no delta.
    const { operationCount } = readSnapshotHeader(files.current);
    assert.is(operationCount === store.operationCount, !isDelta);
    assert.equal(readContent(load(files.folder)), content);
  }
});

test("are not written for small graphs", ({ folder, files, store }) => {
  add(store, "a");
  saveGraph(store, folder);
  assert.not(existsSync(files.delta));
});

test("do not count as snapshots: the log must be able to replace a corrupt delta", (context) => {
  const { folder, store } = context;
  const first = store.operationCount;
  saveGraph(store, folder, { isForced: true });
  add(store, "a");
  saveGraph(store, folder, SMALL);
  assert.is(snapshotCounts(folder, NAME), first);
});

test("lose only their own changes when corrupt", ({ folder, files, store }) => {
  const content = readContent(store);
  add(store, "a");
  saveGraph(store, folder, SMALL);
  const bytes = readFileSync(files.delta);
  for (const offset of [5, 16_384 * 2 + 7, bytes.length - 3]) {
    const corrupt = Buffer.from(bytes);
    corrupt[offset]! ^= 1;
    writeFileSync(files.delta, corrupt);
    const warnings: string[] = [];
    assert.equal(readContent(load(folder, warnings)), content, `byte ${offset}`);
    if (offset > 16_384) assert.match(warnings.join(), /ignoring changes of a corrupt file/);
  }
  writeFileSync(files.delta, bytes.subarray(0, bytes.length - 100));
  const store2 = load(folder);
  assert.equal(readContent(store2), content, "truncated");
  const next = add(store2, "b");
  saveGraph(store2, folder, SMALL);
  assert.equal(readContent(load(folder)), next);
});

test("apply to one snapshot only, whatever the name of their file", ({ folder, files, store }) => {
  add(store, "a");
  saveGraph(store, folder, SMALL);
  const withDelta = readContent(store);
  const stale = join(folder, "stale");
  copyFileSync(files.delta, stale);
  const latest = add(store, "b");
  saveGraph(store, folder, { isForced: true });
  assert.equal(readContent(load(folder)), latest);
  renameSync(stale, files.delta);
  assert.equal(readContent(load(folder)), latest, "the delta of the previous snapshot");
  // A crash between the two renames of a whole snapshot.
  rmSync(files.current);
  assert.equal(readContent(load(folder)), withDelta);
  rmSync(files.delta);
  assert.equal(readContent(load(folder)), withDelta, "from the delta of the previous snapshot");
});

test("survive a save that fails after marks were cleared", ({ folder, files, store }) => {
  const content = add(store, "a");
  const { temporary } = files;
  const { replace } = SnapshotFiles.prototype;
  SnapshotFiles.prototype.replace = () => {
    throw new Error("no rename");
  };
  try {
    assert.throws(() => saveGraph(store, folder, { isForced: true }), /no rename/);
  } finally {
    SnapshotFiles.prototype.replace = replace;
  }
  assert.not(existsSync(temporary));
  saveGraph(store, folder, SMALL);
  assert.not(existsSync(files.delta), "all chunks differ from the snapshot on disk");
  assert.equal(readContent(load(folder)), content);
});

test(`agree with the graph after random changes, saves and restarts (seed ${SEED})`, (context) => {
  const { folder, files } = context;
  let { store } = context;
  const random = new Random();
  let deltas = 0;
  let isSmall = false;
  for (let round = 0; round < ROUNDS; round++) {
    const graph = openStore(store);
    for (let change = random.below(60); change >= 0; change--) changeAtRandom(graph, random);
    // Small graphs have no deltas, so none stays small.
    if (isSmall || random.below(15) === 0) makeLarge(graph);
    isSmall = random.below(15) === 0;
    if (isSmall) graph.truncate();
    const content = readContent(store);
    saveGraph(store, folder, { ...SMALL, isForced: random.below(8) === 0 });
    if (existsSync(files.delta)) deltas++;
    const loadedStore = load(folder);
    assert.equal(readContent(loadedStore), content, `round ${round}`);
    if (random.below(3) === 0) store = loadedStore;
  }
  assert.ok(deltas > ROUNDS / 4, `${deltas} deltas`);
});

test.run();
