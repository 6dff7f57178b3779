// Responses of back-ends, whole and in chunks, and all input that must be rejected.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_RESPONSE_BODY_BYTES, MAX_RESPONSE_HEAD_BYTES } from "../../../runtime/base/limits.js";
import {
  type BackEndResponse,
  MalformedResponse,
  ResponseParser,
} from "../../../runtime/dispatch/response-parser.js";
import { Random, SEED } from "../../property/support/random.js";

const test = suite("response parser");

const BODY = "body\r\n\r\nmore";
const RESPONSE = buildResponse(
  BODY,
  "Content-Type: application/X-svc-Partial; a=b",
  "X-SVC-Backlog: 1F",
);

function buildResponse(body: string, ...fields: readonly string[]): string {
  const lines = ["HTTP/1.1 200 OK", "Server: SVC/3", `Content-Length: ${body.length}`, ...fields];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function feed(parser: ResponseParser, text: string): BackEndResponse | null {
  return parser.feed(Buffer.from(text, "latin1"));
}

function parsed(text: string): BackEndResponse | null {
  return feed(new ResponseParser(), text);
}

function refusal(text: string): string {
  try {
    parsed(text);
  } catch (error) {
    assert.instance(error, MalformedResponse);
    return (error as Error).message;
  }
  return "taken";
}

function check(response: BackEndResponse | null): void {
  assert.ok(response !== null);
  assert.is(response.status, 200);
  assert.is(response.mediaType, "application/x-svc-partial");
  assert.is(response.backlog, 0x1f);
  assert.is(response.body.toString("latin1"), BODY);
}

test("parses one response in one chunk", () => {
  check(parsed(RESPONSE));
});

test("parses a response split at every byte", () => {
  for (let index = 1; index < RESPONSE.length; index++) {
    const parser = new ResponseParser();
    assert.is(parser.isStarted, false);
    assert.is(feed(parser, RESPONSE.slice(0, index)), null, `${index}`);
    assert.is(parser.isStarted, true);
    check(feed(parser, RESPONSE.slice(index)));
    assert.is(parser.isStarted, false);
  }
});

test("copies its bytes, so that the buffer can be overwritten", () => {
  const bytes = Buffer.from(RESPONSE, "latin1");
  const bodyStart = RESPONSE.length - BODY.length;
  for (const offset of [RESPONSE.length, 1, bodyStart - 1, bodyStart + 1]) {
    const parser = new ResponseParser();
    let response: BackEndResponse | null = null;
    for (const [start, end] of [
      [0, offset],
      [offset, RESPONSE.length],
    ] as const) {
      if (start === end) continue;
      const chunk = Buffer.from(bytes.subarray(start, end));
      response = parser.feed(chunk);
      chunk.fill(0);
    }
    check(response);
  }
});

test("parses more different heads than it caches", () => {
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 1500; number++) {
      const response = parsed(buildResponse("abc", `X-SVC-Backlog: ${number.toString(16)}`));
      assert.is(response?.backlog, number);
      assert.is(response?.body.toString(), "abc");
    }
  }
});

test("parses consecutive responses byte by byte", () => {
  const parser = new ResponseParser();
  for (let round = 0; round < 3; round++) {
    for (const byte of RESPONSE.slice(0, -1)) assert.is(feed(parser, byte), null);
    check(feed(parser, RESPONSE.slice(-1)));
  }
});

test("does not change a response when the next one arrives", () => {
  const parser = new ResponseParser();
  const half = RESPONSE.length - 5;
  feed(parser, RESPONSE.slice(0, half));
  const first = feed(parser, RESPONSE.slice(half));
  feed(parser, buildResponse("x".repeat(BODY.length)));
  check(first);
});

test("parses large bodies that arrive in chunks", () => {
  const body = Array.from({ length: 300_000 }, (_, index) => String(index)).join(",");
  const text = buildResponse(body);
  const parser = new ResponseParser();
  let response: BackEndResponse | null = null;
  for (let offset = 0; offset < text.length; offset += 65_536) {
    assert.is(response, null);
    response = feed(parser, text.slice(offset, offset + 65_536));
  }
  assert.ok(response!.body.toString("latin1") === body);
});

test("reads a response without a length as empty, and detects the last one of a connection", () => {
  const response = parsed("HTTP/1.1 503 Service Unavailable\r\n\r\n");
  assert.equal(response && { ...response, body: response.body.length }, {
    status: 503,
    mediaType: "",
    backlog: -1,
    isLast: true,
    isReadonly: false,
    slots: null,
    takesTrunk: false,
    leads: null,
    explain: null,
    fields: "",
    body: 0,
  });
  assert.is(parsed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")!.isLast, false);
  assert.is(parsed(buildResponse("x", "Connection: keep-Alive"))!.isLast, false);
  assert.is(parsed(buildResponse("x", "Connection: Close"))!.isLast, true);
});

test("collects the fields that a plugin chose, for relayed responses", () => {
  const cookies = "Set-Cookie: a=1\r\nSet-Cookie: b=2; HttpOnly";
  const headers = "Server: SVC/3\r\nX-SVC-Backlog: 1\r\nDate: now\r\nConnection: keep-Alive";
  const picture = "Content-Type: image/png";
  const { fields, mediaType } = parsed(
    buildResponse("x", `${cookies}\r\n${headers}\r\n${picture}`),
  )!;
  assert.is(fields, `${cookies}\r\n${picture}\r\n`);
  assert.is(mediaType, "image/png");
  const json = parsed(buildResponse("{}", "Content-Type: application/json; charset=UTF-8"))!;
  assert.equal([json.fields, json.mediaType], ["", "application/json"]);
});

test("ignores an invalid backlog", () => {
  for (const text of ["", "-1", "1G", "123456789", "0x10"]) {
    assert.is(parsed(buildResponse("", `X-SVC-Backlog: ${text}`))!.backlog, -1, text);
  }
});

test("validates status lines", () => {
  for (const line of ["HTTP/1.1 200", "HTTP/1.1 599 ", "HTTP/1.1 200 O\xe9 K\t"]) {
    assert.is(parsed(`${line}\r\n\r\n`)!.body.length, 0, line);
  }
  for (const line of [
    "HTTP/1.0 200 OK",
    "HTTP/2 200 OK",
    "http/1.1 200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK",
    "HTTP/1.1 099 OK",
    "HTTP/1.1 100 Continue",
    "HTTP/1.1 600 OK",
    "HTTP/1.1  200 OK",
    "HTTP/1.1 200 a\0b",
    "HTTP/1.1 200 a\nb",
    "SSH-2.0-x",
    " HTTP/1.1 200 OK",
    "",
  ]) {
    assert.is(refusal(`${line}\r\nA: b\r\n\r\n`), "invalid response line", JSON.stringify(line));
  }
  assert.is(refusal(`HTTP/1.1 200 ${"x".repeat(8191)}\r\n\r\n`), "response line too long");
});

test("parses long runs of blanks in linear time", () => {
  const blanks = " ".repeat(MAX_RESPONSE_HEAD_BYTES - 100);
  assert.is(parsed(buildResponse("x", `A:${blanks}b`))!.body.length, 1);
  // A quadratic scan of the blanks would exceed the time limit of a test.
  for (const [before, after] of [
    ["", "\x01"],
    ["b", "\x01"],
    ["", "b\x01"],
  ]) {
    assert.is(refusal(buildResponse("", `A:${before}${blanks}${after}`)), "invalid header");
  }
});

test("strips only blanks and tabs around a value", () => {
  assert.is(parsed("HTTP/1.1 200 X\r\nContent-Length:\t 1 \t\r\n\r\nx")!.body.length, 1);
  assert.is(refusal("HTTP/1.1 200 X\r\nContent-Length: 1\xa0\r\n\r\nx"), "invalid length");
});

test("rejects invalid header lines", () => {
  for (const field of [
    "no colon",
    ": x",
    "a b: c",
    "a : b",
    " folded: x",
    "a: b\0",
    "a: b\nc: d",
  ]) {
    assert.is(refusal(buildResponse("", field)), "invalid header", JSON.stringify(field));
  }
});

test("rejects ambiguous lengths", () => {
  for (const fields of [
    ["Content-Length: 5"],
    ["content-length: 0"],
    ["Transfer-Encoding: chunked"],
    ["transfer-encoding: identity"],
  ]) {
    assert.is(refusal(buildResponse("", ...fields)), "invalid length", fields[0]);
  }
  for (const length of ["", "-1", "+1", "1.0", "0x1", "1,1", "1 1", "12345678901"]) {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
    assert.is(refusal(text), "invalid length", JSON.stringify(length));
  }
  const large = `HTTP/1.1 200 OK\r\nContent-Length: ${MAX_RESPONSE_BODY_BYTES + 1}\r\n\r\n`;
  assert.is(refusal(large), "answer too large");
});

test("rejects bytes after a response", () => {
  assert.is(refusal(`${RESPONSE}H`), "response exceeds its Content-Length");
  assert.is(refusal(RESPONSE + RESPONSE), "response exceeds its Content-Length");
  const parser = new ResponseParser();
  feed(parser, RESPONSE.slice(0, -2));
  assert.throws(
    () => feed(parser, `${RESPONSE.slice(-2)}x`),
    /response exceeds its Content-Length/,
  );
});

test("rejects an endless head", () => {
  const parser = new ResponseParser();
  const line = `A: ${"x".repeat(1000)}\r\n`;
  feed(parser, "HTTP/1.1 200 OK\r\n");
  assert.throws(() => {
    for (let bytes = 0; bytes <= MAX_RESPONSE_HEAD_BYTES; bytes += line.length) feed(parser, line);
  }, /head too long/);
  assert.is(refusal("x".repeat(MAX_RESPONSE_HEAD_BYTES + 1)), "head too long");
});

test("rejects a long head that ends in the same chunk", () => {
  const line = `A: ${"x".repeat(1000)}\r\n`;
  const lines = line.repeat(Math.ceil(MAX_RESPONSE_HEAD_BYTES / 1000));
  assert.is(refusal(`HTTP/1.1 200 OK\r\n${lines}\r\n`), "head too long");
});

test(`rejects corrupt responses, or parses them alike in any chunks (SEED=${SEED})`, () => {
  const random = new Random();
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 10_000; round++) {
    const bytes = damaged(random);
    const whole = outcome([bytes]);
    const cuts = random.list(4, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
    const pieces = [...cuts, bytes.length].map((end, index) =>
      bytes.subarray(index === 0 ? 0 : cuts[index - 1], end),
    );
    const inPieces = outcome(pieces.filter((piece) => piece.length > 0));
    assert.is(inPieces, whole, JSON.stringify(bytes.toString("latin1")));
    const kind = whole.split(" ", 1)[0]!;
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
  }
  assert.equal([...outcomes.keys()].sort(), ["answer", "refused", "unfinished"]);
});

function damaged(random: Random): Buffer {
  const bytes = Buffer.from(RESPONSE, "latin1");
  const edits = 1 + random.below(3);
  let result = bytes;
  for (let edit = 0; edit < edits; edit++) {
    const offset = random.below(result.length);
    const byte = Buffer.from([random.of([0, 10, 13, 32, 48, 57, 58, 255, random.below(256)])]);
    const parts = [result.subarray(0, offset), byte, result.subarray(offset + random.below(3))];
    result = Buffer.concat(parts);
  }
  return result;
}

/** Result of these chunks as a string; which error it is may depend on the chunks. */
function outcome(pieces: readonly Buffer[]): string {
  const parser = new ResponseParser();
  let responses = "";
  try {
    for (const piece of pieces) {
      // Unexpected bytes after a response close the channel.
      if (responses !== "") return "refused";
      const response = parser.feed(piece);
      if (response !== null) responses = `answer ${JSON.stringify(response)}`;
    }
  } catch (error) {
    assert.instance(error, MalformedResponse);
    return "refused";
  }
  return responses === "" ? "unfinished" : responses;
}

test.run();
