// Mutated requests for the `net` transport and for the parser of Node's own HTTP server (llhttp):
// every request that the transport accepts has the same boundaries in the parser. A difference
// would allow request smuggling.

import { once } from "node:events";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NetServer } from "../../runtime/http/net/transport.js";
import type { HttpRejection } from "../../runtime/http/rejections.js";
import type { Exchange, ServerEvents } from "../../runtime/http/transport.js";
import { rounds } from "../support/rounds.js";
import { serverOptions } from "./engine.js";
import { generator, mutated } from "./mutations.js";

const SEED = Number(process.env.SEED ?? 20260707);
const ROUNDS = rounds(1200);
/** A request as a server parsed it. */
type Seen = string;

class Recorder implements ServerEvents {
  responses: Seen[] = [];
  open = 0;

  request(exchange: Exchange): void {
    this.responses.push(`${exchange.method} ${exchange.body ?? ""}`);
    exchange.respond(200, "text/plain", "ok");
  }

  errorBody({ message }: HttpRejection): { mediaType: string; body: string } {
    return { mediaType: "text/plain", body: message };
  }

  onRejection(): void {}

  onShedConnection(): void {}

  onResponse(): void {}

  onConnection(delta: 1 | -1): void {
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

/** Requests found by Node's parser, up to the first fault. */
function seenByNode(message: string): Seen[] {
  const responses: Seen[] = [];
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
    responses.push(`${method} ${body}`);
  };
  parser.execute(Buffer.from(message, "latin1"));
  return responses;
}

/**
 * Node rejects two things that HTTP allows: bytes above ASCII in a target, and tabs after a length
 * or coding. Node gets replacements of the same length.
 */
function palatable(message: string): string {
  const blank = (tabs: string): string => " ".repeat(tabs.length);
  return message.replaceAll("\x80", "z").replace(/\t+(?=\r\n)/g, blank);
}

/** A request without the parts that `palatable` may have changed. */
function comparable(response: Seen): Seen {
  return response.replaceAll("\x80", "z").replaceAll("\t", " ");
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

test(`accepts only what Node's parser accepts (seed ${SEED})`, async () => {
  const random = generator(SEED);
  const ours = new Recorder();
  const transport = new NetServer(serverOptions({ maxBodyBytes: 1e6 }), ours);
  await transport.listen(0, "127.0.0.1");
  let accepted = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const message = mutated(random);
    ours.responses = [];
    await converse(transport.port, message);
    const theirs = seenByNode(palatable(message));
    const where = `seed ${SEED} round ${round}: ${JSON.stringify(message)}`;
    const events = ours.responses.map(comparable);
    assert.equal(events, theirs.slice(0, events.length).map(comparable), where);
    accepted += events.length;
  }

  assert.ok(accepted > ROUNDS / 4, `only ${accepted} requests were accepted`);
  assert.is(transport.budget.used, 0);
  await transport.close();
  assert.is(ours.open, 0);
});

test.run();
