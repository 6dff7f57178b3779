// Tool calls without a process: the request for given arguments, and the result for every kind of
// response and fault.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PluginSpec } from "../../../argspec/argspec.js";
import { ToolCaller } from "../../../cli/mcp/tool-caller.js";
import { Connection } from "../../../client/typescript/connection.js";
import type { FetchInit } from "../../../client/typescript/options.js";
import {
  INTEGER,
  makeArgspec,
  object,
  optional,
  param,
  plugin,
} from "../../argspec/sample-argspec.js";

const test = suite("ToolCaller");
const ANY = { result: { kind: "value", schema: {} } } as const;
const BASE = "http://127.0.0.1:9000";

interface Sent extends FetchInit {
  readonly url: string;
}

/** Calls the tool of one plugin, whose server always sends the same response. */
async function call(overrides: Partial<PluginSpec>, args: object, response: unknown, status = 200) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: FetchInit) => {
    sent.push({ url: url.slice(BASE.length), ...init });
    return new Response(typeof response === "string" ? response : JSON.stringify(response), {
      status,
    });
  };
  const connection = new Connection({ baseUrl: BASE, fetch, retries: 0 }, "ab".repeat(32));
  const caller = new ToolCaller(
    makeArgspec([plugin("tool", { ...ANY, ...overrides })]),
    connection,
  );
  const args_ = args as Readonly<Record<string, unknown>>;
  const result = await caller.call("tool", args_, new AbortController().signal)!;
  const [content] = result.content;
  return { text: content?.type === "text" ? content.text : null, result, sent };
}

const ok = (response: unknown) => ({ status: "OK", response });
const failed = (message: unknown) => ({ status: "ERROR", message });

test("encodes arguments like every client", async () => {
  const params = [
    param("q"),
    optional("octets", { wire: "bytes" }),
    optional("at", { wire: "json", schema: object({ x: INTEGER }) }),
    optional("content", { in: "body", wire: "bytes" }),
  ];
  const args = { q: "a b", octets: "/wA=", at: { x: 1 }, content: "aGVsbG8=" };
  const { sent, text } = await call({ params }, args, ok("done"));
  assert.is(text, "done");
  const [{ url, method, body } = {} as Sent] = sent;
  assert.is(url, "/svc/plugin/tool?q=a%20b&octets=%ff%00&at=%7B%22x%22%3A1%7D");
  assert.is(method, "POST");
  assert.is(Buffer.from(body as ArrayBuffer).toString(), "hello");
  const bare = await call({ params }, { q: "" }, ok(null));
  assert.is(bare.text, "null");
  assert.is(bare.sent[0]?.method, "GET");
});

test("reports invalid arguments without sending them", async () => {
  const params = [
    param("n", { wire: "int", schema: INTEGER }),
    optional("content", { in: "body", wire: "bytes" }),
    optional("constructor", { wire: "str" }),
  ];
  const mismatches: [args: object, says: string][] = [
    [{}, '"n"'],
    [{ n: "1" }, "#/n: "],
    [{ n: {} }, "#/n: "],
    [{ n: 1, nosuch: 1 }, "#/nosuch: "],
    [JSON.parse('{"n": 1, "__proto__": 1}'), "__proto__"],
    [{ n: 1, content: 7 }, "#/content: "],
    [{ n: 1, content: "hello" }, "content: expected base64"],
    [{ n: 1, content: "aGVsbG8" }, "content: expected base64"],
  ];
  for (const [args, message] of mismatches) {
    const { text, result, sent } = await call({ params }, args, ok(1));
    assert.is(result.isError, true);
    assert.match(text!, /^parameter error: /);
    assert.match(text!, message);
    assert.is(sent.length, 0);
  }
  const { result } = await call({ params }, { n: 1 }, ok(1));
  assert.is(result.isError, undefined, "an inherited member is no argument");
});

test("returns an object as text and as structured content", async () => {
  const result = { kind: "value", schema: object({ n: INTEGER }) } as const;
  const good = await call({ result }, {}, ok({ n: 1, more: 2 }));
  assert.is(good.text, '{"n":1,"more":2}');
  assert.equal(good.result.structuredContent, { n: 1, more: 2 });
  const response = await call({}, {}, ok({ n: 1 }));
  assert.is(response.result.structuredContent, undefined);
});

test("reports a result of another type than declared as an error", async () => {
  const result = { kind: "value", schema: object({ n: { type: "number" } }) } as const;
  for (const response of [{ n: "NaN" }, [], null, "text"]) {
    const { text, result: received } = await call({ result }, {}, ok(response));
    assert.is(received.isError, true);
    assert.is(received.structuredContent, undefined);
    assert.match(text!, /^answer error: does not match the declared type: /);
    assert.is(text!.split("\n").at(-1), JSON.stringify(response));
  }
});

test("reports a plain result of another type than declared as an error", async () => {
  const result = { kind: "value", schema: INTEGER } as const;
  const { text } = await call({ result }, {}, ok("5"));
  assert.match(text!, /^answer error: .*"integer".*\n"5"$/s);
  assert.is((await call({ result }, {}, ok(5))).text, "5");
});

test("reports arguments and results that are nested too deeply", async () => {
  const deep = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`);
  const params = [param("at", { wire: "json", schema: {} })];
  const deepCall = await call({ params }, { at: deep }, ok(1));
  assert.is(deepCall.text, "parameter error: the arguments are nested more than 500 levels deep");
  assert.is(deepCall.sent.length, 0);
  const text = `{"status":"OK","response":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const response = await call({}, {}, text);
  assert.match(response.text!, /^answer error: the result is nested more than 500 levels deep/);
});

test("reports details of errors, and escapes control characters", async () => {
  const detail = { exception: "<class 'NotFound'>", value: "no \u001b[2J", details: { id: 7 } };
  const { text } = await call({}, {}, failed({ plugin: detail }), 404);
  assert.is(
    text,
    'plugin error: /svc/plugin/tool: no \\u001b[2J\nexception: NotFound\ndetails: {"id":7}',
  );
});

test("reports when the running calls have ended", async () => {
  let respond = (_: Response): void => {};
  const fetch = () => new Promise<Response>((resolve) => (respond = resolve));
  const connection = new Connection({ baseUrl: BASE, fetch, retries: 0 }, "ab".repeat(32));
  const caller = new ToolCaller(makeArgspec([plugin("tool", ANY)]), connection);
  const called = caller.call("tool", {}, new AbortController().signal)!;
  let isDrained = false;
  const drained = caller.drained().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  assert.not(isDrained);
  respond(new Response(JSON.stringify(ok(1))));
  await called;
  await drained;
});

test("reports a result that violates its own schema", async () => {
  const { text, result } = await call({}, {}, ok("a".repeat(8_000_001)));
  assert.is(result.isError, true);
  assert.match(text!, /^answer error: result of \d+ bytes exceeds the tool limit/);
});

test("reports kind, message and innermost exception of errors", async () => {
  const detail = { exception: "<class 'RangeError'>", value: "too far" };
  const innermost = "{'plugin': {'exception': '<class \\'RangeError\\'>', 'value': 'too far'}}";
  const chain = `<partial: 1 width: 3> | 500 | <partial: 0 width: 2> | 500 | ${innermost}`;
  const path = "/svc/plugin/tool";
  const rows: [message: unknown, status: number, text: string][] = [
    [{ svc: detail }, 400, `parameter error: ${path}: too far\nexception: RangeError`],
    [{ plugin: detail }, 500, `plugin error: ${path}: too far\nexception: RangeError`],
    [{ system: detail }, 500, `system error: ${path}: too far\nexception: RangeError`],
    ["no", 404, `http error: ${path}: no`],
    [
      chain,
      500,
      [
        `backend error: ${path}: too far`,
        "exception: RangeError",
        "partition 1 of 3 answered with status 500",
        "partition 0 of 2 answered with status 500",
      ].join("\n"),
    ],
  ];
  for (const [message, status, expected] of rows) {
    const { text, result } = await call({}, {}, failed(message), status);
    assert.is(text, expected);
    assert.is(result.isError, true);
  }
});

test("reports an invalid response as an error, and truncates a long one", async () => {
  const { text, result } = await call({}, {}, "<html>", 200);
  assert.is(text, "http error: /svc/plugin/tool: response is not an svc envelope");
  assert.is(result.isError, true);
  const long = await call({}, {}, failed("a".repeat(100_000)), 500);
  assert.is(long.text!.length, 10_000);
});

test("returns null for unknown tools", () => {
  const connection = new Connection({ baseUrl: BASE }, "ab".repeat(32));
  const caller = new ToolCaller(makeArgspec([plugin("tool")]), connection);
  const { signal } = new AbortController();
  for (const name of ["nosuch", "constructor", "__proto__", ""]) {
    assert.is(caller.call(name, {}, signal), null);
  }
});

test("limits a slow pattern of the server to one second", async () => {
  const schema = { type: "string", pattern: "^(?:a+)+$" };
  const evil = `${"a".repeat(40)}!`;
  const markedUpCall = await call({ params: [param("q", { schema })] }, { q: evil }, ok(null));
  assert.match(markedUpCall.text ?? "", /type check exceeded 1000 ms/);
  assert.is(markedUpCall.sent.length, 0);
  const result = { kind: "value", schema: object({ text: schema }) } as const;
  const response = await call({ result }, {}, ok({ text: evil }));
  assert.match(response.text ?? "", /type check exceeded 1000 ms/);
  const fine = await call({ params: [param("q", { schema })] }, { q: "aaa" }, ok("done"));
  assert.is(fine.text, "done");
});

test.run();
