// Reserved arguments `headers`, `content` and `graph`, and the helpers of generated shape checks.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParameterError } from "../../../runtime/base/errors.js";
import type { RequestSource } from "../../../runtime/plugin/contract/request-source.js";
import {
  checked,
  contentBytes,
  contentJson,
  contentStr,
  headersBytes,
  headersDict,
  headersList,
  headersStr,
  ownProperty,
  requireBoundGraph,
  setGraphBinder,
} from "../../../runtime/plugin/convert.js";

const test = suite("convert: received");

function source(parts: Partial<RequestSource>): RequestSource {
  return {
    method: "POST",
    target: "/svc/plugin/x",
    query: "",
    headerBlock: "",
    body: null,
    client: "http://10.0.0.9:1234/",
    executor: 0,
    serial: 1,
    t0Ms: 0,
    basePort: 9000,
    portOffset: 0,
    accept: "json",
    ident: null,
    hasMatrix: false,
    ...parts,
  };
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function shared(text: string): Uint8Array {
  const encoded = Buffer.from(text);
  const bytes = new Uint8Array(new SharedArrayBuffer(encoded.length + 8), 4, encoded.length);
  bytes.set(encoded);
  return bytes;
}

const block = `Host: here\r\nX-A:  1 \r\nx-a: 2\r\nX-Name: ${latin1("à")}\r\n__proto__: p\r\n`;

test("converts small and large content to every type", () => {
  for (const body of [latin1('{"ä":1}'), shared('{"ä":1}')]) {
    const received = source({ body });
    assert.is(contentStr(received), '{"ä":1}');
    assert.equal(contentJson(received), { ä: 1 });
    assert.is(Buffer.from(contentBytes(received)).toString(), '{"ä":1}');
  }
});

test("checks the text of content, also if there is none", () => {
  const check = (value: unknown) => (value === "ok" ? null : " (ok is required)");
  assert.is(contentStr(source({ body: "ok" }), check), "ok");
  for (const received of [source({ body: "no" }), source({})]) {
    assert.throws(() => contentStr(received, check), /^content=(no)? \(ok is required\)$/);
  }
});

test("copies content bytes for the plugin", () => {
  const body = shared("abc");
  const bytes = contentBytes(source({ body }));
  body[0] = 0;
  assert.equal([...bytes], [97, 98, 99]);
  assert.instance(bytes.buffer, ArrayBuffer);
  assert.is(contentBytes(source({ body: "abc" })).buffer.byteLength, 3);
});

test("converts empty content", () => {
  assert.is(contentBytes(source({})).length, 0);
  assert.is(contentStr(source({})), "");
  assert.is(contentJson(source({})), null);
  assert.is(contentJson(source({ body: "" })), null);
  assert.is(
    contentJson(source({}), () => null),
    null,
  );
  const refuse = (value: unknown) => (value === null ? " (an object is required)" : null);
  assert.throws(() => contentJson(source({}), refuse), "missing required argument: 'content'");
});

test("rejects content that does not convert", () => {
  const broken = source({ body: "\u00ff" });
  for (const run of [() => contentStr(broken), () => contentJson(broken)]) {
    assert.throws(run, (error: Error) => error instanceof ParameterError);
  }
  assert.throws(
    () => contentJson(source({ body: "{" })),
    (error: ParameterError) =>
      error.exceptionName === "ValueError" && error.message === "content (invalid JSON)",
  );
  assert.equal([...contentBytes(broken)], [255]);
});

test("converts headers to every type", () => {
  const received = source({ headerBlock: block });
  assert.is(Buffer.from(headersBytes(received)).toString("latin1"), block);
  assert.is(headersStr(received), Buffer.from(block, "latin1").toString());
  assert.equal(headersList(received), [
    ["host", "here"],
    ["x-a", "1"],
    ["x-a", "2"],
    ["x-name", "à"],
    ["__proto__", "p"],
    ["X-Svc-Builtin-Client", "http://10.0.0.9:1234/"],
  ]);
  const dict = headersDict(received);
  assert.is(Object.getPrototypeOf(dict), null);
  assert.is(dict["x-a"], "2");
  assert.equal(Object.entries(dict)[3], ["__proto__", "p"]);
  assert.is(Object.keys(dict).at(-1), "X-Svc-Builtin-Client");
});

test("overwrites a client field that the client sent", () => {
  const received = source({ headerBlock: "X-SVC-Builtin-Client: http://127.0.0.1:1/\r\n" });
  assert.equal(headersList(received), [["X-Svc-Builtin-Client", "http://10.0.0.9:1234/"]]);
});

test("takes a graph from the installed binder", () => {
  assert.throws(() => requireBoundGraph("g"), /no graphs in this thread/);
  setGraphBinder((name) => ({ graph: { name }, release() {} }));
  try {
    assert.equal(requireBoundGraph("g"), { name: "g" });
  } finally {
    setGraphBinder(null);
  }
});

test("checked: names parameter and path of a fault", () => {
  const message = (value: unknown, fault: string) => {
    try {
      checked(value, "at", () => fault);
    } catch (error) {
      assert.instance(error, ParameterError);
      return (error as Error).message;
    }
    return assert.unreachable("should have failed");
  };
  assert.is(message({}, ".x (a number is required)"), "at.x (a number is required)");
  assert.is(message("slow", ' ("fast" is required)'), 'at=slow ("fast" is required)');
  assert.is(message({}, " (an array is required)"), "at (an array is required)");
  assert.is(message("y".repeat(999), " (no)"), `at=${"y".repeat(100)}… (no)`);
});

test("checked: rejects deep recursion as a client error", () => {
  assert.throws(() => checked(null, "at", () => " (never)"), "at=null (never)");
  assert.is(
    checked(5, "at", () => null),
    5,
  );
  const endless = (value: unknown): string | null => endless(value);
  assert.throws(() => checked({}, "at", endless), /^at \(nested too deeply\)$/);
  assert.is(ownProperty({}, "constructor"), undefined);
  assert.is(ownProperty({ constructor: 1 }, "constructor"), 1);
});

test.run();
