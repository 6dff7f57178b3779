// Pipelined valid requests with repeated and changed header sections, split into packets anywhere:
// the reader finds exactly the written requests. Its cache of parsed heads must never show. SEED
// and ROUNDS select other and longer runs.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_REQUEST_LINE_BYTES } from "../../runtime/base/limits.js";
import type { HeaderFields } from "../../runtime/http/header-fields.js";
import { BodyBudget } from "../../runtime/http/net/body-store.js";
import { RequestReader, type RequestSink } from "../../runtime/http/net/request-reader.js";
import { URI_TOO_LONG } from "../../runtime/http/rejections.js";
import { generator } from "../conformance/mutations.js";
import { rounds } from "../support/rounds.js";

const SEED = Number(process.env.SEED ?? 20260708);
const ROUNDS = rounds(1000);

type Random = () => number;

/** Sections with a common prefix, a one-byte difference, or a line end in another place. */
const SECTIONS: readonly string[] = [
  "Host: a\r\n",
  "Host: a\r\nAccept: */*\r\n",
  "Host: a\r\nAccept: */*\r\nUser-Agent: one\r\n",
  "Host: a\r\nAccept: */*\r\nUser-Agent: two\r\n",
  "User-Agent: three\r\nHost: a\r\nX-A: 1\r\nX-B: 2\r\n",
  `X-First: 1\r\nCookie: ${"session=0123456789; ".repeat(150)}\r\nHost: a\r\n`,
  `X: 1\r\nCookie: ${"session=0123456780; ".repeat(150)}\r\nHost: a\r\nX-Last: 1\r\n`,
];

/** Lines of one length, another form of one of them, and one that is refused. */
const TARGETS: readonly string[] = ["/tt", "/tu", "http://a/tt"];
const LONG = `/${"t".repeat(MAX_REQUEST_LINE_BYTES)}`;

interface Written {
  readonly bytes: string;
  /** As the sink receives it. */
  readonly received: string;
}

class Recorder implements RequestSink {
  readonly memory = new BodyBudget(1e6);
  readonly maxBodyBytes = 1e5;
  readonly isIdle = true;
  readonly received: string[] = [];

  memoryFor(): BodyBudget {
    return this.memory;
  }

  mayRead(): boolean {
    return true;
  }

  request(...[head, , body, , reserved]: Parameters<RequestSink["request"]>): void {
    const { method, target, fields } = head;
    this.memory.give(reserved);
    this.received.push([method, target, fields.block, body ?? ""].join("|"));
  }

  refuse(...[refusal]: Parameters<RequestSink["refuse"]>): void {
    this.received.push(`refused: ${refusal.message}`);
  }

  closeAfterResponses(): void {
    this.received.push("cut");
  }

  acceptDispatcher(): null {
    this.received.push("introduced");
    return null;
  }

  startTrunk(): null {
    this.received.push("carries");
    return null;
  }

  filterFields(fields: HeaderFields): HeaderFields {
    return fields;
  }

  sendContinue(): void {}

  diskFor(): null {
    return null;
  }

  scheduleTurn(): void {}
}

function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[below(random, list.length)]!;
}

function request(random: Random, sections: readonly string[]): Written {
  const section = pick(random, sections);
  const empty = "\r\n".repeat(Math.max(0, below(random, 8) - 5));
  const short = pick(random, [`/${"t".repeat(below(random, 12))}`, ...TARGETS]);
  const target = below(random, 50) === 0 ? LONG : short;
  const kind = below(random, 6);
  const method = pick(random, ["GET", "GET", "PUT"]);
  if (kind > 1) return written(`${empty}${method}`, target, section, "", "");
  const body = "GET / HTTP/1.1\r\n\r\n".slice(0, 1 + below(random, 18));
  if (kind === 0)
    return written("POST", target, `${section}Content-Length: ${body.length}\r\n`, body, body);
  const framed = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return written("POST", target, `${section}Transfer-Encoding: chunked\r\n`, framed, body);
}

function written(
  method: string,
  target: string,
  block: string,
  framed: string,
  body: string,
): Written {
  const isLong = target.length > MAX_REQUEST_LINE_BYTES - "GET  HTTP/1.1".length;
  const rejection = `refused: ${URI_TOO_LONG.message}`;
  return {
    bytes: `${method} ${target} HTTP/1.1\r\n${block}\r\n${framed}`,
    received: isLong
      ? rejection
      : [method.trim(), target.replace("http://a", ""), block, body].join("|"),
  };
}

/** Packets of one size, like a writing client sends, or of any sizes. */
function packets(random: Random, bytes: string): string[] {
  const size = pick(random, [0, 0, 1460, 700, 61, 7, 1]);
  const maxBytes = pick(random, [20, 200, 3000]);
  const parts: string[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const end = offset + (size > 0 ? size : 1 + below(random, maxBytes));
    parts.push(bytes.slice(offset, end));
    offset = end;
  }
  return parts;
}

/** Passes packets to a reader like a connection: the unread rest comes again before the next. */
function readAll(parts: readonly string[]): string[] {
  const sink = new Recorder();
  const reader = new RequestReader(sink);
  let rest = Buffer.alloc(0);
  for (const part of parts) {
    const chunk = Buffer.concat([rest, Buffer.from(part, "latin1")]);
    rest = chunk.subarray(reader.read(chunk, 1));
  }
  assert.is(rest.length, 0, "nothing is left over");
  assert.is(sink.memory.used, 0, "no memory is held");
  return sink.received;
}

const test = suite("request splits");

test("read a section whole, then in two packets, then another one in two", () => {
  const first = "GET /1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n";
  const thirdRequest = "GET /3 HTTP/1.1\r\nX: one two three\r\nHost: a\r\nAccept: */*\r\n\r\n";
  const half = first.length - 4;
  const parts = [
    first,
    first.slice(0, half),
    first.slice(half),
    thirdRequest.slice(0, 50),
    thirdRequest.slice(50),
  ];
  assert.equal(
    readAll(parts).map((request) => request.split("|")[1]),
    ["/1", "/1", "/3"],
  );
});

test(`read the written requests in any packets (seed ${SEED})`, () => {
  const random = generator(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const sections = [pick(random, SECTIONS), pick(random, SECTIONS), pick(random, SECTIONS)];
    const requests = Array.from({ length: 2 + below(random, 8) }, () => request(random, sections));
    const parts = packets(random, requests.map(({ bytes }) => bytes).join(""));
    const received = readAll(parts);
    const expected = requests.map((request) => request.received);
    if (received.join("\n") === expected.join("\n")) continue;
    assert.equal(received, expected, `seed ${SEED} round ${round}: ${JSON.stringify(parts)}`);
  }
});

test.run();
