// When a peer that reads nothing counts as stalled: after consecutive socket timeouts for a minute
// without progress between them.

import { EventEmitter } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ByteSocket } from "../../../runtime/trunk/byte-socket.js";
import { StallDetector } from "../../../runtime/trunk/stall-detector.js";

const LOOK_MS = 10_000;

interface Context {
  socket: EventEmitter & { writableLength: number; armedMs: number };
  watch: StallDetector;
  stalls: number[];
  /** Time without progress until the socket's next timeout. */
  pass(ms?: number): void;
}

const test = suite<Context>("stall detector");

test.before.each((context) => {
  let now = 1000;
  Object.assign(performance, { now: () => now });
  const setTimeout = (ms: number): void => void Object.assign(socket, { armedMs: ms });
  const socket = Object.assign(new EventEmitter(), { writableLength: 1, armedMs: 0, setTimeout });
  const stalls: number[] = [];
  const watch = new StallDetector(socket as unknown as ByteSocket, () => stalls.push(now));
  const pass = (ms = socket.armedMs): void => {
    now += ms;
    socket.emit("timeout");
  };
  Object.assign(context, { socket, watch, stalls, pass });
});

test.after.each(() => {
  Reflect.deleteProperty(performance, "now");
});

test("reports a stall after a minute without progress", ({ socket, watch, stalls, pass }) => {
  watch.written();
  assert.is(socket.armedMs, LOOK_MS);
  for (let look = 1; look < 6; look++) pass();
  assert.equal(stalls, []);
  pass();
  assert.equal(stalls, [61_000]);
});

test("restarts the minute on progress", ({ watch, stalls, pass }) => {
  watch.written();
  for (let look = 1; look < 6; look++) pass();
  pass(2 * LOOK_MS);
  for (let look = 1; look < 5; look++) pass();
  assert.equal(stalls, []);
  pass();
  assert.is(stalls.length, 1);
});

test("ignores idle sockets", ({ socket, watch, stalls, pass }) => {
  socket.writableLength = 0;
  watch.written();
  assert.is(socket.armedMs, 0);
  socket.writableLength = 1;
  watch.written();
  pass();
  socket.writableLength = 0;
  pass();
  assert.is(socket.armedMs, 0);
  socket.writableLength = 1;
  for (let look = 0; look < 9; look++) pass(LOOK_MS);
  assert.equal(stalls, []);
  watch.written();
  assert.is(socket.armedMs, LOOK_MS);
});

test.run();
