// Positions over several partitions, and the requests that dispatchers make of them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  joinPositions,
  splitPositions,
} from "../../../../runtime/dispatch/feed/composite-position.js";
import { EventReader } from "../../../../runtime/dispatch/feed/event-reader.js";
import { readFeedRequest } from "../../../../runtime/dispatch/feed/feed-request.js";

const test = suite("feed request");

test("positions are joined and split again, also over several levels", () => {
  const inner = joinPositions(["a-1", "b-2"]);
  for (const positions of [["a"], ["a", "b"], [inner, "c"], ["c", inner, inner]]) {
    assert.equal(splitPositions(joinPositions(positions), positions.length), positions);
  }
  assert.is(joinPositions(["a-1"]), "a-1");
});

test("altered positions are not split", () => {
  const altered = ["", "a", "(a", "a)", "(a)", "(a,)", "(,b)", "(a,b,c)", "(a,b))", "((a,b)", "()"];
  for (const text of [...altered, "(a,b)c", `(${"a".repeat(8000)},b)`]) {
    assert.is(splitPositions(text, 2), null, text.slice(0, 20));
  }
});

test("Last-Event-ID precedes since, and both are replaced", () => {
  const block = "Host: x\r\nAccept: text/event-stream\r\nLast-Event-ID: (a,b)\r\nX-Y: 1\r\n";
  const target = "/svc/builtin/changes?graph=g&since=old&kinds=%5B%22arcSet%22%5D";
  const request = readFeedRequest(target, block);
  assert.is(request.since, "(a,b)");
  assert.is(request.takesEvents, true);
  assert.is(request.block, "Host: x\r\nX-Y: 1\r\nAccept: text/event-stream\r\n");
  const path = "/svc/builtin/changes?graph=g&kinds=%5B%22arcSet%22%5D";
  assert.is(request.target(""), path);
  assert.is(request.target("a-1"), `${path}&since=a-1`);
  assert.is(readFeedRequest(target, "").since, "old");
  assert.is(readFeedRequest(target, "").takesEvents, false);
  assert.is(readFeedRequest("/x?since=%28a%2Cb%29", "").since, "(a,b)");
});

test("a query that cannot be decoded is left to the back-ends", () => {
  const target = "/svc/builtin/changes?graph=g&since=%ZZ";
  assert.is(readFeedRequest(target, "").target(""), target);
});

test("events are read however they are split", () => {
  const text = 'id: a1\n\n:\n\nid: a2\ndata: {"x":"\\n"}\n\n';
  const expected = [
    { id: "a1", json: "" },
    { id: "a2", json: '{"x":"\\n"}' },
  ];
  for (let cut = 0; cut <= text.length; cut++) {
    const reader = new EventReader();
    const [first, second] = [reader.read(text.slice(0, cut)), reader.read(text.slice(cut))];
    assert.equal([...first.events, ...second.events], expected);
  }
});

test("malformed events are rejected", () => {
  const invalidRequests = [
    "data: {}",
    "id: a b",
    "id: \n",
    "id: a\ndata: 1\ndata: 2",
    "id: a\nx",
    "event: x",
  ];
  for (const event of invalidRequests) {
    assert.throws(() => new EventReader().read(`${event}\n\n`), /invalid event/, event);
  }
  assert.throws(() => {
    const reader = new EventReader();
    const part = "x".repeat(2 ** 22);
    for (let sent = 0; sent < 17; sent++) reader.read(part);
  }, /event too large/);
});

test("an error of the back-end comes after the events before it", () => {
  const read = new EventReader().read('id: a\n\nevent: error\ndata: "AccessError"\n\n');
  assert.equal(read.events, [{ id: "a", json: "" }]);
  assert.is(read.failure?.name, "AccessError");
  assert.is(new EventReader().read("event: error\ndata: <b>\n\n").failure?.name, "Error");
});

test.run();
