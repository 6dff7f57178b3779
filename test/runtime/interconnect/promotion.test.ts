// Promotion of data folders: of a provider, of a replica, and of a fenced instance.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  demote,
  fencedBy,
  hasBeenPromoted,
  isReplicaRoot,
  promote,
  readLineage,
  readReplicaMarker,
  writeFence,
  writeReplicaMarker,
} from "../../../runtime/interconnect/lineage.js";
import type { Ancestor } from "../../../runtime/interconnect/wire/positions.js";

const test = suite<{ root: string }>("promotion");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-promotion-"));
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

const LOG: Ancestor = { id: "a".repeat(32), sn: 7, chain: 1 };
const OTHER: Ancestor = { id: "c".repeat(32), sn: 3, chain: 2 };
const [GRAPH, CREATED] = ["b".repeat(32), "d".repeat(32)] as const;
const STATE = { isCaughtUp: false, isFetching: false };

/** Makes the folder that of a replica of the epoch 4. */
function follow(root: string, log: Ancestor | null, ancestors: readonly Ancestor[] = []): void {
  writeReplicaMarker(root, { log, origin: null, epoch: 4, ancestors, ...STATE });
}

test("changes nothing of a provider", ({ root }) => {
  for (const isAsked of [false, true]) {
    assert.equal(promote(root, isAsked), { epoch: 1, ancestors: [] });
    assert.equal(readdirSync(root), []);
  }
});

test("an empty replica is promoted only on request", ({ root }) => {
  follow(root, null, [OTHER]);
  assert.is(promote(root, false).epoch, 1);
  assert.is(isReplicaRoot(root), false);
  follow(root, null, [OTHER]);
  assert.equal(promote(root, true), { epoch: 5, ancestors: [OTHER] });
  assert.equal([isReplicaRoot(root), readLineage(root).epoch], [false, 5]);
});

test("a replica with received data is promoted at its start", ({ root }) => {
  follow(root, LOG);
  assert.equal(promote(root, false), { epoch: 5, ancestors: [LOG] });
  // Of a lower epoch than its own.
  writeReplicaMarker(root, { log: LOG, origin: null, epoch: 1, ancestors: [], ...STATE });
  assert.is(promote(root, false).epoch, 6);
  follow(root, LOG);
  assert.is(promote(root, true, 9).epoch, 9, "it has claimed this epoch");
});

test("ends any fence", ({ root }) => {
  const file = join(root, "_fenced.json");
  for (const [epoch, fence] of [
    [10, () => writeFence(root, 9)],
    [12, () => writeFileSync(file, "")],
    [14, () => mkdirSync(file)],
  ] as const) {
    fence();
    assert.is(promote(root, true).epoch, epoch);
    assert.equal([fencedBy(root), existsSync(file)], [null, false]);
  }
});

test("keeps the reported end of a log if its own graphs are unknown", ({ root }) => {
  const ancestor = { ...LOG, counts: { [GRAPH]: 5 } };
  follow(root, LOG, [ancestor]);
  assert.equal(promote(root, true).ancestors, [ancestor]);
});

test("a graph without changes has all of them", ({ root }) => {
  const ancestor = { ...LOG, sn: 9, counts: { [GRAPH]: 5, [CREATED]: 0 } };
  follow(root, LOG, [ancestor]);
  const counts = { [GRAPH]: 5 };
  assert.equal(promote(root, true, 0, counts).ancestors, [{ ...ancestor, counts }]);
});

test("a folder has been promoted unless it is a provider's or a replica's", ({ root }) => {
  assert.is(hasBeenPromoted(root), false);
  follow(root, LOG);
  assert.is(hasBeenPromoted(root), false);
  promote(root, true);
  assert.is(hasBeenPromoted(root), true);
  demote(root, null, 5);
  assert.is(hasBeenPromoted(root), false);
});

test("a provider that becomes a replica follows from the end of its log", ({ root }) => {
  follow(root, OTHER);
  promote(root, true);
  for (const end of [LOG, null]) {
    demote(root, end, 6);
    const marker = { log: end, origin: end?.id ?? null, epoch: 6, ancestors: [OTHER], ...STATE };
    assert.equal(readReplicaMarker(root), marker);
  }
});

test("a replica of a release without ancestors has none", ({ root }) => {
  for (const ancestors of [undefined, 7]) {
    const marker = { log: LOG, origin: null, epoch: 4, ancestors, isCaughtUp: true };
    writeFileSync(join(root, "_replica.json"), JSON.stringify(marker));
    assert.equal(readReplicaMarker(root)?.ancestors, []);
  }
});

test.run();
