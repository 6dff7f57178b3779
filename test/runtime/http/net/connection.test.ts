// Fairness of reading: one connection with a large body leaves turns to the others.

import type { Socket } from "node:net";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_READ_SLICE_BYTES } from "../../../../runtime/base/limits.js";
import { NetServer } from "../../../../runtime/http/net/transport.js";
import { serverOptions, TestEngine } from "../../../conformance/engine.js";

const CHUNK_BYTES = 64 * 1024;
const HEAD = "Host: a\r\nContent-Length";

const test = suite("connections of the net transport");

/** Connects a socket in memory, whose client sends without a pause. */
function connectInMemory(): { server: NetServer; socket: Duplex } {
  const socket = new Duplex({
    allowHalfOpen: true,
    read: () => {},
    write: (_c, _e, done) => done(),
  });
  let admit: (socket: Socket) => void = () => {};
  const server = new NetServer(
    serverOptions({ maxBodyBytes: 1e7 }),
    new TestEngine(),
    (_, given) => {
      admit = given;
      return createServer();
    },
  );
  admit(socket as Socket);
  return { server, socket };
}

function received(server: NetServer): number {
  return server.connections()[0]!.bytesIn;
}

test("leaves a turn to other connections after each slice of a body", async () => {
  const { server, socket } = connectInMemory();
  const chunks = 5 * (MAX_READ_SLICE_BYTES / CHUNK_BYTES);
  socket.push(`POST /echo HTTP/1.1\r\n${HEAD}: ${(chunks + 1) * CHUNK_BYTES}\r\n\r\n`);
  for (let count = 0; count < chunks; count++) socket.push(Buffer.alloc(CHUNK_BYTES));
  let before = 0;
  let turns = 0;
  while (received(server) < chunks * CHUNK_BYTES) {
    await nextTurn();
    const now = received(server);
    assert.ok(
      now - before <= MAX_READ_SLICE_BYTES + CHUNK_BYTES,
      `${now - before} bytes in a turn`,
    );
    before = now;
    assert.ok(++turns < 50, "the body arrives");
  }
  socket.destroy();
});

test("reads small requests without a pause", async () => {
  const { server, socket } = connectInMemory();
  const request = `POST /echo HTTP/1.1\r\n${HEAD}: 1000\r\n\r\n${"x".repeat(1000)}`;
  for (let count = 0; count < 300; count++) socket.push(request);
  await nextTurn();
  assert.not.ok(socket.isPaused());
  assert.ok(received(server) > 0);
  socket.destroy();
});

test.run();
