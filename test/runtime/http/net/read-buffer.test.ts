// The buffer that all connections of a thread read into.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { useReadBuffer } from "../../../../runtime/http/net/read-buffer.js";
import { NetServer } from "../../../../runtime/http/net/transport.js";
import { serverOptions, TestEngine } from "../../../conformance/engine.js";

const test = suite("read buffer");
let server: Server;

test.before(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
});

test.after(() => void server.close());

/** Returns both ends of a new connection. */
async function connected(): Promise<{ client: Socket; accepted: Socket }> {
  const accepting = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [accepted] = await accepting;
  return { client, accepted };
}

test("connections of a server share the memory that they read into", async () => {
  let admit: (socket: Socket) => void = () => {};
  new NetServer(serverOptions({}), new TestEngine(), (_, handler) => {
    admit = handler;
    return createServer();
  });
  const memory = new Set<ArrayBufferLike>();
  for (const text of ["one", "two"]) {
    const { client, accepted } = await connected();
    admit(accepted);
    client.write(text);
    const [chunk] = (await once(accepted, "data")) as [Buffer];
    assert.is(chunk.toString(), text);
    memory.add(chunk.buffer);
    client.destroy();
    accepted.destroy();
  }
  assert.is(memory.size, 1);
});

test("reads of the same length share one object", async () => {
  const { client, accepted } = await connected();
  useReadBuffer(accepted);
  const chunks: Buffer[] = [];
  for (const text of ["abc", "def", "gh", "ijk"]) {
    client.write(text);
    const [chunk] = (await once(accepted, "data")) as [Buffer];
    assert.is(chunk.toString(), text);
    chunks.push(chunk);
  }
  assert.is(chunks[0], chunks[1]);
  assert.is.not(chunks[0], chunks[2]);
  client.destroy();
  accepted.destroy();
});

test("all bytes arrive in order, across pauses, then the end", async () => {
  const { client, accepted } = await connected();
  useReadBuffer(accepted);
  const sentBytes = Buffer.from(
    Array.from({ length: 1_000_000 }, (_, index) => (index * 7919) >> 8),
  );
  const parts: Buffer[] = [];
  accepted.on("data", (chunk: Buffer) => {
    parts.push(Buffer.from(chunk));
    accepted.pause();
    setImmediate(() => accepted.resume());
  });
  client.end(sentBytes);
  await once(accepted, "end");
  assert.ok(Buffer.concat(parts).equals(sentBytes));
  assert.is(accepted.bytesRead, sentBytes.length);
  accepted.end("done");
  const [response] = (await once(client, "data")) as [Buffer];
  assert.is(response.toString(), "done");
});

test.run();
