// A trunk sends the frames of its streams in turn, once its connection is established.

import { EventEmitter } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ByteSocket } from "../../../runtime/trunk/byte-socket.js";
import { FRAME, frameHeader } from "../../../runtime/trunk/frames.js";
import { Trunk } from "../../../runtime/trunk/trunk.js";
import type { TrunkStream } from "../../../runtime/trunk/trunk-stream.js";

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

function createTrunk(
  isConnected: boolean,
  onOpen: ((stream: TrunkStream) => boolean) | null = null,
): { trunk: Trunk; socket: FakeSocket } {
  const socket = new FakeSocket();
  const events = { onOpen, onStreamClose: () => {}, onStall: () => {}, memory: null };
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

const turn = () => new Promise((resolve) => setImmediate(resolve));
const data = (id: number, text: string) =>
  Buffer.from(frameHeader(id, FRAME.data, text.length) + text, "latin1");

test("resets a stream that ends early, once", async () => {
  const { trunk, socket } = createTrunk(true);
  const stream = trunk.open();
  stream.write("a");
  trunk.flush();
  const sent = socket.written.length;
  stream.destroy();
  stream.destroy();
  await turn();
  assert.is(socket.written.slice(sent), frameHeader(1, FRAME.reset, 0));
  const unsent = trunk.open();
  unsent.destroy();
  await turn();
  assert.is(socket.written.length, sent + frameHeader(1, FRAME.reset, 0).length);
});

test("opens streams of the other side in the order of their ids, or refuses them", async () => {
  const opened: TrunkStream[] = [];
  const received: string[] = [];
  const { trunk, socket } = createTrunk(true, (stream) => {
    if (stream.id === 3) return false;
    opened.push(stream);
    stream.on("data", (bytes: Buffer) => received.push(`${stream.id} ${bytes}`));
    return true;
  });
  assert.ok(trunk.receive(data(1, "a")));
  assert.ok(trunk.receive(data(2, "b")));
  assert.ok(trunk.receive(data(1, "c")));
  assert.ok(trunk.receive(data(3, "d")));
  assert.equal(received, ["1 a", "2 b", "1 c"]);
  await turn();
  assert.is(socket.written, frameHeader(3, FRAME.refuse, 0));
  const closed = opened.map(
    (stream) => new Promise((resolve) => stream.once("close", () => resolve(stream.id))),
  );
  trunk.lost(null);
  assert.equal(await Promise.all(closed), [1, 2]);
});

test("ends at frames of streams that were never opened", () => {
  const { trunk } = createTrunk(true);
  trunk.open().write("a");
  trunk.flush();
  assert.ok(trunk.receive(data(1, "x")));
  assert.not.ok(trunk.receive(data(2, "x")));
});

test.run();
