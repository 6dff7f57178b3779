// A stream of a trunk holds a limited number of bytes while its reader pauses.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MemoryAccount, TrunkStream } from "../../../runtime/trunk/trunk-stream.js";

const test = suite("stream of a trunk");
const MAX_HELD_BYTES = 1024 * 1024;

function createStream(memory: MemoryAccount | null = null) {
  const closed: TrunkStream[] = [];
  const owner = {
    ...{ remotePort: 1, memory, onReady: () => undefined },
    getPeerX509Certificate: () => undefined,
    onClose: (stream: TrunkStream) => closed.push(stream),
  };
  const stream = new TrunkStream(owner, 1);
  const received: number[] = [];
  stream.on("data", (bytes: Buffer) => received.push(bytes.length));
  return { stream, received, closed };
}

test("ends once it holds more than allowed, and not before", () => {
  const { stream, received, closed } = createStream();
  stream.pause();
  stream.receive(Buffer.alloc(MAX_HELD_BYTES - 1));
  stream.receive(Buffer.alloc(1));
  assert.not.ok(stream.destroyed);
  stream.resume();
  assert.equal(received, [MAX_HELD_BYTES - 1, 1]);
  stream.pause();
  stream.receive(Buffer.alloc(MAX_HELD_BYTES));
  stream.receive(Buffer.alloc(1));
  assert.ok(stream.destroyed);
  assert.equal(closed, [stream]);
  stream.resume();
  assert.equal(received.length, 2, "nothing of it is passed on");
});

test("passes data without a limit while it is read", () => {
  const { stream, received } = createStream();
  for (let count = 0; count < 3; count++) stream.receive(Buffer.alloc(MAX_HELD_BYTES));
  assert.is(received.length, 3);
  assert.is(stream.bytesRead, 3 * MAX_HELD_BYTES);
});

test("counts its held bytes against the shared account, and ends when that is exhausted", () => {
  let taken = 0;
  const memory = {
    take: (bytes: number) => {
      if (taken + bytes > 100) return false;
      taken += bytes;
      return true;
    },
    give: (bytes: number) => {
      taken -= bytes;
    },
  };
  const { stream } = createStream(memory);
  stream.pause();
  stream.receive(Buffer.alloc(60));
  assert.is(taken, 60);
  stream.resume();
  assert.is(taken, 0);
  stream.pause();
  stream.receive(Buffer.alloc(60));
  stream.receive(Buffer.alloc(60));
  assert.ok(stream.destroyed);
  assert.is(taken, 0);
});

test("keeps data that arrives after its reader has paused again", () => {
  const { stream, received } = createStream();
  stream.pause();
  for (const bytes of [1, 2, 3]) stream.receive(Buffer.alloc(bytes));
  stream.once("data", () => stream.pause());
  stream.resume();
  assert.equal(received, [1]);
  stream.resume();
  assert.equal(received, [1, 2, 3]);
});

test("requests a pause at 64 KiB, and reports when everything is sent", () => {
  for (const [bytes, waits] of [
    [64 * 1024 - 1, false],
    [64 * 1024, true],
  ] as const) {
    const { stream } = createStream();
    let drained = 0;
    stream.on("drain", () => drained++);
    stream.write("x".repeat(bytes));
    while (stream.writableLength > 0) {
      assert.is(drained, 0);
      stream.take();
      stream.handleSent();
    }
    assert.is(drained, waits ? 1 : 0, `${bytes} bytes`);
  }
});

test("joins small texts in a frame, and takes nothing after its end", () => {
  const { stream } = createStream();
  stream.write("a");
  stream.write("b");
  stream.write(Buffer.from("c"));
  assert.is(stream.take(), "ab");
  stream.end(() => undefined);
  stream.write("d");
  assert.equal(stream.take(), Buffer.from("c"));
  assert.is(stream.take(), null);
});

test.run();
