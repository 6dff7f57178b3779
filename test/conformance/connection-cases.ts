// Connections: pipelining, half-closing, closing, and the identification line of dispatchers.

import { caseTable, get, HOST, PLAIN, post } from "./case.js";

const table = caseTable();
const { add, echoed, badLine } = table;

add("pipelining", "responses in order", {
  send: get("/late?1") + get("/echo?2") + post("/late?3", "abc") + get("/echo?4"),
  expect: ["GET|/late?1", "GET|/echo?2", "POST|/late?3", "GET|/echo?4"].map((start) => ({
    status: 200,
    body: start.startsWith("POST") ? `${start}|json 0 0 -1 2||abc` : `${start}|${PLAIN}||none`,
  })),
  after: "open",
});
add("pipelining", "a stream in its turn", {
  send: get("/stream") + get("/echo") + get("/bytes"),
  expect: [
    { status: 200, body: "1234567890" },
    { status: 200, body: `GET|/echo|${PLAIN}||none` },
    { status: 200, body: "bytes\xff" },
  ],
  after: "open",
});
add("pipelining", "a rejection in its turn", {
  send: `${get("/late")}junk\r\n${get("/echo")}`,
  expect: [{ status: 200 }, { status: 400, body: "400 Invalid HTTP request line" }],
  after: "closed",
});
add("pipelining", "no response after one without content", {
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
add("pipelining", "2000, half-closed by the client", {
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
add("connection", "closes at the client's request", {
  send: get("/late", CLOSE),
  expect: [{ status: 200, body: "GET|/late|json 0 0 -1 2||none" }],
  after: "closed",
});
add("connection", "no response after a request with Connection: close", {
  send: get("/late", CLOSE) + get("/echo"),
  expect: [{ status: 200, body: "GET|/late|json 0 0 -1 2||none" }],
  after: "closed",
});
add("connection", "a half-closed client gets its response", {
  send: get("/late"),
  ends: true,
  expect: [{ status: 200 }],
  after: "closed",
});
add("connection", "a client that half-closes within a head", {
  send: "GET / HTTP/1.1\r\nHos",
  ends: true,
  expect: [{ status: 400, body: "400 Invalid HTTP header" }],
  after: "closed",
});
add("connection", "a client that half-closes within a body", {
  send: post("/echo", "hello").slice(0, -1),
  ends: true,
  expect: [{ status: 400, body: "400 Invalid HTTP content" }],
  after: "closed",
});
add("connection", "a client that half-closes without a request", {
  send: "",
  ends: true,
  expect: [],
  after: "closed",
});
add("connection", "a failing stream closes the connection", {
  send: get("/short"),
  expect: [],
  after: "closed",
});
echoed(
  "ident",
  "identifies the connection",
  `XSVCIDENT 3 2 1 0 1 5 1\r\n${get("/echo")}`,
  `GET|/echo|${PLAIN}|3.2.1.0.1.5.1|none`,
);
badLine("ident", "ident with six numbers", "XSVCIDENT 3 2 1 0 1 5\r\n");
badLine("ident", "ident with other characters", "XSVCIDENT 3 2 1 0 1 5 x\r\n");

export const CONNECTION_CASES = table.cases;
