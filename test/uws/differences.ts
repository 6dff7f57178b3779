// Differences of `uws` from the conformance cases, by group (docs/internals/uws-differences.md).
// The suite requires exactly this behavior; a difference that disappears fails too.

import type { KnownDifferences, Outcome } from "../conformance/run.js";

const outcomes = new Map<string, Outcome>();

function set(outcome: Outcome, rule: string, names: readonly string[]): void {
  for (const name of names) outcomes.set(`${rule}: ${name}`, outcome);
}

/** The parser's own response: an HTML page without a length, then a close. */
function page(status: number, phrase: string): Outcome {
  const head = `HTTP/1.1 ${status} ${phrase}\r\nConnection: close\r\n`;
  return { expect: [{ status, head }], after: "closed" };
}
const PAGE_400 = page(400, "Bad Request");
const PAGE_431 = page(431, "Request Header Fields Too Large");
const PAGE_505 = page(505, "HTTP Version Not Supported");
/** The connection closes without a response. */
const CUT: Outcome = { expect: [], after: "closed", waitsFor: undefined };
/** No response yet: the parser treats the request as incomplete. */
const WAITING: Outcome = { expect: [], after: "waiting" };

function accepted(body: string): Outcome {
  return { expect: [{ status: 200, body }], after: "open", waitsFor: undefined };
}

// A head is validated once it is complete, and empty lines before it are not skipped.
set(WAITING, "response", ["rejection has all header fields"]);
set(WAITING, "request line", ["empty lines before it", "unknown method, line unfinished"]);
set(WAITING, "header", ["invalid line, head unfinished", "line of 8193 bytes, unfinished"]);

// Targets other than a path, other versions and most invalid request lines get the page for 505.
set(PAGE_505, "response", ["OPTIONS * is for the whole server"]);
set(PAGE_505, "request line", [
  "whole URL",
  "whole URL without path",
  "tunnel",
  "binary junk, line unfinished",
  "no version",
  "no target",
  "two blanks",
  "blank at the end",
  "blank at the start",
  "tab",
  "control character",
  "NUL",
  "line feed alone",
  "carriage return alone",
  "relative target",
  "* with GET",
  "other scheme",
  "URL with user",
  "version without number",
  "version in lower case",
  "version with three digits",
  "preface of HTTP/2",
  "version 1.0",
  "version 0.9",
  "version 2.0",
  "version 1.2",
  "8192 bytes, invalid version",
]);
// Dispatchers cannot identify their connections.
set(PAGE_505, "ident", [
  "identifies the connection",
  "ident with six numbers",
  "ident with other characters",
]);

// Invalid header lines get the page for 400, long sections the page for 431.
set(PAGE_400, "header", [
  "no Host",
  "no fields",
  "two Hosts",
  "no colon",
  "blank before colon",
  "blank before name",
  "folded line",
  "control character in a value",
  "NUL in a value",
  "line feed alone",
  "brackets in a name",
  "byte above ASCII in a name",
  "line feeds only, unfinished",
]);
set(PAGE_431, "request line", ["more than 64 KiB", "more than 64 KiB, unfinished"]);
set(PAGE_431, "header", [
  "100 fields",
  "101 fields",
  "more than 64 KiB",
  "more than 64 KiB, unfinished",
]);
set(WAITING, "header", ["carriage return in a value"]);
// A line without a name hides all following lines.
set(accepted("GET|/echo|json 0 0 -1 1||none"), "header", ["empty name"]);

// Invalid lengths and codings, and both at once.
set(
  PAGE_400,
  "length",
  ["-1", "+1", "0x1", "1.0", "1e1", "1 1", "1,1"].map((value) => `of "${value}"`),
);
set(WAITING, "length", ['of "1\xa0"']);
set(PAGE_400, "smuggling", [
  "length and chunked",
  "chunked and length",
  "length before a blank",
  "chunked after a control character",
]);
set(PAGE_400, "too large", ["far beyond, known in advance"]);

// Chunks: neither extensions nor trailers, and invalid ones are tolerated; therefore the connection
// closes after every response to a chunked request.
set(PAGE_400, "chunked", [
  "extensions",
  "size that is not a number",
  "size with sign",
  "size with prefix",
  "huge size",
  "long extension",
]);
for (const [name, body] of [
  ["body", "abcde"],
  ["byte by byte", "abc0123456789"],
  ["empty", "none"],
  ["name in upper case", "a"],
  ["large", "262144 bytes"],
  ["empty size", "none"],
  ["size with blank", "abc"],
  ["line feed alone after size", "abc"],
  ["line feed alone after data", "abc"],
  ["data longer than its size", "abc"],
  ["invalid trailer", "none"],
] as const) {
  const expect = [{ status: 200, body: `POST|/echo|json 0 0 -1 2||${body}` }];
  set({ expect, after: "closed" }, "chunked", [name]);
}
set(PAGE_505, "chunked", ["trailers", "long trailers"]);
set(WAITING, "chunked", ["control character in an extension"]);
const TOO_LONG = { status: 414, body: "414 URI Too Long" };
set({ expect: [TOO_LONG], after: "closed" }, "request line", ["8192 bytes and chunks"]);
// A body that is too large is read to its end, however long, and never stored.
const TOO_LARGE = { status: 413, body: "413 Payload Too Large" };
set({ expect: [TOO_LARGE], after: "closed" }, "too large", ["chunked"]);
set(WAITING, "too large", ["far beyond, chunked"]);

// 100 Continue is sent for accepted and rejected bodies, in lower case only, and even when there is
// no body or it was sent along.
const CONTINUE = { status: 100, head: "HTTP/1.1 100 Continue\r\n" };
const continued = (body: string): Outcome => ({
  expect: [CONTINUE, { status: 200, body }],
  after: "open",
});
set(accepted("POST|/echo|json 0 0 -1 3||abc"), "expect", ["100-continue"]);
set(continued("POST|/echo|json 0 0 -1 3||abc"), "expect", [
  "100-continue with the body sent along",
]);
set(continued("POST|/echo|json 0 0 -1 2||none"), "expect", ["100-continue without body"]);
set({ expect: [CONTINUE, TOO_LARGE], after: "closed" }, "expect", [
  "100-continue for a body that is too large",
]);
set({ expect: [CONTINUE, TOO_LONG], after: "closed" }, "request line", [
  "8192 bytes and Expect: 100-continue",
]);

// A connection has one request at a time: a pipelined one closes it.
set(CUT, "expect", ["100-continue after a request in progress"]);
set(CUT, "pipelining", [
  "responses in order",
  "a stream in its turn",
  "no response after one without content",
  "64 at once",
  "2000",
  "2000, half-closed by the client",
]);
set(CUT, "connection", ["no response after a request with Connection: close"]);
set({ expect: [{ status: 200 }], after: "waiting" }, "pipelining", ["a rejection in its turn"]);
// Both halves of a connection close together.
set(CUT, "connection", [
  "a client that half-closes within a head",
  "a client that half-closes within a body",
  "a half-closed client gets its response",
]);

export const differences: KnownDifferences = { addsDate: true, outcomes };
