// A trunk sends the frames of its streams in turn, once its connection is established.

import { EventEmitter } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ByteSocket } from "../../../runtime/trunk/byte-socket.js";
import { FRAME, frameHeader } from "../../../runtime/trunk/frames.js";
import { Trunk } from "../../../runtime/trunk/trunk.js";

const test = suite("trunk");

class FakeSocket extends EventEmitter {
  readonly destroyed = false;
  readonly writableLength = 0;
  written = "";

  write(bytes: string | Uint8Array): void {
    this.written += typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("latin1");
  }

  cork(): void {}
  uncork(): void {}
  setTimeout(): void {}
}

function createTrunk(isConnected: boolean): { trunk: Trunk; socket: FakeSocket } {
  const socket = new FakeSocket();
  const events = { opened: null, left: () => {}, stalled: () => {}, memory: null };
  const trunk = new Trunk(socket as unknown as ByteSocket, events, isConnected);
  return { trunk, socket };
}

test("sends nothing before it is connected, then a frame of each stream in turn", () => {
  const { trunk, socket } = createTrunk(false);
  const [first, second] = [trunk.open(), trunk.open()];
  first.write("a".repeat(65_536));
  first.write("b");
  second.write(Buffer.from("c"));
  trunk.flush();
  assert.is(socket.written, "");
  trunk.connected();
  assert.is(
    socket.written,
    `${frameHeader(1, FRAME.data, 65_536)}${"a".repeat(65_536)}` +
      `${frameHeader(2, FRAME.data, 1)}c${frameHeader(1, FRAME.data, 1)}b`,
  );
  assert.is(first.writableLength, 0);
});

test("is connected once", () => {
  const { trunk } = createTrunk(false);
  trunk.connected();
  assert.throws(() => trunk.connected(), /a trunk is connected once/);
});

test.run();
