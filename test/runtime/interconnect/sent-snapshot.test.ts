// A snapshot that a provider sends: its messages, and the files that it becomes at a subscriber.

import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { saveGraph } from "../../../runtime/graph/manager/snapshot/save-graph.js";
import { listValues } from "../../../runtime/graph/store/external-values.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import {
  installSnapshot,
  receiveSnapshot,
  sendSnapshot,
} from "../../../runtime/interconnect/snapshot-transfer.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";

const test = suite<{ from: string; to: string; root: string }>("sent snapshot");

const CHUNK_BYTES = 2 ** 18;
const GRAPH = { number: 3, identity: "a".repeat(32), name: "g", path: "g" };
/** It is kept in a file of its own. */
const LARGE = { "*text": "long ".repeat(70_000) };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-sent-"));
  context.from = join(context.root, "from");
  context.to = join(context.root, "to");
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** Saves a graph with three vertices; returns its count of changes. */
function save(folder: string, properties: Record<string, string> = {}): number {
  const values = { folder, isWritable: true };
  const store = GraphStore.create("g", TEST_THREAD, { values });
  for (const id of ["a", "b"]) openStore(store).createVertex(id);
  openStore(store).createVertex("c", { properties });
  saveGraph(store, folder);
  return store.operationCount;
}

/** Sends the saved graph; `begun` is called before its content is sent. */
async function send(folder: string, begun = (): void => undefined) {
  const messages: [type: number, body: Buffer][] = [];
  const heads: { readonly bytes: number; readonly values?: number; readonly count: number }[] = [];
  const sink = {
    send: async (type: number, body: Uint8Array) => void messages.push([type, Buffer.from(body)]),
    sendJson: async (type: number, content: object) => {
      assert.equal([type, messages], [MessageType.SnapshotBegin, []]);
      heads.push(content as never);
      begun();
    },
  };
  const source = { saveNow: async (name: string) => (name === "g" ? folder : "none") };
  const count = await sendSnapshot(sink, GRAPH, source);
  assert.equal(messages.pop(), [MessageType.SnapshotEnd, Buffer.alloc(0)]);
  assert.ok(messages.every(([type]) => type === MessageType.SnapshotChunk));
  const chunks = messages.map(([, body]) => body);
  return { head: heads[0]!, count, chunks };
}

/** The number that the next file gets: it grows when files stay open. */
function nextDescriptor(folder: string): number {
  const descriptor = openSync(folder, "r");
  closeSync(descriptor);
  return descriptor;
}

test("begins with its length, and the count of changes that it has", async ({ from }) => {
  const count = save(from);
  const sent = await send(from);
  const content = readFileSync(join(from, "graph.snapshot"));
  assert.equal(sent.head, { ...GRAPH, bytes: content.length, count });
  assert.equal([sent.count, sent.chunks], [count, [content]]);
});

test("contains each large value after its length, in pieces", async ({ from }) => {
  save(from, LARGE);
  const before = nextDescriptor(from);
  const { head, chunks } = await send(from);
  assert.is(nextDescriptor(from), before);
  const values = listValues(from).map(({ file }) => readFileSync(file));
  const [value] = values as [Buffer];
  assert.equal([values.length, head.values], [1, 4 + value.length]);
  const [snapshot, length, ...pieces] = chunks;
  assert.is(snapshot!.length, head.bytes);
  assert.equal([length!.length, length!.readUInt32LE()], [4, value.length]);
  assert.equal(
    pieces.map((piece) => piece.length),
    [CHUNK_BYTES, value.length - CHUNK_BYTES],
  );
  assert.ok(Buffer.concat(pieces).equals(value));
});

test("cannot be sent once its file has become shorter", async ({ from }) => {
  save(from);
  const cut = (): void => truncateSync(join(from, "graph.snapshot"), 16);
  const failure = await send(from, cut).catch(({ message }: Error) => message);
  assert.is(failure, 'the snapshot of graph "g" ends too soon');
});

test("replaces everything stored of the graph", async ({ from, to }) => {
  save(from, LARGE);
  const { head, chunks } = await send(from);
  mkdirSync(to);
  for (const suffix of ["", ".old", ".delta", ".delta.old"]) {
    writeFileSync(join(to, `graph.snapshot${suffix}`), "former");
  }
  const before = nextDescriptor(from);
  await receiveSnapshot({ expect: async () => chunks.shift() ?? Buffer.alloc(0) }, head, to);
  assert.is(nextDescriptor(from), before);
  installSnapshot(to);
  assert.equal(readdirSync(to).sort(), [".values", "graph.snapshot"]);
  const [sent, received] = [from, to].map((folder) => readFileSync(join(folder, "graph.snapshot")));
  assert.ok(sent!.equals(received!));
  const names = [from, to].map((folder) => listValues(folder).map(({ file }) => basename(file)));
  assert.equal(names[0], names[1]);
});

test.run();
