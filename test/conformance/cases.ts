// The rules of HTTP that every transport keeps, one raw conversation a case. Paths are those of the
// test engine; an answer is given by its status and, where it matters, by its body or whole bytes.

import { LARGE_BYTES } from "./engine.js";

export interface ExpectedAnswer {
  readonly status: number;
  readonly body?: string;
  /** Status line and header lines exactly, without the empty line. */
  readonly head?: string;
  /** Answer to a HEAD request: no content follows. */
  readonly isHead?: boolean;
}

export interface Case {
  readonly rule: string;
  readonly name: string;
  /** Latin1 text, or pieces that are sent in packets of their own. */
  readonly send: string | readonly string[];
  readonly expect: readonly ExpectedAnswer[];
  /** What has to arrive before the next piece is sent. */
  readonly waitsFor?: string | undefined;
  /**
   * What the server does with the connection afterwards: an open one answers another request, on a
   * waiting one the server takes the request for unfinished.
   */
  readonly after: "open" | "closed" | "waiting";
  /** The client ends its half of the connection after sending. */
  readonly ends?: boolean;
}

const HOST = "Host: a\r\n";
const SERVER = "Server: SVC/3\r\nConnection: keep-Alive\r\n";
const LINE_MAX = 8191;
/** The content fields of an answer with text. */
const contentFields = (length: number): string =>
  `Content-Type: text/plain; charset=UTF-8\r\nContent-Length: ${length}\r\n`;
/** Flags of a request with only a Host field. */
const PLAIN = "json 0 0 -1 1";

const cases: Case[] = [];

function add(rule: string, name: string, rest: Omit<Case, "rule" | "name">): void {
  cases.push({ rule, name, ...rest });
}

/** A request that is refused, after which the connection ends. */
function refused(
  rule: string,
  name: string,
  send: string | readonly string[],
  status: number,
  message: string,
): void {
  const body = `${status} ${message}`;
  add(rule, name, { send, expect: [{ status, body }], after: "closed" });
}

/** A request that is answered by the echo path. */
function echoed(rule: string, name: string, send: string | readonly string[], body: string): void {
  add(rule, name, { send, expect: [{ status: 200, body }], after: "open" });
}

function get(target: string, fields = HOST): string {
  return `GET ${target} HTTP/1.1\r\n${fields}\r\n`;
}

function post(target: string, body: string, fields = ""): string {
  return `POST ${target} HTTP/1.1\r\n${HOST}${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function chunked(body: string, fields = ""): string {
  return `POST /echo HTTP/1.1\r\n${HOST}${fields}Transfer-Encoding: chunked\r\n\r\n${body}`;
}

const badLine = (name: string, line: string | readonly string[]): void =>
  refused("request line", name, line, 400, "Invalid HTTP request line");
const badHeader = (rule: string, name: string, fields: string): void =>
  refused(rule, name, get("/echo", fields), 400, "Invalid HTTP header");
const badContent = (name: string, body: string): void =>
  refused("chunked", name, chunked(body), 400, "Invalid HTTP content");

// Bytes of the answer

add("answer", "header set and order with content", {
  send: get("/fields"),
  expect: [
    {
      status: 200,
      head: `HTTP/1.1 200 OK\r\nX-SVC-Backlog: 0001\r\n${SERVER}${contentFields(1)}`,
      body: "f",
    },
  ],
  after: "open",
});
add("answer", "no content fields without content; the connection ends", {
  send: get("/empty"),
  expect: [{ status: 200, head: `HTTP/1.1 200 OK\r\n${SERVER}`, body: "" }],
  after: "closed",
});
add("answer", "OPTIONS lists the methods before Server", {
  send: `OPTIONS /svc/plugin/x HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, head: `HTTP/1.1 200 OK\r\nAllowed: OPTIONS, GET, POST\r\n${SERVER}` }],
  after: "closed",
});
add("answer", "OPTIONS * asks for the server", {
  send: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  expect: [
    { status: 200, head: `HTTP/1.1 200 OK\r\nAllowed: OPTIONS, GET, HEAD, POST\r\n${SERVER}` },
  ],
  after: "closed",
});
add("answer", "HEAD has the length and no content", {
  send: `HEAD /large HTTP/1.1\r\n${HOST}\r\n`,
  expect: [
    {
      status: 200,
      isHead: true,
      head: `HTTP/1.1 200 OK\r\n${SERVER}${contentFields(LARGE_BYTES)}`,
    },
  ],
  after: "open",
});
add("answer", "HEAD without content stays open", {
  send: `HEAD /empty HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, isHead: true, head: `HTTP/1.1 200 OK\r\n${SERVER}` }],
  after: "open",
});
add("answer", "HEAD of a stream", {
  send: `HEAD /stream HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, isHead: true }],
  after: "open",
});
add("answer", "an error of the engine keeps the connection", {
  send: get("/gone"),
  expect: [{ status: 503, body: "gone" }],
  after: "open",
});
add("answer", "bytes", {
  send: get("/bytes"),
  expect: [{ status: 200, body: "bytes\xff" }],
  after: "open",
});
add("answer", "stream", {
  send: get("/stream"),
  expect: [{ status: 200, body: "1234567890" }],
  after: "open",
});
add("answer", "large", {
  send: get("/large"),
  expect: [{ status: 200, body: "x".repeat(LARGE_BYTES) }],
  after: "open",
});
add("answer", "refusal has the whole header set", {
  send: "junk\r\n",
  expect: [
    {
      status: 400,
      head: `HTTP/1.1 400 Bad Request\r\n${SERVER}${contentFields(29)}`,
      body: "400 Invalid HTTP request line",
    },
  ],
  after: "closed",
});

// Request line

echoed("request line", "plain", get("/echo?a=b"), `GET|/echo?a=b|${PLAIN}||none`);
echoed(
  "request line",
  "empty lines before it",
  `\r\n\r\n${get("/echo")}`,
  `GET|/echo|${PLAIN}||none`,
);
echoed("request line", "bytes above ASCII", get("/\xc3\xa9"), `GET|/\xc3\xa9|${PLAIN}||none`);
echoed("request line", "whole URL", get("http://h:1/echo?x"), `GET|/echo?x|${PLAIN}||none`);
echoed("request line", "whole URL without path", get("http://h?x"), `GET|/?x|${PLAIN}||none`);
for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT"]) {
  const send = `${method} /echo HTTP/1.1\r\n${HOST}\r\n`;
  echoed("request line", `method ${method}`, send, `${method}|/echo|${PLAIN}||none`);
}
echoed(
  "request line",
  "tunnel",
  `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`,
  `CONNECT|a:1|${PLAIN}||none`,
);
badLine("unknown method", `BREW / HTTP/1.1\r\n${HOST}\r\n`);
badLine("method in lower case", `get / HTTP/1.1\r\n${HOST}\r\n`);
badLine("unknown method, line unfinished", "BREW /");
badLine("binary junk, line unfinished", "\x16\x03\x01\x02\x00\x01");
badLine("no version", "GET /\r\n");
badLine("no target", "GET HTTP/1.1\r\n");
badLine("two blanks", `GET  / HTTP/1.1\r\n${HOST}\r\n`);
badLine("blank at the end", `GET / HTTP/1.1 \r\n${HOST}\r\n`);
badLine("blank at the start", ` GET / HTTP/1.1\r\n${HOST}\r\n`);
badLine("tab", `GET\t/ HTTP/1.1\r\n${HOST}\r\n`);
badLine("control character", `GET /\x01 HTTP/1.1\r\n${HOST}\r\n`);
badLine("NUL", `GET /\0 HTTP/1.1\r\n${HOST}\r\n`);
badLine("DEL", `GET /\x7f HTTP/1.1\r\n${HOST}\r\n`);
badLine("line feed alone", "GET / HTTP/1.1\nHost: a\n\n");
badLine("carriage return alone", "GET / HTTP/1.1\rHost: a\r\r");
badLine("relative target", get("echo"));
badLine("* with GET", get("*"));
badLine("other scheme", get("ftp://a/"));
badLine("URL with user", get("http://u@a/"));
badLine("version without number", `GET / HTTP/\r\n${HOST}\r\n`);
badLine("version in lower case", `GET / http/1.1\r\n${HOST}\r\n`);
badLine("version with three digits", `GET / HTTP/1.10\r\n${HOST}\r\n`);
badLine("preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
for (const version of ["1.0", "0.9", "2.0", "1.2"]) {
  const send = `GET / HTTP/${version}\r\n${HOST}\r\n`;
  refused("request line", `version ${version}`, send, 505, "HTTP Version Not Supported");
}
const longest = "a".repeat(LINE_MAX - "GET / HTTP/1.1".length);
echoed("request line", "8191 bytes", get(`/${longest}`), `GET|/${longest}|${PLAIN}||none`);
refused("request line", "8192 bytes", get(`/${longest}a`), 414, "URI Too Long");
refused("request line", "8192 bytes, unfinished", `GET /${"a".repeat(8192)}`, 414, "URI Too Long");

// Header fields

echoed(
  "header",
  "blanks around a value",
  get("/echo", "Host: \t a\t \r\n"),
  `GET|/echo|${PLAIN}||none`,
);
echoed("header", "no blank before a value", get("/echo", "Host:a\r\n"), `GET|/echo|${PLAIN}||none`);
echoed(
  "header",
  "bytes above ASCII",
  get("/echo", `${HOST}X: \xc3\xa9\r\n`),
  "GET|/echo|json 0 0 -1 2||none",
);
echoed("header", "empty Host", get("/echo", "Host:\r\n"), `GET|/echo|${PLAIN}||none`);
echoed(
  "header",
  "fields of the service",
  get(
    "/echo",
    `${HOST}ACCEPT: text/plain\r\nX-SVC-Bypass-SOUT: 1\r\n` +
      "X-SVC-Builtin-Min-Executor: queue9\r\nX-SVC-Partial-Target: 7\r\n",
  ),
  "GET|/echo|text 1 3 7 5||none",
);
echoed(
  "header",
  "Accept of dispatchers",
  get("/echo", `${HOST}Accept: application/x-svc-partial\r\n`),
  "GET|/echo|partial 0 0 -1 2||none",
);
echoed(
  "header",
  "unknown Accept",
  get("/echo", `${HOST}Accept: */*\r\n`),
  "GET|/echo|json 0 0 -1 2||none",
);
echoed(
  "header",
  "bypass of 0",
  get("/echo", `${HOST}X-SVC-Bypass-SOUT: 0\r\n`),
  "GET|/echo|json 0 0 -1 2||none",
);
badHeader("header", "bypass not numeric", `${HOST}X-SVC-Bypass-SOUT: yes\r\n`);
badHeader("header", "bypass negative", `${HOST}X-SVC-Bypass-SOUT: -1\r\n`);
badHeader("header", "no Host", "X: a\r\n");
badHeader("header", "no fields", "");
badHeader("header", "two Hosts", `${HOST}${HOST}`);
badHeader("header", "Host that is none", "Host: a b\r\n");
badHeader("header", "Host with path", "Host: a/b\r\n");
badHeader("header", "no colon", `${HOST}abc\r\n`);
badHeader("header", "empty name", `${HOST}: b\r\n`);
badHeader("header", "blank before colon", `${HOST}X : b\r\n`);
badHeader("header", "blank before name", ` X: b\r\n${HOST}`);
badHeader("header", "folded line", `${HOST}X: b\r\n c\r\n`);
badHeader("header", "control character in a value", `${HOST}X: \x01\r\n`);
badHeader("header", "NUL in a value", `${HOST}X: a\0b\r\n`);
badHeader("header", "carriage return in a value", `${HOST}X: a\rb\r\n`);
badHeader("header", "line feed alone", `${HOST}X: a\nY: b\r\n`);
badHeader("header", "brackets in a name", `${HOST}X[]: a\r\n`);
badHeader("header", "byte above ASCII in a name", `${HOST}\xe9: a\r\n`);
refused(
  "header",
  "line feeds only, unfinished",
  "GET / HTTP/1.1\r\nHost: a\n\n",
  400,
  "Invalid HTTP header",
);
refused(
  "header",
  "broken line, head unfinished",
  "GET / HTTP/1.1\r\n: b\r\n",
  400,
  "Invalid HTTP header",
);
const value = "v".repeat(LINE_MAX - "X: ".length);
echoed(
  "header",
  "line of 8191 bytes",
  get("/echo", `${HOST}X: ${value}\r\n`),
  "GET|/echo|json 0 0 -1 2||none",
);
badHeader("header", "line of 8192 bytes", `${HOST}X: ${value}v\r\n`);
refused(
  "header",
  "line of 8193 bytes, unfinished",
  `GET / HTTP/1.1\r\n${HOST}X: ${value}vv`,
  400,
  "Invalid HTTP header",
);
const many = (count: number): string => HOST + "X: a\r\n".repeat(count - 1);
echoed("header", "100 fields", get("/echo", many(100)), "GET|/echo|json 0 0 -1 100||none");
badHeader("header", "101 fields", many(101));
badHeader("header", "more than 64 KiB", HOST + `X: ${"v".repeat(8000)}\r\n`.repeat(9));
refused(
  "header",
  "more than 64 KiB, unfinished",
  `GET / HTTP/1.1\r\n${`X: ${"v".repeat(8000)}\r\n`.repeat(9)}`,
  400,
  "Invalid HTTP header",
);

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
badHeader("smuggling", "length hidden behind a blank", `${HOST}Content-Length : 3\r\n`);
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
  "name in capitals",
  chunked("1\r\na\r\n0\r\n\r\n").replace("chunked", "CHUNKED"),
  `POST|/echo|${CHUNKED}||a`,
);
echoed(
  "chunked",
  "large",
  chunked(`${`10000\r\n${"x".repeat(65536)}\r\n`.repeat(4)}0\r\n\r\n`),
  `POST|/echo|${CHUNKED}||262144 bytes`,
);
badContent("size that is no number", "z\r\n");
badContent("empty size", "\r\nabc");
badContent("size with sign", "+3\r\nabc\r\n");
badContent("size with prefix", "0x3\r\nabc\r\n");
badContent("size with blank", "3 \r\nabc\r\n0\r\n\r\n");
badContent("size beyond all", "fffffffffffffffff\r\n");
badContent("line feed alone after size", "3\nabc\r\n0\r\n\r\n");
badContent("line feed alone after data", "3\r\nabc\n0\r\n\r\n");
badContent("data longer than its size", "3\r\nabcd\r\n0\r\n\r\n");
badContent("control character in an extension", "3;\x01\r\nabc\r\n");
badContent("long extension", `3;${"a".repeat(2000)}`);
badContent("broken trailer", "0\r\n: x\r\n\r\n");
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
add("expect", "100-continue behind a request in progress", {
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
add("expect", "something else", {
  send: expecting("200-ok", "Content-Length: 3\r\n\r\nabc"),
  expect: [{ status: 417, body: "417 Expectation Failed" }],
  after: "open",
});

// Bodies beyond the limit; the suite runs with 512 KiB

add("too large", "the rest is dropped and the connection stays", {
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

// Connections

add("pipelining", "answers in order", {
  send: get("/late?1") + get("/echo?2") + post("/late?3", "abc") + get("/echo?4"),
  expect: ["GET|/late?1", "GET|/echo?2", "POST|/late?3", "GET|/echo?4"].map((start) => ({
    status: 200,
    body: start.startsWith("POST") ? `${start}|json 0 0 -1 2||abc` : `${start}|${PLAIN}||none`,
  })),
  after: "open",
});
add("pipelining", "a stream in its place", {
  send: get("/stream") + get("/echo") + get("/bytes"),
  expect: [
    { status: 200, body: "1234567890" },
    { status: 200, body: `GET|/echo|${PLAIN}||none` },
    { status: 200, body: "bytes\xff" },
  ],
  after: "open",
});
add("pipelining", "a refusal waits for its turn", {
  send: `${get("/late")}junk\r\n${get("/echo")}`,
  expect: [{ status: 200 }, { status: 400, body: "400 Invalid HTTP request line" }],
  after: "closed",
});
add("pipelining", "nothing is answered behind an answer without content", {
  send: get("/late") + get("/empty") + get("/echo"),
  expect: [{ status: 200 }, { status: 200, body: "" }],
  after: "closed",
});
add("pipelining", "64 at once", {
  send: get("/late").repeat(64),
  expect: Array.from({ length: 64 }, () => ({ status: 200 })),
  after: "open",
});
add("pipelining", "2000", {
  send: get("/late").repeat(2000),
  expect: Array.from({ length: 2000 }, () => ({ status: 200 })),
  after: "open",
});
add("pipelining", "2000, the client ends its half", {
  send: get("/late").repeat(2000),
  ends: true,
  expect: Array.from({ length: 2000 }, () => ({ status: 200 })),
  after: "closed",
});
add("connection", "request in two halves", {
  send: ["GET /echo HT", "TP/1.1\r\nHost: a\r", "\n\r", "\n"],
  expect: [{ status: 200, body: `GET|/echo|${PLAIN}||none` }],
  after: "open",
});
const CLOSE = `${HOST}Connection: keep-alive, Close\r\n`;
add("connection", "ends when the client asks for it", {
  send: get("/late", CLOSE),
  expect: [{ status: 200, body: "GET|/late|json 0 0 -1 2||none" }],
  after: "closed",
});
add("connection", "nothing is answered after the request that asked for the end", {
  send: get("/late", CLOSE) + get("/echo"),
  expect: [{ status: 200, body: "GET|/late|json 0 0 -1 2||none" }],
  after: "closed",
});
add("connection", "a half-closed client gets its answer", {
  send: get("/late"),
  ends: true,
  expect: [{ status: 200 }],
  after: "closed",
});
add("connection", "a client that ends within a head", {
  send: "GET / HTTP/1.1\r\nHos",
  ends: true,
  expect: [{ status: 400, body: "400 Invalid HTTP header" }],
  after: "closed",
});
add("connection", "a client that ends within a body", {
  send: post("/echo", "hello").slice(0, -1),
  ends: true,
  expect: [{ status: 400, body: "400 Invalid HTTP content" }],
  after: "closed",
});
add("connection", "a client that ends without a word", {
  send: "",
  ends: true,
  expect: [],
  after: "closed",
});
add("connection", "a stream that breaks ends the connection", {
  send: get("/short"),
  expect: [],
  after: "closed",
});
echoed(
  "ident",
  "introduces the connection",
  `XSVCIDENT 3 2 1 0 1 5 1\r\n${get("/echo")}`,
  `GET|/echo|${PLAIN}|3.2.1.0.1.5.1|none`,
);
badLine("ident with six numbers", "XSVCIDENT 3 2 1 0 1 5\r\n");
badLine("ident with something else", "XSVCIDENT 3 2 1 0 1 5 x\r\n");

export const CASES: readonly Case[] = cases;
/** The body limit that the cases are written for. */
export const MAX_BODY_BYTES = 512 * 1024;
