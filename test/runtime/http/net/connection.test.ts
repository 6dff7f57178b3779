// Fairness of reading: one connection with a large body leaves turns to the others.

import type { Socket } from "node:net";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nowMs } from "../../../../runtime/base/clock.js";
import { BUSY_MS, MAX_READ_SLICE_BYTES } from "../../../../runtime/base/limits.js";
import type { NetConnection } from "../../../../runtime/http/net/connection.js";
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

/** Reads `chunks` chunks of zeros, at most a slice in each turn. */
async function expectSlices(server: NetServer, socket: Duplex, chunks: number): Promise<void> {
  let before = received(server);
  let turns = 0;
  for (let count = 0; count < chunks; count++) socket.push(Buffer.alloc(CHUNK_BYTES));
  for (const goal = chunks * CHUNK_BYTES; before < goal; turns++) {
    await nextTurn();
    const now = received(server);
    const most = MAX_READ_SLICE_BYTES + CHUNK_BYTES;
    assert.ok(now - before <= most, `${now - before} bytes in a turn`);
    before = now;
    assert.ok(turns < 50, "the bytes arrive");
  }
}

test("leaves a turn to other connections after each slice of a body", async () => {
  const { server, socket } = connectInMemory();
  socket.push(`POST /echo HTTP/1.1\r\n${HEAD}: ${11 * CHUNK_BYTES}\r\n\r\n`);
  await expectSlices(server, socket, 10);
  socket.destroy();
});

test("leaves a turn to other connections after each slice of discarded input", async () => {
  const { server, socket } = connectInMemory();
  socket.push("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await nextTurn();
  await expectSlices(server, socket, 10);
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

/** Timers of this process. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((type) => type === "Timeout").length;
}

test("pauses for longer between slices while others send requests", async () => {
  const { server, socket } = connectInMemory();
  socket.push(`POST /echo HTTP/1.1\r\n${HEAD}: ${11 * CHUNK_BYTES}\r\n\r\n`);
  for (const isBusy of [false, true]) {
    server.isBusyWithOthers = () => isBusy;
    const before = timers();
    const goal = received(server) + MAX_READ_SLICE_BYTES;
    socket.push(Buffer.alloc(MAX_READ_SLICE_BYTES));
    while (received(server) < goal) await nextTurn();
    assert.is(timers() - before, isBusy ? 1 : 0);
  }
  socket.destroy();
});

test("is busy with requests of other connections, for a moment", () => {
  const { server } = connectInMemory();
  const [own, other] = [{ id: 1 } as NetConnection, { id: 2 } as NetConnection];
  assert.not.ok(server.isBusyWithOthers(own));
  server.requested(other, Number.POSITIVE_INFINITY);
  assert.ok(server.isBusyWithOthers(own));
  assert.not.ok(server.isBusyWithOthers(other));
  server.requested(other, nowMs() - 2 * BUSY_MS);
  assert.not.ok(server.isBusyWithOthers(own));
});

test("notes each complete request", async () => {
  const { server, socket } = connectInMemory();
  const times: number[] = [];
  server.requested = (_connection, t0Ms) => void times.push(t0Ms);
  socket.push("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
  while (received(server) === 0) await nextTurn();
  assert.is(times.length, 2);
  assert.ok(times[0]! > 0 && times[1]! <= nowMs());
  socket.destroy();
});

test.run();
