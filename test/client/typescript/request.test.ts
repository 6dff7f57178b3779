// Calls as requests: URL, header fields and body. test/property/client-query.test.ts verifies that
// servers decode them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildRequest, withBytes } from "../../../client/typescript/request.js";

const test = suite("client request");
const PATH = "/svc/plugin/find";

/** The part after the path. */
function query(params: object, json: readonly string[] = []): string {
  return buildRequest("", { path: PATH, json }, params, {}).url.slice(PATH.length);
}

test("appends the path to the base URL, with or without a slash", () => {
  for (const base of ["http://h:1", "http://h:1/", "http://h:1//"]) {
    assert.is(buildRequest(base, { path: PATH }, {}, {}).url, "http://h:1/svc/plugin/find");
  }
  assert.is(buildRequest("http://h/a/", { path: PATH }, {}, {}).url, "http://h/a/svc/plugin/find");
  assert.is(buildRequest("", { path: PATH }, {}, {}).url, PATH);
});

test("encodes values by their type", () => {
  assert.is(query({}), "");
  assert.is(query({ a: undefined }), "");
  assert.is(query({ a: undefined, b: null, c: "" }), "?b&c=");
  assert.is(query({ a: 1.5, b: true, c: 10n, d: -0 }), "?a=1.5&b=true&c=10&d=0");
  assert.is(query({ q: "a b+c&d=e%é\n" }), "?q=a%20b%2Bc%26d%3De%25%C3%A9%0A");
  assert.is(query({ "a=b&c": "x" }), "?a%3Db%26c=x");
  assert.is(query({ b: Uint8Array.of(0, 65, 255) }), "?b=%00%41%ff");
});

test("replaces lone surrogates like every encoder", () => {
  assert.is(query({ q: "\ud800a\udc00 \u{1f600}" }), "?q=%EF%BF%BDa%EF%BF%BD%20%F0%9F%98%80");
});

test("sends parameters of type JSON as JSON, including null", () => {
  const params = { at: { x: 1 }, tags: ["a", "é"], none: null, text: "a", left: undefined };
  const names = Object.keys(params);
  assert.is(
    decodeURIComponent(query(params, names)),
    '?at={"x":1}&tags=["a","é"]&none=null&text="a"',
  );
});

test("sends only own members as parameters, whatever their names", () => {
  const params = Object.create({ inherited: 1 }) as object;
  Object.defineProperty(params, "hidden", { value: 1 });
  Object.assign(params, { constructor: "c", hasOwnProperty: "h", toString: "t" });
  assert.is(query(params), "?constructor=c&hasOwnProperty=h&toString=t");
  assert.is(query(JSON.parse('{"__proto__": "p", "q": 1}')), "?__proto__=p&q=1");
});

test("sends an operation that requires POST as one without a body", () => {
  const post = { "x-svc-change": "1" };
  const { method, headers, body } = buildRequest("", { path: PATH, post }, { id: "a" }, {});
  assert.equal([method, headers["x-svc-change"], body], ["POST", "1", undefined]);
});

test("sends a call with a body as POST", () => {
  const request = (content: unknown, form: "bytes" | "str" | "json" | undefined) => {
    const operation = { path: PATH, ...(form !== undefined && { content: form }) };
    const { method, url, headers, body } = buildRequest("", operation, { a: 1, content }, {});
    const bytes = body instanceof ArrayBuffer ? [...new Uint8Array(body)] : body;
    return [method, url.slice(PATH.length), headers["content-type"], bytes];
  };
  const binary = "application/octet-stream";
  const view = Uint8Array.of(9, 1, 2, 9).subarray(1, 3);
  assert.equal(request(view, "bytes"), ["POST", "?a=1", binary, [1, 2]]);
  assert.equal(request("é", "bytes"), ["POST", "?a=1", binary, "é"]);
  assert.equal(request("", "bytes"), ["POST", "?a=1", binary, ""]);
  assert.equal(request("é", "str"), ["POST", "?a=1", "text/plain", "é"]);
  assert.equal(request(["é"], "json"), ["POST", "?a=1", "application/json", '["é"]']);
  assert.equal(request(null, "json"), ["POST", "?a=1", "application/json", "null"]);
  assert.equal(request(undefined, "json"), ["GET", "?a=1", undefined, undefined]);
  assert.equal(request("x", undefined), ["GET", "?a=1&content=x", undefined, undefined]);
});

test("sends content by its type, and converts nothing else to text", async () => {
  const operation = { path: PATH, content: "bytes" } as const;
  const bytes = Uint8Array.of(1, 2, 255);
  const sent = async (content: unknown) => {
    const { body } = buildRequest("", operation, await withBytes(operation, { content }), {});
    return body instanceof ArrayBuffer ? [...new Uint8Array(body)] : body;
  };
  const whole = [1, 2, 255];
  async function* pieces() {
    yield bytes.subarray(0, 1);
    yield bytes.subarray(1);
  }
  for (const content of [bytes, bytes.buffer, new DataView(bytes.buffer), new Blob([bytes])]) {
    assert.equal(await sent(content), whole);
  }
  assert.equal(await sent(new Blob([bytes]).stream()), whole);
  assert.equal(await sent(pieces()), whole);
  assert.equal(await sent(new Uint16Array([258])), [2, 1]);
  assert.is(await sent(null), undefined);
  for (const content of [5, true, {}, [1, 2], new Date()]) {
    try {
      await sent(content);
      assert.unreachable(String(content));
    } catch (error) {
      assert.is((error as Error).message, "content: expected text, bytes or a stream");
    }
  }
});

test("reads sources by their own methods, whatever their class", async () => {
  const operation = { path: PATH, content: "bytes" } as const;
  const read = async (content: unknown) => {
    const { body } = buildRequest("", operation, await withBytes(operation, { content }), {});
    return new TextDecoder().decode(body as ArrayBuffer);
  };
  async function* mixed() {
    yield "a";
    yield new TextEncoder().encode("b").buffer;
  }
  const values = ["a", "b"].map((text) => ({ value: new TextEncoder().encode(text) }));
  const reader = { read: async () => values.shift() ?? { done: true } };
  assert.is(await read(new Response("ab")), "ab");
  assert.is(await read({ arrayBuffer: async () => new TextEncoder().encode("ab").buffer }), "ab");
  assert.is(await read(mixed()), "ab");
  assert.is(await read({ getReader: () => reader }), "ab");
  async function* yieldInvalidItem() {
    yield { a: 1 };
  }
  try {
    await read(yieldInvalidItem());
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "content: expected text, bytes or a stream");
  }
});

test("rejects values that have no form in a query or in JSON", () => {
  for (const value of [{}, ["a"], new Date(), () => 1, Symbol("s"), new Blob(["a"])]) {
    assert.throws(() => query({ q: value }), /^q: expected text, a number, a boolean or bytes$/);
  }
  assert.throws(() => query({ q: () => 1 }, ["q"]), /^q: expected a JSON value$/);
  const operation = { path: PATH, content: "json" } as const;
  assert.throws(
    () => buildRequest("", operation, { content: () => 1 }, {}),
    /^content: expected a/,
  );
});

test("copies bytes, so that later changes are not sent", () => {
  const content = Buffer.from("ab");
  const { body } = buildRequest("", { path: PATH, content: "bytes" }, { content }, {});
  content.fill(0);
  assert.equal(new Uint8Array(body as ArrayBuffer), Uint8Array.of(97, 98));
});

test("sends a key percent-encoded", () => {
  for (const [key, sent] of [
    ["Bogotá", "Bogot%C3%A1"],
    ["a\r\nb: c", "a%0D%0Ab%3A%20c"],
    ["(", "%28"],
  ]) {
    const { headers } = buildRequest("", { path: PATH }, {}, { key: key! });
    assert.is(headers["x-svc-key"], sent);
  }
  assert.not("x-svc-key" in buildRequest("", { path: PATH }, {}, {}).headers);
});

test("prefers header fields of the caller, except for the partition", () => {
  const operation = { path: PATH, content: "bytes" } as const;
  const headers = {
    ...{ "content-type": "image/png", authorization: "t", "x-svc-partial-target": "9" },
    "idempotency-key": "own",
  };
  const options = { partial: 0, headers };
  assert.equal(buildRequest("", operation, { content: "x" }, options).headers, {
    accept: "application/json",
    "content-type": "image/png",
    authorization: "t",
    "idempotency-key": "own",
    "x-svc-partial-target": "0",
  });
  const text = buildRequest("", { path: "/svc/hc", text: true }, {}, {});
  assert.equal(text.headers, { accept: "text/plain" });
});

test.run();
