// Records of a group, and the files that a member keeps in its data folder.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import {
  encodeRecord,
  findRecord,
  type LeadershipRecord,
  parseRecord,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import {
  requestSetAside,
  setAside,
} from "../../../../runtime/interconnect/leadership/set-aside.js";

const test = suite<{ root: string }>("files of members");
const ID = "0123456789abcdef".repeat(2);

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-files-"));
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

test("accepts only records in the written format", () => {
  const record: LeadershipRecord = {
    ...{ holder: "B1", epoch: 0, beat: 0, next: null },
    synced: [["S1.a:b-c", ID]],
  };
  const text = encodeRecord(record);
  assert.equal([parseRecord(text), findRecord(text)], [record, record]);
  const { format: _, ...first } = JSON.parse(text) as { format: number };
  assert.equal(parseRecord(JSON.stringify(first)), record, "of the first release");
  const largest = { ...record, holder: null, next: "S1", synced: Array(127).fill(["S1", ID]) };
  assert.equal(parseRecord(JSON.stringify(largest)), largest);
  const names = [undefined, 1, "", "a b", "a".repeat(65)];
  const numbers = [undefined, null, -1, 0.5, "1", 2 ** 53];
  const members = [
    ...[1, [], ["S1"], ["S1", ID, ID], [1, ID], ["S1", 1], ["S1", ID.slice(1)]],
    ...[{ length: 2 }, ["S1", [ID]]],
  ];
  const invalidRecords = {
    ...{ holder: names, next: names, epoch: numbers, beat: numbers, format: [0, "1", null] },
    synced: [undefined, {}, Array(128).fill(["S1", ID]), ...members.map((member) => [member])],
  };
  for (const [field, values] of Object.entries(invalidRecords)) {
    for (const value of values) {
      const text = JSON.stringify({ ...record, [field]: value });
      const isMissing = value === undefined && field !== "format";
      assert.equal([findRecord(text), field], [null, field], `${isMissing} ${text}`);
    }
  }
  for (const invalidText of [null, "", "{", "[]", "null", "1"])
    assert.is(parseRecord(invalidText), null);
  assert.is(parseRecord(`${" ".repeat(2 ** 15)}${text}`), null, "it is too long");
  assert.ok(parseRecord(text.padEnd(2 ** 15)));
  const later = JSON.stringify({ ...record, format: 2 });
  assert.throws(
    () => parseRecord(later),
    ({ code }: SvcError) => code === "SVC3400",
  );
  assert.is(findRecord(later), null);
});

test("a member keeps its incarnation, and the highest epoch", ({ root }) => {
  const file = new MemberFile(root, "B1");
  const [id, incarnation] = file.incarnation;
  assert.equal([id, file.epoch], ["B1", 0]);
  assert.match(incarnation, /^[0-9a-f]{32}$/);
  assert.equal(new MemberFile(root, "B1").incarnation, file.incarnation);
  for (const epoch of [3, 2, 3]) file.recordEpoch(epoch);
  const { ino } = statSync(join(root, "_member.json"));
  file.recordEpoch(3);
  assert.is(statSync(join(root, "_member.json")).ino, ino, "it is not written again");
  const again = new MemberFile(root, "B1");
  assert.equal([again.incarnation, again.epoch, file.epoch], [file.incarnation, 3, 3]);
  const write = (content: unknown): void =>
    writeFileSync(join(root, "_member.json"), JSON.stringify(content));
  for (const content of [null, {}, { incarnation, epoch: -1 }, { incarnation, epoch: 0.5 }]) {
    write(content);
    assert.throws(() => new MemberFile(root, "B1"), /_member\.json is invalid/);
  }
  writeFileSync(join(root, "_member.json"), "{");
  assert.throws(() => new MemberFile(root, "B1"), /_member\.json is invalid/);
  write({ incarnation: "", epoch: 1 });
  assert.throws(() => new MemberFile(root, "B1"), /start this instance with an empty root/);
  write({ incarnation, epoch: 0 });
  assert.is(new MemberFile(root, "B1").epoch, 0);
});

test("sets contents aside once on request, and keeps three copies", ({ root }) => {
  const fillWith = (text: string): void => {
    for (const folder of ["g", "nested/h", "_txlog"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ["g/graph.snapshot", "nested/h/graph.snapshot", "_member.json"])
      writeFileSync(join(root, file), text);
    writeFileSync(join(root, "_replica.json"), text);
    writeFileSync(join(root, "kept.txt"), text);
  };
  const { now } = Date;
  fillWith("0");
  assert.is(setAside(root), null);
  assert.ok(existsSync(join(root, "g/graph.snapshot")));
  for (let time = 1; time <= 4; time++) {
    fillWith(`${time}`);
    Date.now = () => Date.parse(`2026-01-01T00:00:0${time}.000Z`);
    requestSetAside(root, "it has more", null);
    Date.now = now;
    const { folder } = setAside(root)!;
    assert.is(folder, join(root, ".lost", `2026-01-01T00000${time}.000Z`));
    const there = ["_member.json", "_replica.json", "_txlog", "g", "nested"];
    assert.equal(readdirSync(folder).sort(), there);
    assert.equal(readdirSync(root).sort(), [".lost", "kept.txt"]);
    assert.is(setAside(root), null, "only once");
  }
  const times = [2, 3, 4].map((time) => `2026-01-01T00000${time}.000Z`);
  assert.equal(readdirSync(join(root, ".lost")).sort(), times);
});

const NAME = "2026-01-01T000001.000Z";

/** Contents of a data folder, whose member was in a group. */
function fill(root: string): void {
  for (const folder of ["g", "_txlog"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "g/graph.snapshot"), "contents");
  writeFileSync(join(root, "_member.json"), JSON.stringify({ incarnation: ID, epoch: 4 }));
}

function request(root: string, content: object | string): void {
  const text = typeof content === "string" ? content : JSON.stringify({ format: 1, ...content });
  writeFileSync(join(root, "_ahead.json"), text);
}

test("a request contains its reason, and the end of its log if known", ({ root }) => {
  const end = { id: ID, sn: 3, chain: 4 };
  for (const [content, expected] of [
    [null, undefined],
    [end, end],
  ] as const) {
    requestSetAside(root, "it has more", content);
    const text = readFileSync(join(root, "_ahead.json"), "utf8");
    const { reason, end: reportEnd } = JSON.parse(text) as { reason: string; end?: unknown };
    assert.equal([reason, reportEnd], ["it has more", expected]);
  }
});

test("an interrupted start continues with the files already moved", ({ root }) => {
  const folder = join(root, ".lost", NAME);
  fill(folder);
  // Of a rewinding that was interrupted.
  mkdirSync(join(root, "g"));
  writeFileSync(join(root, "g/graph.snapshot"), "rest");
  writeFileSync(join(root, "kept.txt"), "");
  const end = { id: ID, sn: 3, chain: 4, counts: {} };
  request(root, { name: NAME, isMoved: true, end });
  const { line } = setAside(root)!;
  const reason = "its snapshots and log do not lead to where that one took over";
  assert.ok(line.endsWith(`; the leader sends its graphs: ${reason}`), line);
  assert.is(readFileSync(join(folder, "g/graph.snapshot"), "utf8"), "contents");
  assert.equal(readdirSync(root).sort(), [".lost", "_member.json", "kept.txt"]);
  const member = new MemberFile(root, "B1");
  assert.is(member.epoch, 4, "it founds no group");
  assert.is.not(member.incarnation[1], ID);
});

test("an unreadable log leaves only the reason", ({ root }) => {
  fill(root);
  writeFileSync(join(root, "_txlog/0000000000000001.seg"), "x".repeat(200));
  request(root, { name: NAME, end: { id: ID, sn: 3, chain: 4, counts: {} } });
  assert.match(setAside(root)!.line, /; the leader sends its graphs: .*1\.seg has no header$/);
  assert.equal(readdirSync(root).sort(), [".lost", "_member.json"]);
});

test("an unreadable request counts, except while the data folder is in use", ({ root }) => {
  fill(root);
  request(root, "{");
  writeFileSync(join(root, "svc.lock"), "");
  assert.is(setAside(root), null);
  rmSync(join(root, "svc.lock"));
  assert.match(setAside(root)!.line, /; the leader sends its graphs$/);
  assert.equal(readdirSync(root).sort(), [".lost", "_member.json"]);
});

test.run();
