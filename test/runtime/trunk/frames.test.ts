// Frames as bytes: parsed alike in any chunks, and invalid ones are rejected.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  FRAME,
  FrameReader,
  frameHeader,
  MAX_FRAME_BYTES,
  MAX_STREAM_ID,
} from "../../../runtime/trunk/frames.js";

const test = suite("frames");

/** Frames that a reader finds in chunks; split content is joined. */
function read(...chunks: readonly string[]): string[] {
  const events: string[] = [];
  let last = 0;
  const reader = new FrameReader({
    data: (id, bytes) => {
      const text = bytes.toString("latin1");
      if (last === id) events[events.length - 1] += text;
      else events.push(`${id}:${text}`);
      last = id;
      return true;
    },
    onEnd: (id, type) => {
      if (id === 666) return false;
      events.push(`${id} ends ${type}`);
      last = 0;
      return true;
    },
  });
  for (const chunk of chunks) {
    if (!reader.feed(Buffer.from(chunk, "latin1"))) return [...events, "broken"];
  }
  return events;
}

function data(id: number, content: string): string {
  return frameHeader(id, FRAME.data, content.length) + content;
}

const FRAMES = [
  data(1, "a"),
  data(MAX_STREAM_ID, "\0\xff".repeat(9)),
  frameHeader(7, FRAME.end, 0),
  data(0x01020304, "x".repeat(20)),
  frameHeader(256, FRAME.reset, 0),
  frameHeader(65_536, FRAME.refuse, 0),
  data(2, "end"),
].join("");
const SEEN = [
  "1:a",
  `${MAX_STREAM_ID}:${"\0\xff".repeat(9)}`,
  "7 ends 2",
  `16909060:${"x".repeat(20)}`,
  "256 ends 3",
  "65536 ends 4",
  "2:end",
];

test("reads frames split at each byte, and byte by byte", () => {
  assert.equal(read(FRAMES), SEEN);
  for (let index = 0; index <= FRAMES.length; index++) {
    assert.equal(read(FRAMES.slice(0, index), FRAMES.slice(index)), SEEN);
  }
  assert.equal(read(...FRAMES), SEEN);
});

test("accepts the longest content, and rejects one byte more", () => {
  const content = "c".repeat(MAX_FRAME_BYTES);
  assert.equal(read(data(1, content)), [`1:${content}`]);
  assert.equal(read(data(1, `${content}c`)), ["broken"]);
});

for (const [name, header] of [
  ["stream 0", data(0, "a")],
  ["no content", frameHeader(1, FRAME.data, 0)],
  ["an unknown type", frameHeader(1, 0, 0)],
  ["another unknown type", frameHeader(1, 5, 0)],
  ["an end with content", frameHeader(1, FRAME.end, 1)],
  ["a reset with content", frameHeader(1, FRAME.reset, 0xff_ffff)],
  ["an unexpected frame", frameHeader(666, FRAME.reset, 0)],
] as const) {
  test(`ends the reading for ${name}, at the last byte of its header`, () => {
    assert.equal(read(data(3, "a"), header, data(4, "b")), ["3:a", "broken"]);
    assert.equal(read(header.slice(0, 7)), []);
    assert.equal(read(header.slice(0, 7), header.slice(7)), ["broken"]);
  });
}

test.run();
