// Framing of messages between instances: any chunks yield whole messages, and invalid input is
// rejected before memory is allocated for it.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  encodeMessage,
  MessageReader,
  MessageType,
} from "../../../runtime/interconnect/wire/messages.js";
import { isLoopbackAddress, SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";

const test = suite("messages between instances");
const BODIES = ["", "a", "four", "x".repeat(1000), ""].map((text) => Buffer.from(text));
const SENT = Buffer.concat(BODIES.map((body) => encodeMessage(MessageType.Frame, body)));

function readAll(pieces: readonly Buffer[], reader = new MessageReader()): Buffer[] {
  return pieces.flatMap((piece) => [...reader.read(piece)].map(({ body }) => body));
}

function trusting(): MessageReader {
  const reader = new MessageReader();
  reader.trust();
  return reader;
}

test("reassembles messages from arbitrary chunks", () => {
  for (const size of [1, 3, 16, 17, 500, SENT.length]) {
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < SENT.length; offset += size)
      pieces.push(SENT.subarray(offset, offset + size));
    assert.equal(readAll(pieces), BODIES, `pieces of ${size}`);
  }
});

test("detects a flipped bit anywhere", () => {
  const message = encodeMessage(MessageType.Frame, Buffer.from("some text"));
  for (let bit = 0; bit < message.length * 8; bit++) {
    const flipped = Buffer.from(message);
    flipped[bit >>> 3]! ^= 1 << (bit & 7);
    // At once: waiting for the bytes of a greater length would never end.
    assert.throws(() => readAll([flipped], trusting()), /^replication: /, `bit ${bit}`);
  }
});

test("accepts a greeting of another version without a header checksum", () => {
  const hello = encodeMessage(MessageType.Hello, Buffer.from("{}"));
  assert.is(hello.readUInt32LE(4), MessageType.Hello);
  assert.equal(readAll([hello]), [Buffer.from("{}")]);
  // Frames that streams still store have none either.
  const previousBytes = encodeMessage(MessageType.Frame, Buffer.from("text"));
  previousBytes.writeUInt32LE(MessageType.Frame, 4);
  previousBytes.writeUInt32LE(
    crc32(Buffer.concat([previousBytes.subarray(4, 12), Buffer.from("text")])),
    12,
  );
  assert.equal(readAll([previousBytes]), [Buffer.from("text")]);
});

test("limits message sizes, more strictly before authentication", () => {
  const message = encodeMessage(MessageType.Frame, Buffer.alloc(2000));
  assert.throws(() => readAll([message.subarray(0, 16)]), /2000 bytes exceeds the limit/);
  const reader = new MessageReader();
  reader.trust();
  assert.is(readAll([message], reader).length, 1);
  const largest = encodeMessage(MessageType.Frame, Buffer.alloc(2 ** 23 + 32));
  assert.equal(readAll([largest.subarray(0, 16)], trusting()), []);
  const huge = encodeMessage(MessageType.Frame, Buffer.alloc(2 ** 23 + 33));
  assert.throws(() => readAll([huge.subarray(0, 16)], reader), /exceeds the limit/);
});

test("binds a proof to one role, both nonces and one key", () => {
  const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const key = new SharedKey(Buffer.from("a key of enough bytes"));
  const proof = key.createProof("provider", a, b);
  assert.ok(key.isProof(proof, "provider", a, b));
  assert.not.ok(key.isProof(proof, "subscriber", a, b));
  assert.not.ok(key.isProof(proof, "provider", b, a));
  assert.not.ok(key.isProof(proof.subarray(1), "provider", a, b));
  const otherKey = new SharedKey(Buffer.from("another key of enough"));
  assert.not.ok(otherKey.isProof(proof, "provider", a, b));
});

test("treats only loopback as local", () => {
  for (const host of ["127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1"]) {
    assert.ok(isLoopbackAddress(host), host);
  }
  for (const host of ["10.0.0.1", "127.0.0.1.evil.example", "", "0.0.0.0", "::"]) {
    assert.not.ok(isLoopbackAddress(host), host);
  }
});

test.run();
