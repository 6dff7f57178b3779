// Bytes that a back-end receives for a request.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { forwardedRequest } from "../../../runtime/dispatch/forwarded-request.js";
import { withoutHopHeaders } from "../../../runtime/plugin/contract/request-text.js";

const test = suite("forwarded request");
const GET = {
  method: "GET",
  target: "/svc/plugin/a?b=c",
  block: "Host: x\r\nX-A: 1\r\n",
  accept: "json",
  partialTarget: null,
  key: null,
  deadlineMs: 0,
  via: "a,b",
  body: null,
  traceParent: null,
  requestId: null,
} as const;

function lines(head: string): string[] {
  assert.ok(head.endsWith("\r\n\r\n"));
  return head.slice(0, -4).split("\r\n");
}

test("sends a query to all partitions and asks for partials", () => {
  const request = forwardedRequest(GET, false);
  assert.equal(lines(request.head), [
    "GET /svc/plugin/a?b=c HTTP/1.1",
    "Host: x",
    "X-A: 1",
    "Accept: application/x-svc-partial",
    "X-SVC-Via: a,b",
  ]);
  assert.is(request.method, "GET");
  assert.is(request.body, null);
  assert.is(request.target, null);
  assert.equal(request.preference, { isPrimary: false, affinity: -1 });
});

test("drops hop-by-hop fields regardless of case", () => {
  const block = [
    "Host: x",
    "ACCEPT: text/plain",
    "Connection: keep-alive",
    "Content-Length: 99",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "TE: trailers",
    "Trailer: x",
    "Upgrade: h2c",
    "Keep-Alive: 5",
    "x-svc-partial-target: 7",
    "x-svc-via: a",
    "Content-Type: text/plain",
    "Accept-Language: en",
    "",
  ].join("\r\n");
  const { head } = forwardedRequest({ ...GET, block }, false);
  assert.equal(lines(head).slice(1), [
    "Host: x",
    "Content-Type: text/plain",
    "Accept-Language: en",
    "Accept: application/x-svc-partial",
    "X-SVC-Via: a,b",
  ]);
});

test("replaces the client's trace context by the span of a sampled request", () => {
  const block = "Host: x\r\nTraceParent: 00-1\r\ntracestate: a=1\r\ntraceparent: 00-2\r\n";
  const { head } = forwardedRequest({ ...GET, block, traceParent: "00-3" }, false);
  assert.equal(lines(head).slice(1, 4), ["Host: x", "tracestate: a=1", "traceparent: 00-3"]);
  assert.ok(!/00-[12]/.test(head));
  assert.match(forwardedRequest({ ...GET, block }, false).head, "00-1");
});

test("copies bodies byte by byte and sets their length", () => {
  for (const body of ["grüße\n".slice(0, 5), Uint8Array.of(1, 2, 3, 4, 5)]) {
    const request = forwardedRequest({ ...GET, method: "POST", body }, false);
    assert.is(request.method, "POST");
    assert.is(request.body, body);
    assert.ok(lines(request.head).includes("Content-Length: 5"));
    assert.match(request.head, /^POST \/svc\/plugin\/a/);
  }
});

test("sends HEAD as GET", () => {
  assert.match(forwardedRequest({ ...GET, method: "HEAD" }, false).head, /^GET /);
});

test("forwards a target, which selects the primary replica", () => {
  const request = forwardedRequest({ ...GET, partialTarget: 5n }, false);
  assert.is(request.target, 5n);
  assert.is(request.preference.isPrimary, true);
  assert.ok(lines(request.head).includes("X-SVC-Partial-Target: 5"));
});

test("forwards the Accept field of a relayed request", () => {
  for (const [accept, mediaType] of [
    ["json", "application/json"],
    ["text", "text/plain"],
    ["partial", "application/x-svc-partial"],
  ] as const) {
    const request = forwardedRequest({ ...GET, accept }, true);
    assert.is(request.isRelayed, true);
    assert.ok(lines(request.head).includes(`Accept: ${mediaType}`));
  }
  const block = "Host: x\r\nAccept: text/html, */*;q=0.1\r\n";
  const { head } = forwardedRequest({ ...GET, block }, true);
  assert.ok(lines(head).includes("Accept: text/html, */*;q=0.1"));
});

test("does not ask for partials on behalf of a client without that permission", () => {
  const block = "Host: x\r\nAccept: Application/x-svc-partial\r\n";
  const { head } = forwardedRequest({ ...GET, block, accept: "json" }, true);
  assert.ok(lines(head).includes("Accept: application/json"));
});

test("adds the request id that the dispatcher has made", () => {
  const { head } = forwardedRequest({ ...GET, requestId: "made-1" }, false);
  assert.ok(lines(head).includes("X-Request-Id: made-1"));
});

test("handles many different header blocks", () => {
  for (let i = 0; i < 1000; i++) {
    const block = `Host: x\r\nX-A: ${i}\r\nConnection: close\r\n`;
    const { head } = forwardedRequest({ ...GET, block }, false);
    assert.equal(lines(head).slice(1, 3), ["Host: x", `X-A: ${i}`]);
    assert.not.match(head, /connection/i);
  }
});

test("drops the fields that Connection lists", () => {
  const block =
    "Host: a\r\nConnection: X-One,\tx-two , host\r\nX-One: 1\r\nX-Two: 2\r\nX-Three: 3\r\n" +
    "connection: x-four\r\nX-FOUR: 4\r\n";
  assert.is(withoutHopHeaders(block), "Host: a\r\nX-Three: 3\r\n");
});

test.run();
