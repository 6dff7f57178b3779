// Files of a data folder that are copied to a backup, in pieces, while graphs are saved.

import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import { copyFiles } from "../../../../runtime/interconnect/archive/backup-files.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { segmentName } from "../../../../runtime/interconnect/log/segment-format.js";
import { replicationPosition } from "../../../../runtime/interconnect/replication-position.js";
import { makeLog } from "../../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../../graph/support/make-graph.js";

const PIECE_BYTES = 2 ** 23;
const LOCAL = "_txlog/local";

interface Context {
  root: string;
  /** Path, place and length of each piece. */
  pieces: string[];
  store: GraphStore;
}

const test = suite<Context>("files of a backup");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-backup-"));
  context.pieces = [];
  const values = { folder: join(context.root, "g"), isWritable: true };
  context.store = GraphStore.create("g", TEST_THREAD, { log: makeLog(), values });
  mkdirSync(join(context.root, LOCAL), { recursive: true });
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** @param stored called after each piece */
function copy({ root, pieces }: Context, stored: (path: string) => void = () => undefined) {
  return copyFiles(root, realDisk, async (path, offset, { length: bytes }) => {
    pieces.push(`${path} ${offset} ${bytes}`);
    stored(path);
    return { path, at: offset, bytes, object: "0".repeat(64) };
  });
}

/** Saves the graph after another change. */
function save({ root, store }: Context): void {
  const graph = openStore(store);
  graph.createVertex(`${graph.order}`, { properties: { "*text": "x".repeat(20_000) } });
  saveGraph(store, join(root, "g"));
}

test("files are copied in pieces of 8 MiB, an empty one as a piece", async (context) => {
  const lengths = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1];
  for (const [index, bytes] of lengths.entries()) {
    const file = join(context.root, LOCAL, segmentName(index + 1));
    writeFileSync(file, "");
    truncateSync(file, bytes);
  }
  writeFileSync(join(context.root, "_lineage.json"), "{}");
  const { pieces, graphs } = await copy(context);
  const name = (index: number) => `${LOCAL}/${segmentName(index + 1)}`;
  assert.equal(context.pieces, [
    ...lengths.slice(0, 4).map((bytes, index) => `${name(index)} 0 ${bytes}`),
    ...[`${name(4)} 0 ${PIECE_BYTES}`, `${name(4)} ${PIECE_BYTES} 1`, "_lineage.json 0 2"],
  ]);
  assert.equal([pieces.length, graphs], [7, []]);
});

test("a graph is copied with its values, and where it was", async (context) => {
  const { store } = context;
  save(context);
  const { graphs, pieces } = await copy(context);
  assert.equal(
    pieces.map(({ path, at, bytes }) => `${path} ${at} ${bytes}`),
    context.pieces,
  );
  const { count, digest } = digestCheckpoint(store)!;
  assert.equal(graphs, [{ identity: replicationPosition(store).identity, count, digest }]);
  const paths = context.pieces.map((piece) => piece.split(" ")[0]!);
  assert.is(paths[0], "g/graph.snapshot");
  assert.ok(paths.length > 1);
  assert.ok(paths.slice(1).every((path) => /^g\/[^/]+\/[0-9a-f]{2}\/[0-9a-f]{62}$/.test(path)));
});

test("a snapshot that a save overtakes is copied again, for some time", async (context) => {
  save(context);
  let saves = 2;
  const { graphs } = await copy(context, (path) => {
    if (path === "g/graph.snapshot" && saves-- > 0) save(context);
  });
  assert.is(graphs[0]!.count, context.store.operationCount);
  const snapshots = () => context.pieces.filter((piece) => piece.startsWith("g/graph.snapshot "));
  assert.is(snapshots().length, 3);
  context.pieces.length = 0;
  const endless = copy(context, (path) => {
    if (path === "g/graph.snapshot") save(context);
  });
  const { code } = (await endless.catch((error: Error) => error)) as { code?: string };
  assert.equal([code, snapshots().length], ["SVC3422", 10]);
});

test.run();
