// The request as plugins see it, received or created, and its serialized form for a back-end.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import {
  createResubmission,
  getSignature,
  isResubmission,
  PluginRequest,
  requestFrom,
} from "../../../../runtime/plugin/request/plugin-request.js";
import { createParamReader } from "../../../../runtime/plugin/request/query-values.js";
import { headersDict, headersList } from "../../../../runtime/plugin/request/received.js";
import { requestSource } from "../../../support/request-source.js";

const test = suite("PluginRequest");
const IDENT = [4, 3, 32, 2, 1, 7, 0] as const;

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function fails(run: () => unknown, name: string, message: string): void {
  const code = name === "RequestError" ? "SVC2102" : "SVC2101";
  assert.throws(run, (error: SvcError) => {
    assert.equal([error.code, error.name, error.message], [code, name, message]);
    return true;
  });
}

test("has the defaults of an engine without a dispatcher", () => {
  const request = requestFrom(requestSource({ query: "a=1" }), {});
  assert.equal(
    [request.path, request.method, request.baseport, request.port, request.executor, request.sn],
    ["/svc/plugin/test?a=1", "GET", 9000, 9000, 3, 42],
  );
  assert.equal(request.ident, [0, 1, 1, 1, 0, 0, 0, 1]);
  assert.equal(
    [request.width, request.height, request.depth, request.partition, request.replica],
    [1, 1, 1, 0, 0],
  );
  assert.equal([request.channel, request.primary, request.toplevel], [0, 1, true]);
  assert.equal([request.partial, request.affinity, request.flag], [null, null, null]);
  assert.equal([request.local, request.content, request.hasmatrix], [null, null, false]);
  assert.is(request.t0, 1_790_000_000_000_250_000n);
});

test("has the matrix position that a dispatcher assigned", () => {
  const source = requestSource({ ident: IDENT, accept: "partial", portOffset: 1 });
  const request = requestFrom(source, {});
  assert.equal(request.ident, [1, ...IDENT]);
  assert.equal(
    [request.width, request.height, request.depth, request.partition, request.replica],
    [4, 3, 32, 2, 1],
  );
  assert.equal([request.channel, request.primary, request.toplevel], [7, 0, false]);
  assert.is(request.port, 9001);
});

test("converts parameters by their types, only once", () => {
  const request = requestFrom(requestSource({ query: "n=5&s=a%20b&f=(float)2&k&n=6" }), {
    n: createParamReader("n", "int"),
  });
  assert.equal({ ...request.params }, { n: 6, s: "a b", f: 2, k: null });
  assert.is(request.params, request.params);
  assert.equal(request.keys(), ["n", "s", "f", "k"]);
  assert.equal(request.values(), [6, "a b", 2, null]);
  assert.equal(request.items()[0], ["n", 6]);
  assert.equal([request.get("n"), request.get("k", 1), request.get("x", 1)], [6, null, 1]);
  assert.is(request.get("toString"), undefined);
  assert.equal([request.has("k"), request.has("x")], [true, false]);
  request.params.extra = 1;
  assert.is(request.get("extra"), 1);
  assert.throws(() => Object.assign(request, { params: {} }), TypeError);
});

test("takes a key from the header and forwards the one that is set", () => {
  const request = requestFrom(requestSource({ headerBlock: "x-svc-KEY: %C3%A9%20a\r\n" }), {});
  assert.is(request.key, "é a");
  const head = () => Buffer.from(request.serialize()).toString("latin1");
  assert.match(head(), /\r\nX-SVC-Key: %C3%A9%20a\r\n/);
  request.key = "x\r\ny";
  assert.is(head().match(/key: /gi)?.length, 1);
  assert.match(head(), /\r\nX-SVC-Key: x%0D%0Ay\r\n/);
  request.key = null;
  assert.not.match(head(), /key: /i);
  for (const invalidKey of [5, "", "é".repeat(1025), {}]) {
    assert.throws(() => {
      request.key = invalidKey as string;
    }, /key must/);
  }
});

test("owns an equal share of the keys in a system without slots", () => {
  const keys = Array.from({ length: 60 }, (_, number) => `k${number}`);
  const parts = [0, 1, 2].map((partition) => {
    const ident = [3, 1, 1, partition, 0, 0, 1] as const;
    return requestFrom(requestSource({ ident }), {});
  });
  for (const key of keys) {
    const owners = parts.filter((request) => request.owns(key));
    assert.is(owners.length, 1, key);
    assert.is(owners[0]!.partition, parts[0]!.partitionOf(key));
  }
  assert.ok(keys.every((key) => requestFrom(requestSource({}), {}).owns(key)));
  assert.throws(() => parts[0]!.owns(5 as unknown as string), /key must be str/);
});

test("takes partial from the header and accepts integers", () => {
  const headerBlock = "x-svc-partial-TARGET: 300\r\n";
  const request = requestFrom(requestSource({ headerBlock }), {});
  assert.is(request.partial, 300);
  request.flag = "x";
  assert.is(request.partial, 300);
  request.partial = -1;
  assert.is(request.partial, null);
  request.partial = 5;
  assert.is(request.partial, 5);
  request.partial = null;
  assert.is(request.partial, null);
  fails(() => (request.partial = 1.5), "TypeError", "partial must be int");
  fails(() => (request.partial = "1" as never), "TypeError", "partial must be int");
});

test("accepts primary, affinity, flag and local", () => {
  const request = requestFrom(requestSource(), {});
  request.primary = 0;
  assert.is(request.primary, 0);
  request.primary = true;
  assert.is(request.primary, 1);
  fails(() => (request.primary = "1" as never), "TypeError", "primary must be int");
  request.affinity = 130;
  assert.is(request.affinity, 2);
  request.affinity = null;
  assert.is(request.affinity, null);
  request.flag = "12345678";
  assert.is(request.flag, "12345678");
  fails(() => (request.flag = "1234567é"), "ValueError", "too many characters in flag");
  fails(() => (request.flag = 1 as never), "TypeError", "flag must be string");
  const local = { any: Symbol("thing") };
  request.local = local;
  assert.is(request.local, local);
});

test("computes a signature that depends on the parameters", () => {
  const request = requestFrom(requestSource({ query: "a=1&b=2" }), {});
  assert.is(getSignature(request), null);
  const first = request.signature;
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.is(getSignature(request), first);
  const swapped = requestFrom(requestSource({ query: "b=2&a=1" }), {});
  assert.is(swapped.signature, first);
  request.params.a = 3;
  assert.is(getSignature(request), null);
  assert.is.not(request.signature, first);
  const otherRequest = requestFrom(requestSource({ target: "/svc/plugin/other" }), {});
  assert.is.not(otherRequest.signature, requestFrom(requestSource(), {}).signature);
});

test("accepts a new signature, or none", () => {
  const request = requestFrom(requestSource(), {});
  request.signature = "0123456789abcdef0123456789ABCDEF";
  assert.is(request.signature, "0123456789abcdef0123456789ABCDEF");
  request.signature = null;
  assert.is(getSignature(request), null);
  fails(() => (request.signature = "xyz"), "ValueError", "invalid signature");
  fails(() => (request.signature = 1 as never), "TypeError", "signature must be str, not number");
});

test("returns headers by the method and in the type that the plugin declared", () => {
  const get = requestSource({ headerBlock: "Host: a\r\n" });
  assert.is(text(requestFrom(get, {}).headers as Uint8Array), "Host: a\r\n");
  assert.is(requestFrom(get, {}).headers, requestFrom(get, {}).headers);
  const declared = requestSource();
  const list = headersList(declared);
  assert.is(requestFrom(declared, {}).headers, list);
  const post = requestSource({ method: "POST", body: "x" });
  headersList(post);
  const dict = requestFrom(post, {}).headers as Record<string, string>;
  assert.is(dict.host, "localhost");
  assert.is(dict["X-Svc-Builtin-Client"], "http://127.0.0.1:50000/");
  const shared = requestSource({ method: "POST", body: "x" });
  assert.is(headersDict(shared), requestFrom(shared, {}).headers);
});

test("is a POST with empty content when the body is empty", () => {
  const request = requestFrom(requestSource({ method: "POST" }), {});
  assert.equal([...request.content!], []);
  assert.is(request.method, "POST");
  assert.match(text(request.serialize()), /^POST .*\r\nContent-Length: 0\r\n/s);
  assert.is(requestFrom(requestSource({}), {}).content, null);
});

test("returns the decoded name of the plugin, and the path as received", () => {
  for (const [target, name] of [
    ["/svc/plugin/find?q=a", "find"],
    ["/svc/plugin/%66ind", "find"],
    ["/svc/builtin/echo", "echo"],
    ["/svc/plugin/%zz", "%zz"],
  ]) {
    const request = requestFrom(requestSource({ target: target! }), {});
    assert.equal([request.plugin, request.path], [name, target]);
  }
  assert.is(new PluginRequest("a b").plugin, "a b");
});

test("returns the path without the prefix", () => {
  for (const [target, path] of [
    ["/shop/plugin/add?a=/plugin/b", "/svc/plugin/add?a=/plugin/b"],
    ["/shop/svc/plugin/add", "/svc/plugin/add"],
    ["/plugin/plugin/add?x", "/svc/plugin/add?x"],
    ["/svc/plugin/add?x", "/svc/plugin/add?x"],
    ["/shop/svc/builtin/echo", "/svc/builtin/echo"],
  ]) {
    assert.is(requestFrom(requestSource({ target: target! }), {}).path, path);
  }
});

test("returns content as bytes, whatever was assigned", () => {
  const request = requestFrom(requestSource({ method: "POST", body: "\xc3\xa9" }), {});
  assert.equal([...request.content!], [0xc3, 0xa9]);
  assert.is(request.content, request.content);
  request.content = "é";
  assert.equal([...request.content!], [0xc3, 0xa9]);
  request.content = { a: 1 };
  assert.is(text(request.content!), '{"a":1}');
  request.content = null;
  assert.equal([request.content, request.method], [null, "GET"]);
});

test("forwards a received request unchanged", () => {
  const source = requestSource({
    query: "a=%41+b",
    headerBlock:
      "Host: h\r\nAccept: text/plain\r\nConnection: close\r\nX-Own: 1\r\nContent-Type: a/b\r\n" +
      "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    method: "POST",
    body: "\xff\n",
  });
  assert.is(
    text(requestFrom(source, {}).serialize()),
    "POST /svc/plugin/test?a=%41+b HTTP/1.1\r\nHost: h\r\nX-Own: 1\r\nContent-Type: a/b\r\n" +
      "Accept: application/x-svc-partial\r\nContent-Length: 2\r\n\r\n\xff\n",
  );
});

test("serializes changed parameters and content", () => {
  const source = requestSource({ query: "n=1&s=a", headerBlock: "Content-Type: a/b\r\n" });
  const request = requestFrom(source, { n: createParamReader("n", "int") });
  request.params.f = 1.5;
  request.params.e = 1e-7;
  request.params.bare = null;
  request.params.t = "ä &(";
  request.params.j = { x: [1] };
  request.params.raw = new Uint8Array([255]);
  request.content = "hi";
  request.partial = 9;
  assert.is(
    text(request.serialize()),
    "POST /svc/plugin/test?n=(q)1&s=a&f=(d)1.5&e=(d)1e-7&bare&t=%C3%A4%20%26%28" +
      "&j=%7B%22x%22%3A%5B1%5D%7D&raw=%FF HTTP/1.1\r\nHost: svc\r\n" +
      "Accept: application/x-svc-partial\r\nX-SVC-Partial-Target: 9\r\n" +
      "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi",
  );
});

test("preserves types of parameters across a hop", () => {
  const params = { i: -5, f: 0.1, big: 1e21, s: "é/+ %", none: null, empty: "" };
  const sentRequest = new PluginRequest("x", params);
  const query = text(sentRequest.serialize()).split(" ")[1]!.split("?")[1]!;
  assert.equal({ ...requestFrom(requestSource({ query }), {}).params }, params);
});

test("can be created by plugins", () => {
  const request = new PluginRequest("find", { q: "a", n: 2 }, { "X-A": "é" }, "body", 3);
  assert.is(
    text(request.serialize()),
    "POST /svc/plugin/find?q=a&n=(q)2 HTTP/1.1\r\nX-A: \xc3\xa9\r\nHost: svc\r\n" +
      "Accept: application/x-svc-partial\r\nX-SVC-Partial-Target: 3\r\n" +
      "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nbody",
  );
  const plainRequest = new PluginRequest("find", { q: "a" });
  assert.equal(
    [plainRequest.method, plainRequest.path, plainRequest.get("q")],
    ["GET", "/svc/plugin/find?q=a", "a"],
  );
  assert.is(new PluginRequest("find").path, "/svc/plugin/find");
});

test("accepts any parameter names", () => {
  for (const params of [{ content: "evil" }, { partial: 3 }, { headers: "x" }, { params: "y" }]) {
    const request = new PluginRequest("find", params);
    assert.equal({ ...request.params }, params);
    assert.equal([request.method, request.content, request.partial], ["GET", null, null]);
  }
});

test("rejects values that cannot be sent", () => {
  fails(() => new PluginRequest("" as string), "RequestError", "plugin name (str) is required");
  fails(() => new PluginRequest({} as never), "RequestError", "plugin name (str) is required");
  fails(() => new PluginRequest("x", [] as never), "TypeError", "params must be dict");
  fails(
    () => new PluginRequest("x", { f: () => 1 }),
    "RequestError",
    "unsupported parameter type: Function",
  );
  fails(
    () => new PluginRequest("x", {}, { a: 1 as never }),
    "RequestError",
    "header field value must be string",
  );
  fails(
    () => new PluginRequest("x", {}, { a: "x".repeat(1024) }),
    "RequestError",
    "header field too large",
  );
  for (const [name, value] of [
    ["a", "x\r\nEvil: 1"],
    ["a b", "x"],
    ["a:", "x"],
    ["", "x"],
  ]) {
    assert.throws(() => new PluginRequest("x", {}, { [name!]: value! }), /invalid header field/);
  }
  assert.is(new PluginRequest("a b\r\n").path, "/svc/plugin/a%20b%0D%0A");
});

test("resubmits the original request", () => {
  const request = requestFrom(requestSource({ query: "n=1" }), {
    n: createParamReader("n", "int"),
  });
  request.params.n = 2;
  const repeatedRequest = createResubmission(request);
  assert.is(repeatedRequest.get("n"), 1);
  assert.equal([isResubmission(repeatedRequest), isResubmission(request)], [true, false]);
});

test.run();
