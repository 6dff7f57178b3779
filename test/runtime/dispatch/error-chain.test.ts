// Error messages passed through several levels and parsed as clients do it; foreign, long and deep
// ones.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseErrorChain } from "../../../client/typescript/error-chain.js";
import {
  backEndError,
  describeRefusal,
  partialError,
} from "../../../runtime/dispatch/error-chain.js";

const test = suite("error chain");

function envelope(message: unknown): Buffer {
  return Buffer.from(JSON.stringify({ status: "ERROR", message, exec_id: 0 }));
}

test("round-trips an object through any number of levels", () => {
  const message = {
    plugin: {
      exception: "<class 'KeyError'>",
      value: "it's a \\ path,\nno {'quote'} é",
      traceback: ["    at find (plugins/find.ts:7:3)", "    at <anonymous>"],
    },
  };
  const inner = partialError(4, 5, 500, backEndError(envelope(message)).text);
  const outer = partialError(0, 2, 500, backEndError(envelope(inner)).text);
  assert.equal(parseErrorChain(outer), {
    levels: [
      { partition: 0, width: 2, status: 500 },
      { partition: 4, width: 5, status: 500 },
    ],
    innermost: message,
  });
});

test("has the documented format", () => {
  const message = { svc: { exception: "<class 'LookupError'>", value: "undefined plugin: find" } };
  assert.is(
    partialError(1, 3, 404, backEndError(envelope(message)).text),
    "<partial: 1 width: 3> | 404 | " +
      "{'svc': {'exception': '<class \\'LookupError\\'>', 'value': 'undefined plugin: find'}}",
  );
  assert.is(
    partialError(0, 1, 503, backEndError(envelope("Partition(s) down")).text),
    "<partial: 0 width: 1> | 503 | Partition(s) down",
  );
  assert.is(
    partialError(2, 127, 503, "timeout after 30000 ms"),
    "<partial: 2 width: 127> | 503 | timeout after 30000 ms",
  );
});

test("replaces double quotes and control characters with blanks", () => {
  const message = { system: { exception: "E", value: 'say "a"\tb\u0000c', traceback: ['"x"'] } };
  const text = partialError(0, 1, 500, backEndError(envelope(message)).text);
  assert.equal(parseErrorChain(text).innermost, {
    system: { exception: "E", value: "say  a  b c", traceback: [" x "] },
  });
  assert.is(partialError(0, 1, 500, 'a "b"'), "<partial: 0 width: 1> | 500 | a  b ");
});

test("describes a refusal, also one without an error envelope", () => {
  assert.is(describeRefusal(envelope("503 Service Out")), "503 Service Out");
  assert.is(describeRefusal(Buffer.from("<html>")), "503 without a message of svc");
});

test("has no message without an error envelope", () => {
  const bodies = [
    ...["", "not found", "<html>", '{"message": ', "[]", "null", "7", '"text"', "{}"],
    ...['{"message": null}', '{"message": {}}', '{"message": [1]}', '{"message": {"other": {}}}'],
  ];
  for (const body of bodies) assert.is(backEndError(Buffer.from(body)).text, "?", body);
  assert.is(backEndError(envelope("x".repeat(300_000))).text, "?");
  assert.is(backEndError(Buffer.from([0xff, 0xfe])).text, "?");
});

test("describes members of another type", () => {
  const message = { plugin: { exception: 7, traceback: [null, "line"] } };
  assert.is(
    backEndError(envelope(message)).text,
    "{'plugin': {'exception': '?', 'value': '?', 'traceback': ['?', 'line']}}",
  );
  assert.is(
    backEndError(envelope({ plugin: { value: "a", cause: { value: "b" } } })).text,
    "{'plugin': {'exception': '?', 'value': 'a', 'cause': {'exception': '?', 'value': 'b'}}}",
  );
  assert.is(
    backEndError(envelope({ svc: "text" })).text,
    "{'svc': {'exception': '?', 'value': '?'}}",
  );
});

test("truncates long messages so that the rest can still be parsed", () => {
  const message = {
    plugin: {
      exception: "'".repeat(10_000),
      value: "\\'\n".repeat(10_000),
      traceback: Array.from({ length: 50 }, () => "'".repeat(1000)),
    },
  };
  let text = backEndError(envelope(message)).text;
  for (let level = 0; level < 40; level++) text = partialError(level, 127, 500, text);
  assert.ok(text.length < 33_000, `${text.length}`);
  const { levels, innermost } = parseErrorChain(text);
  assert.is(levels.length, 16);
  assert.equal(levels[0], { partition: 39, width: 127, status: 500 });
  assert.equal(levels[15], { partition: 0, width: 127, status: 500 });
  const { plugin } = innermost as typeof message;
  assert.is(plugin.value, `${"\\'\n".repeat(10_000).slice(0, 4000)}…`);
  assert.is(plugin.exception.length, 201);
  assert.is(plugin.traceback.length, 20);
  const foreign = partialError(0, 1, 500, "x".repeat(100_000));
  assert.ok(foreign.length < 33_000 && foreign.endsWith("x…"));
});

test.run();
