// A restored log that ends at the wanted moment.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cutLog } from "../../../../runtime/interconnect/archive/cut-log.js";
import type { RestoreTarget } from "../../../../runtime/interconnect/archive/restore-plan.js";
import type { SegmentLog } from "../../../../runtime/interconnect/log/segment-log.js";
import { SimulatedDisk } from "../support/simulated-disk.js";
import { control, FOLDER, frames, makeTransaction, openUnits, write } from "../support/unit-log.js";

const test = suite("cut log");

/** Three segments: a frame each, except for the first one. */
function fill(disk: SimulatedDisk): SegmentLog {
  const log = openUnits(disk);
  log.epoch = 4;
  write(
    log,
    control(9),
    makeTransaction({ before: 0, second: 10 }),
    makeTransaction({ before: 1, second: 10 }),
  );
  write(
    log,
    makeTransaction({ graph: 1, before: 2, second: 11, isJoined: true }),
    makeTransaction({ graph: 2, before: 0, second: 11 }),
    makeTransaction({ graph: 1, before: 3, second: 12 }),
    control(8),
  );
  write(log, makeTransaction({ before: 4, second: 13, words: 240 }));
  write(log, makeTransaction({ before: 5, second: 14, words: 240 }));
  log.close();
  assert.is(log.segments.length, 3);
  return log;
}

/** Returns the remaining log, its last transaction and its second. */
function cut(target: RestoreTarget): [left: string[], sn: number, at: number] {
  const disk = new SimulatedDisk();
  const { logId } = fill(disk);
  const { end, epoch, id } = cutLog(disk, FOLDER, target);
  assert.is(disk.openFiles, 0);
  assert.equal([end.id, epoch], [logId, 4]);
  const log = openUnits(disk);
  assert.equal([log.logId, log.last, log.chain, log.epoch], [id, end.sn, end.chain, epoch]);
  assert.not.equal(id, logId);
  const left = frames(log);
  // It goes on.
  write(log, makeTransaction({ before: 9, second: 99 }));
  log.close();
  const reopenedLog = openUnits(disk);
  assert.equal(frames(reopenedLog), [...left, "1:10"]);
  reopenedLog.close();
  return [left, end.sn, end.at];
}

const [ONE, TWO, THREE, FOUR] = ["c 1:1 1:2", "1:3 2:1 1:4 c", "1:5", "1:6"] as const;
const position = (sn: number): RestoreTarget => ({ kind: "position", id: "", sn });
const time = (second: number): RestoreTarget => ({ kind: "time", second });

test("is whole up to the end", () => {
  assert.equal(cut({ kind: "end" }), [[ONE, TWO, THREE, FOUR], 9, 14]);
});

test("ends at a position, within a frame, and not within a change of several graphs", () => {
  const ends: [sn: number, ...expected: ReturnType<typeof cut>][] = [
    [9, [ONE, TWO, THREE, FOUR], 9, 14],
    [8, [ONE, TWO, THREE], 8, 13],
    [7, [ONE, TWO], 7, 12],
    [6, [ONE, "1:3 2:1 1:4"], 6, 12],
    [5, [ONE, "1:3 2:1"], 5, 11],
    [4, [ONE], 3, 10],
    [3, [ONE], 3, 10],
    [2, ["c 1:1"], 2, 10],
    [1, ["c"], 1, 0],
  ];
  for (const [sn, ...expected] of ends) assert.equal(cut(position(sn)), expected, `${sn}`);
});

test("ends with a second, and the records of the log itself that follow it", () => {
  const ends: [second: number, ...expected: ReturnType<typeof cut>][] = [
    [14, [ONE, TWO, THREE, FOUR], 9, 14],
    [13, [ONE, TWO, THREE], 8, 13],
    [12, [ONE, TWO], 7, 12],
    [11, [ONE, "1:3 2:1"], 5, 11],
    [10, [ONE], 3, 10],
    [9, ["c"], 1, 0],
  ];
  for (const [second, ...expected] of ends) assert.equal(cut(time(second)), expected, `${second}`);
});

test("makes its end durable", () => {
  const disk = new SimulatedDisk();
  fill(disk);
  const done: string[] = [];
  disk.faults.before = (operation) => done.push(operation);
  disk.faults.closed = () => done.push("close");
  cutLog(disk, FOLDER, position(2));
  const changed = ["truncate", "write", "flush", "close"];
  const renamed = ["write", "flush", "close"];
  const [reads, rest] = [done.slice(0, 3), done.slice(3)];
  assert.equal(reads, ["close", "close", "close"]);
  assert.equal(rest, [...changed, "remove", "remove", ...renamed, "folder"]);
});

test.run();
