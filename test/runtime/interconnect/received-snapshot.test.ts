// A snapshot that a provider sends in pieces.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { receiveSnapshot } from "../../../runtime/interconnect/snapshot-transfer.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";

const test = suite<{ folder: string }>("received snapshot");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-received-"));
});

test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

/** Returns the files that were received, or why they were refused. */
async function receive(folder: string, head: object, ...pieces: readonly string[]) {
  const left = [...pieces];
  const counted: number[] = [];
  const types: number[] = [];
  const expect = async (type: number): Promise<Buffer> => {
    types.push(type);
    return Buffer.from(type === MessageType.SnapshotChunk ? left.shift()! : "");
  };
  try {
    const fields = head as { bytes: number; values?: number };
    await receiveSnapshot({ expect }, fields, folder, (bytes) => counted.push(bytes));
  } catch (error) {
    return (error as Error).message;
  }
  assert.equal([types.at(-1), left], [MessageType.SnapshotEnd, []]);
  const files = ["graph.snapshot.received", "graph.values.received"];
  return [counted, ...files.map((name) => readFileSync(join(folder, name), "utf8"))];
}

test("must have the length that its head states", async ({ folder }) => {
  assert.equal(await receive(folder, { bytes: 5 }, "ab", "cde"), [[2, 3], "abcde", ""]);
  const both = await receive(folder, { bytes: 2, values: 3 }, "a", "b", "xyz");
  assert.equal(both, [[1, 1, 3], "ab", "xyz"]);
  assert.equal(await receive(folder, { bytes: 0 }), [[], "", ""]);
  const refusal = "replication: a piece too long";
  assert.is(await receive(folder, { bytes: 3 }, "ab", "cd"), refusal);
  assert.is(await receive(folder, { bytes: 3 }, "ab", ""), refusal);
  assert.is(await receive(folder, { bytes: 1, values: 1 }, "a", "bc"), refusal);
});

test.run();
