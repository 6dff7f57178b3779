// Mutated requests, given to the `net` transport and to the parser inside Node's own HTTP server
// (llhttp): whatever the transport accepts the parser accepts too, with the same boundaries. Another
// opinion about where a request ends would let one request hide inside another.

import { once } from "node:events";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NetServer } from "../../runtime/http/net/transport.js";
import type { Exchange, ServerEvents } from "../../runtime/http/transport.js";

const SEED = Number(process.env.SEED ?? 20260707);
const ROUNDS = Number(process.env.ROUNDS ?? 1200);
const HOST = "Host: a\r\n";

const SEEDS: readonly string[] = [
  `GET /a?b=c HTTP/1.1\r\n${HOST}Accept: */*\r\n\r\n`,
  `POST /b HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
  `POST /c HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n`,
  `GET /d HTTP/1.1\r\n${HOST}X-Long: ${"y".repeat(60)}\r\n\r\n`,
  `PUT /e HTTP/1.1\r\n${HOST}Content-Length: 11\r\n\r\nGET / HTTP/`,
];
const TOKENS: readonly string[] = [
  "\r\n",
  "\n",
  "\r",
  " ",
  "\t",
  ":",
  "0",
  "5",
  ",",
  ";",
  "\0",
  "\x80",
  "\r\n\r\n",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip\r\n",
  "Content-Length : 3\r\n",
  "0\r\n\r\n",
  "HTTP/1.0",
  "chunked",
];

/** A small generator of numbers in [0, 1) (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

function mutated(random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!;
  let text = pick(SEEDS) + pick(SEEDS);
  for (let count = 1 + Math.floor(random() * 3); count > 0; count--) {
    const at = Math.floor(random() * text.length);
    const kind = random();
    if (kind < 0.4) text = text.slice(0, at) + pick(TOKENS) + text.slice(at);
    else if (kind < 0.6) text = text.slice(0, at) + text.slice(at + 1);
    else if (kind < 0.8) text = text.slice(0, at) + pick(TOKENS) + text.slice(at + 1);
    else {
      const length = Math.floor(random() * 20);
      text = text.slice(0, at + length) + text.slice(at);
    }
  }
  return text;
}

/** What a server took for a request. */
type Seen = string;

class Recorder implements ServerEvents {
  seen: Seen[] = [];
  open = 0;

  request(exchange: Exchange): void {
    this.seen.push(`${exchange.method} ${exchange.body ?? ""}`);
    exchange.answer(200, "text/plain", "ok");
  }

  errorBody(_status: number, message: string): { mediaType: string; body: string } {
    return { mediaType: "text/plain", body: message };
  }

  answered(): void {}

  connected(delta: 1 | -1): void {
    this.open += delta;
  }
}

/** The part of Node's internal parser that is used here. */
interface NodeParser {
  [callback: number]: (...values: never[]) => unknown;
  initialize(type: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
}

interface NodeParserClass {
  new (): NodeParser;
  readonly REQUEST: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

const { HTTPParser, methods } = createRequire(import.meta.url)("_http_common") as {
  HTTPParser: NodeParserClass;
  methods: readonly string[];
};

/** The requests that Node's parser finds, up to the first fault. */
function seenByNode(message: string): Seen[] {
  const seen: Seen[] = [];
  let method = "";
  let body = "";
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {});
  parser[HTTPParser.kOnHeadersComplete] = (_major, _minor, _headers, number: number) => {
    method = methods[number]!;
    body = "";
    return 0;
  };
  parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
    body += bytes.toString("latin1");
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    seen.push(`${method} ${body}`);
  };
  parser.execute(Buffer.from(message, "latin1"));
  return seen;
}

/**
 * Two things are fine by the rules of HTTP and refused by Node: bytes above ASCII in a target, and
 * tabs behind a length or coding. Node gets others of the same length instead.
 */
function palatable(message: string): string {
  const blank = (tabs: string): string => " ".repeat(tabs.length);
  return message.replaceAll("\x80", "z").replace(/\t+(?=\r\n)/g, blank);
}

/** A request without what `palatable` may have changed. */
function comparable(seen: Seen): Seen {
  return seen.replaceAll("\x80", "z").replaceAll("\t", " ");
}

/** Sends everything, ends, and waits until the server has ended too. */
async function converse(port: number, message: string): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  socket.resume();
  socket.end(message, "latin1");
  socket.on("end", () => socket.destroy());
  await once(socket, "close");
}

const test = suite("net fuzz");

test(`accepts what Node's parser accepts (seed ${SEED})`, async () => {
  const random = generator(SEED);
  const ours = new Recorder();
  const transport = new NetServer({ maxBodyBytes: 1e6, cors: null }, ours);
  await transport.listen(0, "127.0.0.1");
  let accepted = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const message = mutated(random);
    ours.seen = [];
    await converse(transport.port, message);
    const theirs = seenByNode(palatable(message));
    const where = `seed ${SEED} round ${round}: ${JSON.stringify(message)}`;
    const found = ours.seen.map(comparable);
    assert.equal(found, theirs.slice(0, found.length).map(comparable), where);
    accepted += found.length;
  }

  assert.ok(accepted > ROUNDS / 4, `only ${accepted} requests were accepted`);
  assert.is(transport.budget.used, 0);
  await transport.close();
  assert.is(ours.open, 0);
});

test.run();
