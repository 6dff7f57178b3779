// Request lines and header fields: accepted ones, and rejected ones with the rejecting byte.

import { caseTable, get, HOST, PLAIN } from "./case.js";

const table = caseTable();
const { add, refused, echoed, badLine, badHeader } = table;

const LINE_MAX = 8191;

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
badLine("request line", "unknown method", `BREW / HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "method in lower case", `get / HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "unknown method, line unfinished", "BREW /");
badLine("request line", "binary junk, line unfinished", "\x16\x03\x01\x02\x00\x01");
badLine("request line", "no version", "GET /\r\n");
badLine("request line", "no target", "GET HTTP/1.1\r\n");
badLine("request line", "two blanks", `GET  / HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "blank at the end", `GET / HTTP/1.1 \r\n${HOST}\r\n`);
badLine("request line", "blank at the start", ` GET / HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "tab", `GET\t/ HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "control character", `GET /\x01 HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "NUL", `GET /\0 HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "DEL", `GET /\x7f HTTP/1.1\r\n${HOST}\r\n`);
badLine("request line", "line feed alone", "GET / HTTP/1.1\nHost: a\n\n");
badLine("request line", "carriage return alone", "GET / HTTP/1.1\rHost: a\r\r");
badLine("request line", "relative target", get("echo"));
badLine("request line", "* with GET", get("*"));
badLine("request line", "other scheme", get("ftp://a/"));
badLine("request line", "URL with user", get("http://u@a/"));
badLine("request line", "version without number", `GET / HTTP/\r\n${HOST}\r\n`);
badLine("request line", "version in lower case", `GET / http/1.1\r\n${HOST}\r\n`);
badLine("request line", "version with three digits", `GET / HTTP/1.10\r\n${HOST}\r\n`);
badLine("request line", "preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
for (const version of ["1.0", "0.9", "2.0", "1.2"]) {
  const send = `GET / HTTP/${version}\r\n${HOST}\r\n`;
  refused("request line", `version ${version}`, send, 505, "HTTP Version Not Supported");
}
const longest = "a".repeat(LINE_MAX - "GET / HTTP/1.1".length);
echoed("request line", "8191 bytes", get(`/${longest}`), `GET|/${longest}|${PLAIN}||none`);
const tooLong = (name: string, send: string, after: "open" | "closed") =>
  add("request line", name, { send, expect: [{ status: 414, body: "414 URI Too Long" }], after });
const POST_8192 = `POST /${longest} HTTP/1.1\r\n${HOST}`;
// The end of such a request is known, so that the connection continues after it.
tooLong("8192 bytes", get(`/${longest}a`), "open");
tooLong("8192 bytes and a body", `${POST_8192}Content-Length: 3\r\n\r\nabc`, "open");
tooLong(
  "8192 bytes and chunks",
  `${POST_8192}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  "open",
);
tooLong(
  "8192 bytes and Expect: 100-continue",
  `${POST_8192}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
  "closed",
);
tooLong(
  "8192 bytes, the last request",
  get(`/${longest}a`, `${HOST}Connection: close\r\n`),
  "closed",
);
tooLong("60000 bytes", get(`/${"a".repeat(60_000)}`), "open");
tooLong("more than 64 KiB", get(`/${"a".repeat(65_536)}`), "closed");
tooLong("more than 64 KiB, unfinished", `GET /${"a".repeat(65_536)}`, "closed");
badLine("request line", "8192 bytes, invalid version", `GET /${longest}a HTTP/1\r\n${HOST}\r\n`);

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
for (const [name, fields, isAllowed] of [
  ["an argspec", "X-SVC-Argspec: 0123\r\n", true],
  ["an argspec in mixed case", "x-svc-ARGSPEC: a\r\n", true],
  ["an argspec without a value", "X-SVC-Argspec:\r\n", true],
  ["an argspec of 8000 bytes", `X-SVC-Argspec: ${"a".repeat(8000)}\r\n`, true],
  ["similar names to an argspec", "X-SVC-Argspex: 1\r\nX-SVC-Argspecs: 1\r\n", false],
] as const) {
  add("header", name, {
    send: get("/argspec", HOST + fields),
    expect: [{ status: 200, body: String(isAllowed) }],
    after: "open",
  });
}
badHeader("header", "bypass not numeric", `${HOST}X-SVC-Bypass-SOUT: yes\r\n`);
badHeader("header", "bypass negative", `${HOST}X-SVC-Bypass-SOUT: -1\r\n`);
badHeader("header", "no Host", "X: a\r\n");
badHeader("header", "no fields", "");
badHeader("header", "two Hosts", `${HOST}${HOST}`);
badHeader("header", "invalid Host", "Host: a b\r\n");
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
  "invalid line, head unfinished",
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
echoed(
  "header",
  "credential of 20,000 bytes",
  get("/echo", `${HOST}authorization: ${"v".repeat(20_000)}\r\n`),
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

export const HEAD_CASES = table.cases;
