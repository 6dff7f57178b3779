// Rules of append, every attribute, and the response that a post-processor receives.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import * as S from "../../../../runtime/base/sort-constants.js";
import { bytes, float, int, json, str } from "../../../../runtime/plugin/contract/types.js";
import { isResubmission, requestFrom } from "../../../../runtime/plugin/request/plugin-request.js";
import { createParamReader } from "../../../../runtime/plugin/request/query-values.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";
import { bindOrigin } from "../../../../runtime/plugin/response/response-origin.js";
import { requestSource } from "../../../support/request-source.js";

const test = suite("PluginResponse");

function fails(run: () => unknown, name: string, message: string): void {
  const code = { ResponseError: "SVC2103", RequestError: "SVC2102" }[name] ?? "SVC2101";
  assert.throws(run, (error: SvcError) => {
    assert.equal([error.code, error.name, error.message], [code, name, message]);
    return true;
  });
}

test("appends a key with an item, or an item alone", () => {
  const response = new PluginResponse();
  const append = (...args: unknown[]) => response.append(...(args as [string]));
  for (const args of [[], [4, "d", 5]]) {
    const message = `append takes 1 or 2 arguments (${args.length} given)`;
    fails(() => append.apply(response, args), "TypeError", message);
  }
  assert.is(response.length, 0);
});

test("has the documented defaults", () => {
  const response = new PluginResponse();
  assert.equal(
    [response.maxhits, response.sortby, response.keytype, response.hitcount, response.length],
    [-1, S.S_NONE, null, 0, 0],
  );
  assert.equal([response.level, response.levelparts, response.partials], [0, 1, 1]);
  assert.equal([response.i0, response.i1, response.f2, response.f3], [0, 0, 0, 0]);
  assert.equal([response.flag, response.local, response.signature], [null, null, null]);
  assert.equal([response.message, response.meta, response.resubmits], [null, null, 0]);
  assert.equal([response.texec, response.requestmethod, response.toplevel], [0, "GET", true]);
  assert.equal(response.ident, [0, 1, 1, 1, 0, 0, 0, 1]);
  assert.equal(
    [response.width, response.height, response.depth, response.partition, response.replica],
    [1, 1, 1, 0, 0],
  );
  assert.equal([response.channel, response.baseport, response.port], [0, 0, 0]);
  assert.equal(
    [response.executor, response.sn, response.t0, response.hasmatrix],
    [0, 0, 0n, false],
  );
  assert.is(response.requestpath, "");
});

test("accepts positional arguments or one object", () => {
  for (const response of [
    new PluginResponse(5, S.S_VAL | S.S_DESC, int),
    new PluginResponse({ maxhits: 5, sortby: S.S_VAL | S.S_DESC, keytype: int }),
  ]) {
    assert.equal(
      [response.maxhits, response.sortby, response.keytype],
      [5, S.S_VAL | S.S_DESC, int],
    );
  }
  assert.is(new PluginResponse({ sortby: S.S_ID }).sortby, S.S_ID | S.S_ASC);
});

test("adds the default direction of a sort key", () => {
  const descending = [S.S_VAL, S.S_DEG, S.S_IDEG, S.S_ODEG, S.S_SIM, S.S_RANK];
  const ascending = [S.S_ADDR, S.S_ANCHOR, S.S_ANCHOR_OBID, S.S_OBID, S.S_ID, S.S_HAM, S.S_TMC];
  for (const kind of descending) assert.is(new PluginResponse(-1, kind).sortby, kind | S.S_DESC);
  for (const kind of ascending) assert.is(new PluginResponse(-1, kind).sortby, kind | S.S_ASC);
  assert.is(new PluginResponse(-1, S.S_ASC).sortby, S.S_ASC);
});

test("names invalid constructor arguments", () => {
  const make =
    (...args: unknown[]) =>
    () =>
      new PluginResponse(...(args as []));
  fails(make("5"), "TypeError", "maxhits: an integer is required");
  fails(make(1.5), "TypeError", "maxhits: an integer is required");
  fails(make(-1, "x"), "TypeError", "sortby: an integer is required");
  fails(make(-1, 0, "int"), "TypeError", "keytype: a type is required");
  fails(make(-1, 0, json), "TypeError", "keytype: int, float, bytes or unicode required");
  fails(make(-1, 3), "ValueError", "invalid sortby");
  fails(make(-1, 0x30), "ValueError", "invalid sortby");
  fails(make(-1, -1), "ValueError", "invalid sortby");
  for (const keytype of [str, bytes]) {
    assert.throws(make(-1, S.S_VAL, keytype), /incompatible sortby\/keytype \(numeric\/string\)/);
  }
  for (const keytype of [int, float]) {
    assert.throws(make(-1, S.S_ID, keytype), /incompatible sortby\/keytype \(string\/numeric\)/);
  }
});

test("takes order and type from the first key", () => {
  const cases = [
    [1, S.S_VAL | S.S_ASC, int],
    [1.5, S.S_VAL | S.S_ASC, float],
    ["a", S.S_ID | S.S_ASC, str],
    [new Uint8Array([1]), S.S_ID | S.S_ASC, bytes],
    [7n, S.S_VAL | S.S_ASC, int],
  ] as const;
  for (const [key, sortby, keytype] of cases) {
    const response = new PluginResponse();
    response.append(key as number, "item");
    assert.equal([response.sortby, response.keytype], [sortby, keytype]);
  }
  const descending = new PluginResponse(-1, S.S_DESC);
  descending.append(1, "item");
  assert.is(descending.sortby, S.S_VAL | S.S_DESC);
});

test("numbers items without a key", () => {
  const response = new PluginResponse<number, string>();
  response.append("a");
  response.append("b");
  assert.equal(response.entries, [
    [1, "a"],
    [2, "b"],
  ]);
  assert.equal([response.sortby, response.keytype], [S.S_VAL | S.S_ASC, int]);
  const ascending = new PluginResponse(-1, S.S_VAL | S.S_ASC);
  ascending.append("a");
  assert.equal(ascending.entries, [[1, "a"]]);
  const descending = new PluginResponse(-1, S.S_VAL | S.S_DESC);
  fails(() => descending.append("a"), "ResponseError", "sortkey is required (sortby=S_VAL|S_DESC)");
});

test("ignores keys of other types", () => {
  const response = new PluginResponse();
  for (const key of [null, undefined, true, [1], { a: 1 }]) response.append(key as never, "x");
  assert.equal(
    response.entries.map((entry) => entry[0]),
    [1, 2, 3, 4, 5],
  );
});

test("rejects keys out of order, and accepts equal ones", () => {
  const response = new PluginResponse();
  response.append(2, "a");
  response.append(2, "b");
  fails(
    () => response.append(1, "c"),
    "ResponseError",
    "out of order sortkey 1 with previous 2 (sortby=S_VAL|S_ASC)",
  );
  assert.is(response.length, 2);
  response.append(3, "c");
  const falling = new PluginResponse(-1, S.S_ID | S.S_DESC);
  falling.append("b", 1);
  falling.append("a", 2);
  assert.throws(() => falling.append("aa", 3), /out of order/);
});

test("orders strings by their UTF-8 bytes", () => {
  const response = new PluginResponse();
  for (const key of ["", "A", "a", "aa", "é", "\uffff", "\u{10000}", "\u{10ffff}"]) {
    response.append(key, 0);
  }
  assert.throws(() => response.append("\uffff", 0), /out of order/);
});

test("rejects keys of mixed types", () => {
  const texts = new PluginResponse();
  texts.append("a", 1);
  fails(() => texts.append(1, 1), "ResponseError", "incompatible sortkey 1 (sortby=S_ID|S_ASC)");
  fails(
    () => texts.append(new Uint8Array([255]), 1),
    "ResponseError",
    "sortkey Uint8Array(1) [ 255 ] must be 'str', not 'bytes'",
  );
  const ints = new PluginResponse(-1, S.S_VAL | S.S_ASC, int);
  fails(() => ints.append(1.5, 1), "ResponseError", "sortkey 1.5 must be 'int', not 'float'");
  assert.throws(() => ints.append(Number.NaN, 1), /incompatible sortkey NaN/);
  assert.throws(() => ints.append((2n ** 60n) as never, 1), /beyond the safe integers/);
  const floats = new PluginResponse(-1, S.S_VAL | S.S_ASC, float);
  floats.append(1, "a");
  floats.append(Number.POSITIVE_INFINITY, "b");
  floats.append(Number.POSITIVE_INFINITY, "c");
});

test("widens an inferred int to a float", () => {
  const response = new PluginResponse();
  response.append(1, "a");
  response.append(1.5, "b");
  assert.is(response.keytype, float);
});

test("accepts any keys in any order for native and random order", () => {
  for (const kind of [S.S_NATIVE, S.S_RANDOM]) {
    const response = new PluginResponse(-1, kind);
    response.append("b", 1);
    response.append(1, 2);
    response.append(new Uint8Array([1]), 3);
    assert.equal([response.length, response.keytype], [3, null]);
    const typed = new PluginResponse(-1, kind, int);
    assert.throws(() => typed.append("a" as never, 1), /must be 'int'/);
  }
});

test("counts calls against maxhits", () => {
  const response = new PluginResponse(1);
  response.append("a");
  fails(() => response.append("b"), "ResponseError", "maxhits 1 reached");
  response.entries.pop();
  fails(() => response.append("b"), "ResponseError", "maxhits 1 reached");
  response.maxhits = 2;
  response.append("b");
  response.maxhits = -7;
  assert.is(response.maxhits, -1);
  response.append("c");
  fails(() => (response.maxhits = "x" as never), "TypeError", "maxhits: an integer is required");
});

test("adds appended entries to the hits of a received response", () => {
  const sent = new PluginResponse<number, string>();
  sent.append(1, "a");
  sent.hitcount = 40;
  const received = PluginResponse.deserialize(sent.serialize());
  assert.is(received.hitcount, 40);
  received.append(2, "b");
  assert.is(received.hitcount, 41);
  assert.is(PluginResponse.deserialize(received.serialize()).hitcount, 41);
  received.hitcount = null;
  assert.is(received.hitcount, 2);
});

test("validates hitcount, partials and aggregators", () => {
  const response = new PluginResponse();
  response.append("a");
  assert.is(response.hitcount, 1);
  response.hitcount = 100;
  assert.is(response.hitcount, 100);
  response.hitcount = null;
  assert.is(response.hitcount, 1);
  fails(() => (response.hitcount = -1), "ValueError", "hitcount cannot be negative");
  fails(() => (response.partials = 0), "ValueError", "partials must be positive");
  fails(() => (response.i0 = 1.5), "TypeError", "i0: an integer is required");
  fails(() => (response.i1 = 2 ** 53), "ValueError", "i1: integer overflow");
  fails(() => (response.f2 = "1" as never), "TypeError", "f2: a number is required, not string");
  fails(() => (response.message = 1 as never), "TypeError", "message must be str, not number");
  for (const name of ["level", "entries", "sortby", "flag", "texec"]) {
    assert.throws(() => Object.assign(response, { [name]: 1 }), /only a getter/);
  }
});

test("renders its fields in the documented order", () => {
  const response = new PluginResponse();
  response.append("k", { a: [1] });
  response.append("l", null);
  response.i0 = 1;
  response.f3 = 2.5;
  assert.is(
    response.toJSON(),
    '{"level":0,"levelparts":1,"partials":1,"hitcount":2,"aggregator":[1,0,0,2.5],' +
      '"meta":null,"entries":[["k",{"a":[1]}],["l",null]]}',
  );
  response.message = "note";
  response.meta = { next: 3 };
  assert.match(
    response.toJSON(),
    /"aggregator":\[1,0,0,2.5\],"message":"note","meta":\{"next":3\}/,
  );
});

test("can be iterated and edited", () => {
  const response = new PluginResponse<string, number>();
  response.append("a", 1);
  response.append("b", 2);
  assert.equal(
    [...response],
    [
      ["a", 1],
      ["b", 2],
    ],
  );
  response.entries.splice(0, 1);
  assert.is(response.length, 1);
});

test("gives a post-processor its request, which it may resubmit", () => {
  const response = new PluginResponse();
  fails(() => response.resubmittable(), "RequestError", "invalid context (no request)");
  const request = requestFrom(requestSource({ query: "n=1" }), {
    n: createParamReader("n", "int"),
  });
  request.flag = "f";
  request.local = 5;
  const { signature } = request;
  bindOrigin(response, { request, sent: request, texec: 0.25, resubmits: 2 });
  assert.equal([response.flag, response.local, response.signature], ["f", 5, signature]);
  assert.equal([response.texec, response.resubmits, response.sn], [0.25, 2, 42]);
  assert.equal([response.port, response.requestpath], [9000, "/svc/plugin/test?n=1"]);
  const repeatedRequest = response.resubmittable();
  assert.ok(isResubmission(repeatedRequest));
  repeatedRequest.params.n = 2;
  assert.match(
    Buffer.from(repeatedRequest.serialize()).toString(),
    /^GET \/svc\/plugin\/test\?n=\(q\)2 /,
  );
  response.local = 6;
  assert.equal([response.local, request.local], [6, 5]);
  const post = new PluginResponse();
  const sentRequest = requestFrom(requestSource({ method: "POST", body: "x" }), {});
  bindOrigin(post, { request, sent: sentRequest, texec: 0, resubmits: 0 });
  fails(() => post.resubmittable(), "RequestError", "resubmit not possible for POST (must be GET)");
});

test.run();
