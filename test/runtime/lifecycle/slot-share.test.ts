// Received content of slots has a limit, and continues where it ended.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SlotShare } from "../../../runtime/lifecycle/slot-share.js";

const test = suite("content of slots");
const MOST = 2 ** 28;

/** Nothing is written, so no graph is needed. */
function newShare() {
  const share = new SlotShare(null as never, null as never);
  return (id: string, slot: number, length: number, bytes = "", offset = 0) => {
    const own = { graph: "g", names: [], digest: "d" };
    share.stage(id, [{ ...own, slot, offset, length, bytes: Buffer.from(bytes) }]);
  };
}

test("is limited in total, of one move", () => {
  const stage = newShare();
  stage("a", 1, MOST - 1);
  stage("a", 2, 1);
  assert.throws(() => stage("a", 3, 1), /too large/);
  // Content that is sent again replaces the former.
  stage("a", 1, MOST - 2);
  stage("a", 3, 1);
  assert.throws(() => stage("a", 4, 1), /too large/);
  stage("b", 4, MOST);
});

test("continues where it ended", () => {
  const stage = newShare();
  assert.throws(() => stage("a", 1, 4, "abcd", 2), /does not continue at 2/);
  stage("a", 1, 4, "ab");
  assert.throws(() => stage("a", 1, 4, "c", 3), /does not continue at 3/);
  assert.throws(() => stage("a", 1, 4, "cde", 2), /does not continue at 2/);
  stage("a", 1, 4, "cd", 2);
});

test.run();
