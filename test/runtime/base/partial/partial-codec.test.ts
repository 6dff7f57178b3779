// Round trips of random responses, and corruption of every kind: a partial arrives as sent, or is
// rejected.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ResponseError } from "../../../../runtime/base/errors.js";
import { decodePartial } from "../../../../runtime/base/partial/partial-codec.js";
import { newPartial } from "../../../../runtime/base/partial/partial-layout.js";
import * as S from "../../../../runtime/base/sort-constants.js";
import { compareKeys, type SortKey } from "../../../../runtime/base/sort-order.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";

const test = suite("partial codec");
const seed = Number(process.env.SEED ?? Date.now() % 1e9);

/** Mulberry32. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(seed);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;

const KEY_MAKERS: readonly (() => SortKey)[] = [
  () => below(2000) - 1000,
  () => (random() - 0.5) * 10 ** below(300),
  () => Array.from({ length: below(6) }, () => pick([..."aZ é\u{1f600}\uffff"])).join(""),
  () => Uint8Array.from({ length: below(6) }, () => below(256)),
];

function randomItem(depth = 0): unknown {
  const makers = [
    () => null,
    () => below(1e9),
    () => random(),
    () => "text é",
    () => Array.from({ length: below(4) }, () => randomItem(depth + 1)),
    () => ({ a: randomItem(depth + 1), b: true }),
  ];
  return makers[below(depth > 3 ? 4 : makers.length)]!();
}

function randomResponse(): PluginResponse {
  const mixed = random() < 0.2;
  const descending = random() < 0.5;
  const response = new PluginResponse(
    pick([-1, 0, 50, 1000]),
    mixed ? S.S_NATIVE : descending ? S.S_DESC : S.S_NONE,
  );
  const limit = response.maxhits < 0 ? 50 : response.maxhits;
  const maker = pick(KEY_MAKERS);
  const keys = Array.from({ length: below(Math.min(30, limit + 1)) }, () =>
    (mixed ? pick(KEY_MAKERS) : maker)(),
  );
  if (!mixed) keys.sort((a, b) => (descending ? compareKeys(b, a) : compareKeys(a, b)));
  for (const key of keys) response.append(key, randomItem());
  response.i0 = below(1e6) - 5e5;
  response.i1 = Number.MAX_SAFE_INTEGER;
  response.f2 = random();
  response.f3 = pick([0, Number.POSITIVE_INFINITY, -1e300]);
  if (random() < 0.5) response.hitcount = below(1e9);
  if (random() < 0.5) response.message = pick(["", "note é"]);
  if (random() < 0.5) response.meta = randomItem();
  response.partials = 1 + below(1000);
  return response;
}

function expectRejection(bytes: Uint8Array, message: string): void {
  try {
    PluginResponse.deserialize(bytes);
  } catch (error) {
    assert.instance(error, ResponseError, `seed ${seed}: ${message}: ${error}`);
    assert.is((error as ResponseError).code, "SVC2105");
    return;
  }
  assert.unreachable(`seed ${seed}: accepted ${message}`);
}

function resealed(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(crc32(copy.subarray(0, -4)), copy.length - 4);
  return copy;
}

test("decodes what it encoded", () => {
  for (let run = 0; run < 300; run++) {
    const response = randomResponse();
    const bytes = response.serialize();
    const decoded = PluginResponse.deserialize(bytes);
    const label = `seed ${seed}, run ${run}`;
    assert.equal(decoded.entries, response.entries, label);
    assert.is(decoded.toJSON(), response.toJSON(), label);
    assert.equal([decoded.maxhits, decoded.sortby], [response.maxhits, response.sortby], label);
    if (response.length > 0) assert.is(decoded.keytype, response.keytype, label);
    assert.equal(decoded.serialize(), bytes, label);
    assert.is(bytes.buffer.byteLength, bytes.length, "own buffer, so that it can be transferred");
  }
});

test("rejects changed, truncated and extended bytes", () => {
  for (let run = 0; run < 300; run++) {
    const bytes = randomResponse().serialize();
    const changed = Uint8Array.from(bytes);
    const offset = below(bytes.length);
    changed[offset] = (changed[offset]! + 1 + below(255)) & 255;
    expectRejection(changed, `changed byte ${offset}, run ${run}`);
    expectRejection(bytes.subarray(0, below(bytes.length)), `cut, run ${run}`);
    expectRejection(Buffer.concat([bytes, Buffer.from([below(256)])]), `grown, run ${run}`);
    expectRejection(
      Uint8Array.from({ length: below(300) }, () => below(256)),
      `noise, run ${run}`,
    );
  }
});

test("rejects or tolerates corruption with a valid checksum", () => {
  for (let run = 0; run < 2000; run++) {
    const bytes = Uint8Array.from(randomResponse().serialize());
    for (let i = 0; i <= below(3); i++) bytes[below(bytes.length - 4)] = below(256);
    try {
      decodePartial(resealed(bytes));
    } catch (error) {
      assert.instance(error, ResponseError, `seed ${seed}, run ${run}: ${error}`);
    }
  }
});

test("reports a partial that a later release has written", () => {
  const bytes = Buffer.from(randomResponse().serialize());
  bytes.writeUInt16LE(2, 8);
  assert.throws(
    () => decodePartial(resealed(bytes)),
    /partial format 2 is of a later release, this one reads up to 1/,
  );
});

test("rejects keys out of order when encoding and decoding", () => {
  const response = new PluginResponse();
  response.append(1, "a");
  response.append(2, "b");
  const bytes = Buffer.from(response.serialize());
  bytes.writeDoubleLE(3, 96);
  expectRejection(resealed(bytes), "keys 3, 2");
  response.entries.reverse();
  assert.throws(() => response.serialize(), /out of order sortkey 1 with previous 2/);
  response.entries.push(["x" as never, 1]);
  assert.throws(() => response.serialize(), /out of order|not of the response/);
});

test("rejects an entry count beyond the data without allocating", () => {
  const bytes = Buffer.from(new PluginResponse().serialize());
  for (const count of [1, 2 ** 31, 2 ** 32 - 1]) {
    bytes.writeUInt32LE(count, 16);
    expectRejection(resealed(bytes), `${count} entries`);
  }
});

test("rejects entries pushed without an order", () => {
  const response = new PluginResponse();
  response.entries.push([1, "a"]);
  assert.throws(() => response.serialize(), /sortby S_NONE and keytype null/);
});

test("rejects strings that begin within a character", () => {
  const response = new PluginResponse();
  response.append("a", "é");
  response.append("b", "x");
  const bytes = Buffer.from(response.serialize());
  // The second item then begins within the letter of the first one.
  assert.equal(
    [96, 100, 104, 108, 112, 116].map((offset) => bytes.readUInt32LE(offset)),
    [0, 1, 2, 0, 4, 7],
  );
  for (const [offset, isRefused] of [
    [2, true],
    [3, false],
  ] as const) {
    bytes.writeUInt32LE(offset, 112);
    if (isRefused) expectRejection(resealed(bytes), `offset ${offset}`);
    else decodePartial(resealed(bytes));
  }
});

test("rejects a message without its flag", () => {
  const response = new PluginResponse();
  response.message = "note";
  const bytes = Buffer.from(response.serialize());
  bytes[11] = 0;
  expectRejection(resealed(bytes), "message without its flag");
});

test("rejects responses longer than the header can express", () => {
  const numbers = decodePartial(new PluginResponse().serialize());
  const lengths = { count: 0, keys: 0, items: 2 ** 32 - 104, message: null, meta: null };
  assert.throws(() => newPartial(numbers, lengths), /too large/);
});

test.run();
