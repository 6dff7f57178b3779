// Change feeds merged over partitions, against back-ends that send, lie, hang and die.

import { createServer, type Server, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PullIterator } from "../../../../runtime/base/pull-iterator.js";
import { MergedFeed } from "../../../../runtime/dispatch/feed/merged-feed.js";
import { Matrix } from "../../../../runtime/dispatch/matrix.js";
import type { StreamItems } from "../../../../runtime/plugin/response/stream-items.js";
import { readMatrixConfig } from "../../../../runtime/settings/matrix-config.js";

const ANY = { isPrimary: false, affinity: -1 };
const STREAM = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** A back-end with a list of changes, `<name>1` and so on; a position is the last of them. */
class Feeding {
  readonly requests: string[] = [];
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  port = 0;
  /** Sent in place of the feed. */
  response = "";
  /** Sent once after that many changes. */
  breaks: { readonly after: number; readonly text: string } | null = null;
  /** Text of each change. */
  more = "";
  count: number;
  readonly name: string;

  constructor(name: string, count: number) {
    this.name = name;
    this.count = count;
    this.#server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.sockets.delete(socket));
      let text = "";
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1");
        if (text.endsWith("\r\n\r\n")) this.#respond(socket, text);
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.port = (this.#server.address() as { port: number }).port;
    return this;
  }

  #respond(socket: Socket, request: string): void {
    this.requests.push(request);
    if (this.response !== "") return void socket.end(this.response);
    const since = /since=([^ &]*)/.exec(request)?.[1];
    const first = since === undefined ? 0 : Number(since.slice(this.name.length));
    socket.write(STREAM);
    let text = `id: ${this.name}${first}\n\n:\n\n`;
    const { breaks } = this;
    const end = breaks === null ? this.count : Math.max(first, breaks.after);
    for (let n = first + 1; n <= end; n++) {
      const id = `${this.name}${n}`;
      const change = { kind: "typeSet", position: id, id: `ä${n}${this.more}` };
      text += `id: ${id}\ndata: ${JSON.stringify(change)}\n\n`;
    }
    send(socket, text + (breaks?.text ?? ""));
    this.breaks = null;
    if (breaks !== null) socket.end();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function send(socket: Socket, text: string): void {
  const bytes = Buffer.from(text);
  // In the middle of a character, as a network may.
  const half = bytes.length >> 1;
  for (const part of [bytes.subarray(0, half), bytes.subarray(half)]) {
    if (part.length === 0) continue;
    socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    socket.write("\r\n");
  }
}

const test = suite<{ started: Feeding[]; feeds: MergedFeed[] }>("merged feed");

test.before.each((context) => {
  context.started = [];
  context.feeds = [];
});

test.after.each(async ({ started, feeds }) => {
  for (const feed of feeds) feed.close();
  await Promise.all(started.map((feeding) => feeding.stop()));
});

type Context = { readonly started: Feeding[]; readonly feeds: MergedFeed[] };

async function start(context: Context, ...counts: number[]): Promise<Feeding[]> {
  const feedings = counts.map((count, index) => new Feeding("abcd"[index]!, count).start());
  const started = await Promise.all(feedings);
  context.started.push(...started);
  return started;
}

/** A matrix whose partitions have these replicas. */
function makeMatrix(...partitions: (readonly Feeding[])[]): Matrix {
  const positions = partitions.map((engines) =>
    engines.map(({ port }) => ({ host: "127.0.0.1", port })),
  );
  const config = { partitions: positions, replicas: partitions[0]!.map(() => ({})) };
  const matrix = new Matrix(readMatrixConfig(config));
  for (const backEnd of matrix.all()) backEnd.markUp();
  return matrix;
}

function follow(
  { feeds }: Context,
  matrix: Matrix | (() => Matrix),
  since: readonly string[] | null = null,
): MergedFeed {
  const present = typeof matrix === "function" ? matrix : () => matrix;
  const feed = new MergedFeed({
    ...{ matrix: present, since, preference: ANY, failed: () => {} },
    partitions: [...present().backEnds.keys()],
    head: (position) => {
      const since = position === "" ? "" : `&since=${position}`;
      return `GET /svc/builtin/changes?graph=g${since} HTTP/1.1\r\nHost: x\r\n\r\n`;
    },
  });
  feeds.push(feed);
  return feed;
}

interface Received {
  readonly ids: string[];
  readonly changes: string[];
}

/** Reads a number of changes; the texts are those of an event stream. */
async function read(feed: MergedFeed, count: number): Promise<Received> {
  assert.is(await feed.open(), null);
  const ids: string[] = [];
  const changes: string[] = [];
  for await (const items of new PullIterator<StreamItems>(feed)) {
    for (const event of items.format("sse").split("\n\n")) {
      const [, id, data] = /^id: (.*)(?:\ndata: (.*))?$/.exec(event) ?? [];
      if (id !== undefined) ids.push(id);
      if (data === undefined) continue;
      const { position, id: vertex } = JSON.parse(data);
      assert.is(position, id);
      changes.push(vertex);
    }
    if (changes.length >= count) break;
  }
  return { ids, changes };
}

test("has the changes of all partitions, and the positions of all", async (context) => {
  const [first, second] = await start(context, 3, 2);
  const { ids, changes } = await read(follow(context, makeMatrix([first!], [second!])), 5);
  assert.equal([...changes].sort(), ["ä1", "ä1", "ä2", "ä2", "ä3"]);
  assert.is(ids.at(-1), "(a3,b2)");
  assert.match(ids[0]!, /^\(a\d,b0\)$|^\(a0,b\d\)$/);
  const positions = ids.map((id) => /^\(a(\d+),b(\d+)\)$/.exec(id)!.slice(1).map(Number));
  for (const [index, [a, b]] of positions.entries()) {
    const [before = [0, 0]] = positions.slice(Math.max(0, index - 1), index);
    assert.ok(a! + b! - before[0]! - before[1]! <= 1, "no position is ahead of its change");
  }
});

test("continues after positions of a client, as they are with one partition", async (context) => {
  const [first, second] = await start(context, 3, 2);
  const both = await read(follow(context, makeMatrix([first!], [second!]), ["a2", "b1"]), 2);
  assert.equal([...both.changes].sort(), ["ä2", "ä3"]);
  const single = await read(follow(context, makeMatrix([first!]), ["a1"]), 2);
  assert.equal(single.ids, ["a1", "a2", "a3"]);
});

test("continues at another replica, or the same one, after whole events", async (context) => {
  const [first, second] = await start(context, 9, 9);
  const replica = await new Feeding("a", 9).start();
  context.started.push(replica);
  for (const cut of ["", "id: a5\nda", "id: a5\nda\n\n", "x".repeat(10)]) {
    const ends = (back: Feeding): void => {
      back.requests.length = 0;
      back.breaks = { after: 4, text: cut };
    };
    for (const back of [first!, replica]) ends(back);
    const { changes } = await read(
      follow(context, makeMatrix([first!, replica], [second!, second!])),
      18,
    );
    assert.is(changes.length, 18, cut);
    assert.ok(first!.requests.length + replica.requests.length >= 2, cut);
  }
});

test("returns a rejection, or tries other back-ends where that may help", async (context) => {
  const [first, second] = await start(context, 1, 1);
  const body = '{"status": "ERROR"}';
  const head = "Content-Type: application/json; charset=UTF-8\r\n";
  const refuse = (status: string): string =>
    `HTTP/1.1 ${status}\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  second!.response = refuse("410 Gone");
  const rejection = await follow(context, makeMatrix([first!], [second!])).open();
  assert.equal(rejection, {
    ...{ status: 410, mediaType: "application/json", body: Buffer.from(body) },
  });
  const busy = await new Feeding("b", 1).start();
  context.started.push(busy);
  second!.response = "";
  busy.response = refuse("503 Service Unavailable");
  const matrix = makeMatrix([first!, first!], [busy, second!]);
  assert.is((await read(follow(context, matrix), 2)).changes.length, 2);
});

test("ends with the error of a back-end", async (context) => {
  const [first] = await start(context, 2);
  first!.breaks = { after: 1, text: 'event: error\ndata: "PositionExpiredError"\n\n' };
  const feed = follow(context, makeMatrix([first!]));
  const thrown = await read(feed, 2).then(
    () => null,
    (error: Error) => error.name,
  );
  assert.is(thrown, "PositionExpiredError");
});

test("refuses to continue when the number of partitions has changed", async (context) => {
  const [first, second] = await start(context, 1, 1);
  let matrix = makeMatrix([first!]);
  const feed = follow(context, () => matrix);
  await read(
    {
      open: () => feed.open(),
      pull: () => feed.pull(),
      wait: () => feed.wait(),
      close() {},
    } as never,
    1,
  );
  matrix = makeMatrix([first!], [second!]);
  const thrown = await read(
    {
      open: async () => null,
      pull: () => feed.pull(),
      wait: () => feed.wait(),
      close() {},
    } as never,
    9,
  ).then(String, (error: Error) => error.name);
  assert.is(thrown, "PositionError");
});

test("reads only as fast as its client", async (context) => {
  const [first, second] = await start(context, 2_000, 0);
  first!.more = "x".repeat(1000);
  const feed = follow(context, makeMatrix([first!], [second!]));
  assert.is(await feed.open(), null);
  // Often enough for a part that would not wait.
  for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate);
  let batches = 0;
  while (feed.pull() !== null) batches++;
  assert.is(batches, 2, "one of each partition");
});

test.run();
