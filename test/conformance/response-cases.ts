// Bytes of responses: fields and their order, content, and the state of the connection.

import { caseTable, get, HOST, SERVER } from "./case.js";
import { LARGE_BYTES } from "./engine.js";

const table = caseTable();
const { add } = table;

/** The content fields of a text response. */
const contentFields = (length: number): string =>
  `Content-Type: text/plain; charset=UTF-8\r\nContent-Length: ${length}\r\n`;

add("response", "header set and order with content", {
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
add("response", "no content fields without content; the connection closes", {
  send: get("/empty"),
  expect: [{ status: 200, head: `HTTP/1.1 200 OK\r\n${SERVER}`, body: "" }],
  after: "closed",
});
add("response", "304 never has content; the connection stays open", {
  send: get("/unmodified"),
  expect: [{ status: 304, isHead: true, head: `HTTP/1.1 304 Not Modified\r\n${SERVER}` }],
  after: "open",
});
add("response", "OPTIONS lists the methods before Server", {
  send: `OPTIONS /svc/plugin/x HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, head: `HTTP/1.1 200 OK\r\nAllowed: OPTIONS, GET, POST\r\n${SERVER}` }],
  after: "closed",
});
add("response", "OPTIONS * is for the whole server", {
  send: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  expect: [
    { status: 200, head: `HTTP/1.1 200 OK\r\nAllowed: OPTIONS, GET, HEAD, POST\r\n${SERVER}` },
  ],
  after: "closed",
});
add("response", "HEAD has the length and no content", {
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
add("response", "HEAD without content stays open", {
  send: `HEAD /empty HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, isHead: true, head: `HTTP/1.1 200 OK\r\n${SERVER}` }],
  after: "open",
});
add("response", "HEAD of a stream", {
  send: `HEAD /stream HTTP/1.1\r\n${HOST}\r\n`,
  expect: [{ status: 200, isHead: true }],
  after: "open",
});
add("response", "an error of the engine keeps the connection", {
  send: get("/gone"),
  expect: [{ status: 503, body: "gone" }],
  after: "open",
});
add("response", "bytes", {
  send: get("/bytes"),
  expect: [{ status: 200, body: "bytes\xff" }],
  after: "open",
});
add("response", "stream", {
  send: get("/stream"),
  expect: [{ status: 200, body: "1234567890" }],
  after: "open",
});
add("response", "stream with empty pieces", {
  send: get("/gaps"),
  expect: [{ status: 200, body: "1234567890" }],
  after: "open",
});
add("response", "large", {
  send: get("/large"),
  expect: [{ status: 200, body: "x".repeat(LARGE_BYTES) }],
  after: "open",
});
add("response", "rejection has all header fields", {
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

export const RESPONSE_CASES = table.cases;
