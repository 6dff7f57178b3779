// How much of a log is usable: all of it, up to a torn write, or up to a corrupt frame.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkLog } from "../../../runtime/interconnect/log/check-log.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";
import { LOG, openSegments, textFrame } from "./support/small-segments.js";

const test = suite("check of a log");

/** A log with three transactions in frames of their own, and where each ends. */
function logged() {
  const disk = new SimulatedDisk();
  const channel = new LogChannel(disk, "/log");
  const store = loggedStore();
  const ends: number[] = [];
  for (const write of [
    () => void channel.open(store, "g"),
    () => openStore(store).createVertex("a"),
    () => openStore(store).createVertex("b"),
  ]) {
    write();
    channel.write(store.memory.log!.clock);
    channel.log.flushNow();
    channel.release();
    ends.push(channel.log.bytes);
  }
  const [segment] = channel.log.segments;
  return { disk, segment: segment!, path: `/log/${segment!.name}`, ends };
}

test("an intact log is usable to its end", () => {
  const { disk, segment, ends } = logged();
  const end = { segment, offset: ends[2] };
  const report = { segments: [segment], transactions: 3, last: 3, tornBytes: 0, damage: null, end };
  assert.equal(checkLog(disk, "/log"), report);
});

test("a missing log has no end", () => {
  const report = { segments: [], transactions: 0, last: 0, tornBytes: 0, damage: null, end: null };
  assert.equal(checkLog(new SimulatedDisk(), "/log"), report);
});

test("a torn write does not count", () => {
  const { disk, path, segment, ends } = logged();
  const file = disk.open(path);
  file.truncate(file.size() - 4);
  const { transactions, last, tornBytes, damage, end } = checkLog(disk, "/log");
  assert.equal([transactions, last, damage], [2, 2, null]);
  assert.equal([tornBytes, end], [ends[2]! - ends[1]! - 4, { segment, offset: ends[1] }]);
});

test("a log that grows while it is read has no torn write", () => {
  const { disk, ends } = logged();
  const open = disk.open.bind(disk);
  disk.open = (path) => Object.assign(open(path), { size: () => ends[1]! });
  const { transactions, tornBytes } = checkLog(disk, "/log");
  assert.equal([transactions, tornBytes], [3, 0]);
});

test("a corrupt log is usable before its corruption; other failures are thrown", () => {
  const { disk, path, segment, ends } = logged();
  disk.readContent(path)[ends[1]! - 1]! ^= 1;
  const { transactions, damage, end } = checkLog(disk, "/log");
  assert.equal([transactions, damage?.offset, end], [1, ends[0], { segment, offset: ends[0] }]);
  disk.faults.unreadable = () => {
    throw new Error("no memory");
  };
  assert.throws(() => checkLog(disk, "/log"), /no memory/);
});

test("invalid content is corrupt regardless of its checksum", () => {
  const disk = new SimulatedDisk();
  const log = openSegments(disk);
  log.append(textFrame("no transactions"), 1);
  log.flushNow();
  log.close();
  assert.is(checkLog(disk, LOG).damage?.reason, "corrupt log transaction");
});

test.run();
