// Corrupt partials are rejected. Corruption with a valid checksum is rejected, or merged without
// reading beyond the partial. SEED=n repeats a run, ROUNDS=n makes as many of each.
// limit: 600 s

import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ResponseError } from "../../runtime/base/errors.js";
import { decodePartial } from "../../runtime/base/partial/partial-codec.js";
import { mergePartials } from "../../runtime/dispatch/merge-partials.js";
import { encodeMerged, mergedJson } from "../../runtime/dispatch/merged-response.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { randomResponses } from "./support/random-responses.js";

const test = suite("corrupt partials");
const ROUNDS = rounds(20_000);
const SAMPLES = 100;
const HEADER_BYTES = 96;
const CRC_BYTES = 4;
/** Never part of a string, so that a string read beyond its partial is not UTF-8. */
const GUARD = 0xff;
const GUARD_BYTES = 64;
const EXTREMES = [0, 1, 2, 127, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

type Mutation = (random: Random, bytes: Buffer) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  (random, bytes) => {
    for (let i = 0; i <= random.below(3); i++)
      bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  (random, bytes) => {
    const offset = random.below(bytes.length);
    bytes[offset] = bytes[offset]! ^ (1 << random.below(8));
    return bytes;
  },
  (random, bytes) => {
    bytes.writeUInt32LE(random.of(EXTREMES), 4 * random.below(HEADER_BYTES / 4));
    return bytes;
  },
  (random, bytes) => {
    const offset = Math.min(bytes.length - 4, HEADER_BYTES + 4 * random.below(40));
    bytes.writeUInt32LE(random.below(2) === 0 ? random.below(bytes.length) : 0xffffffff, offset);
    return bytes;
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => Buffer.concat([bytes, Buffer.alloc(1 + random.below(9), random.below(256))]),
  (random, bytes) => {
    const [from, to] = [random.below(bytes.length), random.below(bytes.length)];
    bytes.copyWithin(to, from, from + random.below(32));
    return bytes;
  },
];

const random = new Random();
const samples = Array.from({ length: SAMPLES }, () => {
  return Buffer.from(randomResponses(random, 1, false)[0]!.serialize());
});

function mutated(sample: Buffer): Buffer {
  return random.of(MUTATIONS)(random, Buffer.from(sample));
}

/** With the right checksum, and mostly the right length. */
function resealed(bytes: Buffer): Buffer {
  if (bytes.length < CRC_BYTES + 8) return bytes;
  if (random.below(8) > 0) bytes.writeUInt32LE(bytes.length, 4);
  const end = bytes.length - CRC_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

/** The same bytes within a larger buffer. */
function guarded(bytes: Buffer): Buffer {
  const buffer = Buffer.alloc(bytes.length + 2 * GUARD_BYTES, GUARD);
  bytes.copy(buffer, GUARD_BYTES);
  return buffer.subarray(GUARD_BYTES, GUARD_BYTES + bytes.length);
}

function isAccepted(bytes: Buffer, label: string): boolean {
  try {
    decodePartial(bytes);
    return true;
  } catch (error) {
    assert.instance(error, ResponseError, `${label}: ${error}`);
    assert.is((error as ResponseError).code, "SVC2105", label);
    return false;
  }
}

test("are rejected", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const sample = random.of(samples);
    const bytes = mutated(sample);
    if (bytes.equals(sample)) continue;
    const label = `SEED=${SEED}, round ${round}`;
    assert.not(isAccepted(bytes, label), label);
  }
});

test("are rejected or harmless when the checksum is valid", () => {
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const label = `SEED=${SEED}, round ${round}`;
    const bytes = guarded(resealed(mutated(random.of(samples))));
    if (!isAccepted(bytes, label)) continue;
    accepted++;
    const { message, ...data } = decodePartial(bytes);
    // The only total that cannot be merged even alone.
    if (data.level === 0xffffffff) continue;
    const merged = mergePartials([bytes]);
    if (data.maxhits < 0 || data.maxhits >= data.keys.length) {
      const isEmpty = data.keys.length === 0;
      const sorting = isEmpty ? { sortby: 0, keytype: null } : {};
      const same = { ...data, ...sorting, message: null, level: data.level + 1, levelparts: 1 };
      assert.equal(decodePartial(encodeMerged(merged)), same, label);
    }
    assert.ok(isUtf8(mergedJson(merged)), label);
  }
  // Otherwise this would have tested nothing.
  assert.ok(accepted > ROUNDS / 50 && accepted < ROUNDS / 2, `${accepted} accepted`);
});

test.run();
