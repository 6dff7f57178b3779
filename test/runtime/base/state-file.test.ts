// Files of state in a data folder: each is of a version, and one of a later release is refused and
// left as it is.

import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { installSlots, type SlotPlan } from "../../../runtime/base/instance-slots.js";
import { findSlotRecord, KeptSlots } from "../../../runtime/base/kept-slots.js";
import { AppendedState, readState } from "../../../runtime/base/state-file.js";
import { readJobs, writeJobs } from "../../../runtime/engine/jobs/job-file.js";
import { MemberFile } from "../../../runtime/interconnect/leadership/member-file.js";
import {
  beginLineage,
  demote,
  fencedBy,
  promote,
  readLineage,
  readReplicaMarker,
  writeFence,
} from "../../../runtime/interconnect/lineage.js";

const test = suite<{ root: string }>("state files");
const END = { id: "0".repeat(32), sn: 3, chain: 7 };
const JOBS = { tick: { handledMs: 5, running: null, runs: [] } };
const SLOTS: SlotPlan = {
  id: "0123456789abcdef",
  map: { count: 16, runs: [[0, 0]] },
  groups: ["B1"],
  own: 0,
  partitions: null,
  graphs: ["things"],
  everywhere: [],
};

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-state-"));
});
test.after.each(({ root }) => {
  installSlots(null);
  rmSync(root, { recursive: true });
});

type Use = (root: string) => unknown;
const demoted: Use = (root) => demote(root, END, 2);
const keepSlots: Use = (root) => new KeptSlots(root, SLOTS).storeInitial();
const writeJobFile: Use = (root) => writeJobs(join(root, "jobs.json"), JOBS);

const seeEpoch: Use = (root) => new MemberFile(root, "a").recordEpoch(6);
const ownEpoch: Use = (root) => new MemberFile(root, "a").epoch;
const ownSlots: Use = (root) => new KeptSlots(root, SLOTS).isKnown;

/** The last column is the value that a reader returns. */
const FILES: readonly [name: string, what: string, write: Use, read: Use, known: RegExp][] = [
  ["_lineage.json", "lineage", (root) => beginLineage(root, END, 4), readLineage, /"epoch":5/],
  ["_fenced.json", "fence", (root) => writeFence(root, 9), fencedBy, /^9$/],
  ["_replica.json", "replica", demoted, readReplicaMarker, /"epoch":2/],
  ["_replica.json", "promotion", demoted, (root) => promote(root, true), /"epoch":3/],
  ["_member.json", "member", seeEpoch, ownEpoch, /^6$/],
  ["_slots.json", "slots", keepSlots, ownSlots, /^true$/],
  ["_slots.json", "slots of a backup", keepSlots, findSlotRecord, /"count":16/],
  ["jobs.json", "jobs", writeJobFile, (root) => readJobs(join(root, "jobs.json")), /:5/],
];

for (const [name, label, write, read, known] of FILES) {
  test(`${label}: read without a version, and refused with a later one`, async ({ root }) => {
    const file = join(root, name);
    await write(root);
    const { format, ...content } = JSON.parse(readFileSync(file, "utf8"));
    assert.is(format, 1);
    const later = JSON.stringify({ ...content, format: 2 });
    writeFileSync(file, later);
    try {
      read(root);
      assert.unreachable();
    } catch (error) {
      assert.is((error as SvcError).code, "SVC2506");
      const text = `${name}: format 2 is of a later release, this one reads up to 1`;
      assert.ok((error as SvcError).message.includes(text), String(error));
    }
    assert.is(readFileSync(file, "utf8"), later);
    writeFileSync(file, JSON.stringify(content));
    assert.match(JSON.stringify(read(root)), known);
  });
}

const stateText = (n: number): string => `${JSON.stringify({ format: 1, n })}\n`;

test("states are appended, and the last complete one counts", ({ root }) => {
  const file = join(root, "state.json");
  const state = new AppendedState(file);
  for (const n of [1, 2, 3]) state.write({ n });
  const text = readFileSync(file, "utf8");
  assert.is(text, stateText(1) + stateText(2) + stateText(3));
  assert.equal(readState(file), { n: 3 });
  // The process was killed, and the next one has changed nothing.
  const nextProcess = new AppendedState(file);
  nextProcess.compact({ n: 3 });
  assert.is(readFileSync(file, "utf8"), stateText(3));
  // A crash has interrupted the last write, or its bytes were not on the disk.
  for (const torn of ['{"format":1,"n', "\0\0\0\0", "\0\0\0\n"]) {
    writeFileSync(file, text + torn);
    assert.equal(readState(file), { n: 3 }, JSON.stringify(torn));
  }
  for (const edited of ['{\n  "format": 1,\n  "n": 3\n}\n', `${stateText(3)}\n`]) {
    writeFileSync(file, edited);
    assert.equal(readState(file), { n: 3 }, "a file that was edited by hand");
  }
  // A complete line was acknowledged, so it is corrupt.
  writeFileSync(file, `${text}{"format":1,"n":\n`);
  assert.throws(() => readState(file), /JSON/);
});

test("a file with many states is replaced, and so is a file of another process", ({ root }) => {
  const file = join(root, "state.json");
  writeFileSync(file, stateText(1) + stateText(2).slice(0, 5));
  const state = new AppendedState(file);
  const large = "a".repeat(2 ** 16);
  const counts: number[] = [];
  for (let n = 3; n < 11; n++) {
    state.write({ n, large });
    assert.is(readState(file)?.n, n);
    counts.push(readFileSync(file, "utf8").trimEnd().split("\n").length);
  }
  assert.equal(counts, [1, 2, 3, 1, 2, 3, 1, 2]);
});

test("a state is stored after its file was removed, or a write has failed", ({ root }) => {
  const file = join(root, "state.json");
  const state = new AppendedState(file);
  state.write({ n: 1 });
  rmSync(file);
  state.write({ n: 2 });
  assert.equal(readState(file), { n: 2 });
  rmSync(file);
  mkdirSync(file);
  assert.throws(() => state.write({ n: 3 }));
  rmdirSync(file);
  writeFileSync(file, "a part of");
  state.write({ n: 4 });
  assert.is(readFileSync(file, "utf8"), stateText(4), "nothing is appended to a part of a line");
});

test.run();
