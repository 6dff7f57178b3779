// Files of state in a data folder: each is of a version, and one of a later release is refused and
// left as it is.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { installSlots, type SlotPlan } from "../../../runtime/base/instance-slots.js";
import { findSlotRecord, KeptSlots } from "../../../runtime/base/kept-slots.js";
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

test.run();
