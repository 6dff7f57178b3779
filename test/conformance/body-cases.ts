// Bodies: lengths, chunks, request smuggling, Expect, and bodies that are too large.

import { caseTable, chunked, get, HOST, PLAIN, post } from "./case.js";

const table = caseTable();
const { add, refused, echoed, badHeader } = table;

const badContent = (name: string, body: string): void =>
  refused("chunked", name, chunked(body), 400, "Invalid HTTP content");

// Framing of bodies

echoed("length", "body", post("/echo", "hello"), "POST|/echo|json 0 0 -1 2||hello");
echoed(
  "length",
  "body in packets of its own",
  [post("/echo", "hello").slice(0, -5), "he", "llo"],
  "POST|/echo|json 0 0 -1 2||hello",
);
echoed(
  "length",
  "head and body byte by byte",
  [...post("/echo", "hey")],
  "POST|/echo|json 0 0 -1 2||hey",
);
echoed("length", "0", post("/echo", ""), "POST|/echo|json 0 0 -1 2||none");
echoed("length", "none", `POST /echo HTTP/1.1\r\n${HOST}\r\n`, `POST|/echo|${PLAIN}||none`);
echoed(
  "length",
  "body of GET",
  `GET /echo HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`,
  "GET|/echo|json 0 0 -1 2||abc",
);
echoed(
  "length",
  "large body",
  post("/echo", "x".repeat(300_000)),
  "POST|/echo|json 0 0 -1 2||300000 bytes",
);
const length = (text: string): string => `${HOST}Content-Length: ${text}\r\n`;
for (const text of ["-1", "+1", "0x1", "1.0", "1e1", "1 1", "1,1", "", "1\xa0", "\xb2"]) {
  badHeader("length", `of ${JSON.stringify(text)}`, length(text));
}
badHeader("length", "the same twice", `${length("1")}content-length: 1\r\n`);
badHeader("length", "two that differ", `${length("1")}Content-Length: 2\r\n`);
badHeader("smuggling", "length and chunked", `${length("3")}Transfer-Encoding: chunked\r\n`);
badHeader("smuggling", "chunked and length", `Transfer-Encoding: chunked\r\n${length("3")}`);
badHeader("smuggling", "length before a blank", `${HOST}Content-Length : 3\r\n`);
badHeader(
  "smuggling",
  "chunked twice",
  `${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
);
badHeader("smuggling", "empty coding", `${HOST}Transfer-Encoding:\r\n`);
badHeader(
  "smuggling",
  "chunked after a control character",
  `${HOST}Transfer-Encoding: \x0bchunked\r\n`,
);
for (const coding of [
  "gzip",
  "identity",
  "xchunked",
  "gzip, chunked",
  "chunked, gzip",
  "chunked\xa0",
  '"chunked"',
]) {
  refused(
    "smuggling",
    `coding ${coding}`,
    get("/echo", `${HOST}Transfer-Encoding: ${coding}\r\n`),
    501,
    "Not Implemented",
  );
}

const CHUNKED = "json 0 0 -1 2";
echoed(
  "chunked",
  "body",
  chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
  `POST|/echo|${CHUNKED}||abcde`,
);
echoed(
  "chunked",
  "byte by byte",
  [...chunked("3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n")],
  `POST|/echo|${CHUNKED}||abc0123456789`,
);
echoed("chunked", "empty", chunked("0\r\n\r\n"), `POST|/echo|${CHUNKED}||none`);
echoed(
  "chunked",
  "extensions",
  chunked('3;a=b;c="d"\r\nabc\r\n0;x\r\n\r\n'),
  `POST|/echo|${CHUNKED}||abc`,
);
echoed(
  "chunked",
  "trailers",
  chunked("3\r\nabc\r\n0\r\nX: y\r\nZ: 1\r\n\r\n"),
  `POST|/echo|${CHUNKED}||abc`,
);
echoed(
  "chunked",
  "name in upper case",
  chunked("1\r\na\r\n0\r\n\r\n").replace("chunked", "CHUNKED"),
  `POST|/echo|${CHUNKED}||a`,
);
echoed(
  "chunked",
  "large",
  chunked(`${`10000\r\n${"x".repeat(65536)}\r\n`.repeat(4)}0\r\n\r\n`),
  `POST|/echo|${CHUNKED}||262144 bytes`,
);
badContent("size that is not a number", "z\r\n");
badContent("empty size", "\r\nabc");
badContent("size with sign", "+3\r\nabc\r\n");
badContent("size with prefix", "0x3\r\nabc\r\n");
badContent("size with blank", "3 \r\nabc\r\n0\r\n\r\n");
badContent("huge size", "fffffffffffffffff\r\n");
badContent("line feed alone after size", "3\nabc\r\n0\r\n\r\n");
badContent("line feed alone after data", "3\r\nabc\n0\r\n\r\n");
badContent("data longer than its size", "3\r\nabcd\r\n0\r\n\r\n");
badContent("control character in an extension", "3;\x01\r\nabc\r\n");
badContent("long extension", `3;${"a".repeat(2000)}`);
badContent("invalid trailer", "0\r\n: x\r\n\r\n");
badContent("long trailers", `0\r\n${"X: y\r\n".repeat(2000)}\r\n`);

// Expect

const expecting = (value: string, rest = ""): string =>
  `POST /echo HTTP/1.1\r\n${HOST}Expect: ${value}\r\n${rest}`;
add("expect", "100-continue", {
  send: [expecting("100-Continue", "Content-Length: 3\r\n\r\n"), "abc"],
  waitsFor: "100 Continue",
  expect: [
    { status: 100, head: "HTTP/1.1 100 Continue\r\n" },
    { status: 200, body: "POST|/echo|json 0 0 -1 3||abc" },
  ],
  after: "open",
});
add("expect", "100-continue after a request in progress", {
  send: [get("/late") + expecting("100-continue", "Content-Length: 3\r\n\r\n"), "abc"],
  waitsFor: "100 Continue",
  expect: [
    { status: 200 },
    { status: 100 },
    { status: 200, body: "POST|/echo|json 0 0 -1 3||abc" },
  ],
  after: "open",
});
echoed(
  "expect",
  "100-continue with the body sent along",
  expecting("100-continue", "Content-Length: 3\r\n\r\nabc"),
  "POST|/echo|json 0 0 -1 3||abc",
);
echoed(
  "expect",
  "100-continue without body",
  expecting("100-continue", "\r\n"),
  "POST|/echo|json 0 0 -1 2||none",
);
refused(
  "expect",
  "100-continue for a body that is too large",
  expecting("100-continue", "Content-Length: 600000\r\n\r\n"),
  413,
  "Payload Too Large",
);
add("expect", "unknown expectation", {
  send: expecting("200-ok", "Content-Length: 3\r\n\r\nabc"),
  expect: [{ status: 417, body: "417 Expectation Failed" }],
  after: "open",
});

// Bodies beyond the limit; the suite runs with MAX_BODY_BYTES

add("too large", "the rest is discarded and the connection kept", {
  send: post("/echo", "x".repeat(600_000)),
  expect: [{ status: 413, body: "413 Payload Too Large" }],
  after: "open",
});
add("too large", "chunked", {
  send: chunked(`${`20000\r\n${"x".repeat(131072)}\r\n`.repeat(5)}0\r\n\r\n`),
  expect: [{ status: 413, body: "413 Payload Too Large" }],
  after: "open",
});
refused(
  "too large",
  "far beyond, known in advance",
  `POST / HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999\r\n\r\n`,
  413,
  "Payload Too Large",
);
refused(
  "too large",
  "far beyond, chunked",
  chunked(`20000\r\n${"x".repeat(131072)}\r\n`.repeat(14)),
  413,
  "Payload Too Large",
);

export const BODY_CASES = table.cases;
