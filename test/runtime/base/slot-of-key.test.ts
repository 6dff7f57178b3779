// The slot of a key is that of zlib's CRC-32, and never changes: data lies by it.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { slotOfKey } from "../../../runtime/base/slot-of-key.js";
import { Random, SEED } from "../../property/support/random.js";

const test = suite("slot of a key");

test("keeps its value in all versions", () => {
  const golden: [key: string, of4096: number, of16384: number][] = [
    ["", 0, 0],
    ["123456789", 2342, 14630],
    ["Oslo", 2332, 6428],
    ["Bogotá", 3542, 7638],
    ["東京", 751, 751],
    ["😀", 1348, 13636],
    ["{Oslo}:mayor", 2332, 6428],
    ["{}Oslo", 3807, 16095],
    ["x{é}", 3390, 3390],
  ];
  for (const [key, few, many] of golden) {
    assert.equal([slotOfKey(key, 4096), slotOfKey(key, 16_384)], [few, many], key);
  }
});

const PARTS = ["a", "Z", "0", "{", "}", "{}", " ", "\n", "é", "東", "😀", "\ud800", "\x7f", "\x80"];

test("is the CRC-32 of the UTF-8 of the key, or of its first text in braces", () => {
  const random = new Random();
  for (let round = 0; round < 2000; round++) {
    const key = random.list(12, () => random.of(PARTS)).join("");
    const tag = /^[^{]*\{([^}]+)\}/s.exec(key)?.[1] ?? key;
    for (const count of [16, 4096, 65_536]) {
      const expected = crc32(Buffer.from(tag, "utf8")) % count;
      assert.is(slotOfKey(key, count), expected, `${JSON.stringify(key)}, seed ${SEED}`);
    }
  }
});

test.run();
