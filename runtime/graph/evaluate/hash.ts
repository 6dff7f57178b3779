// `hash`: a 64-bit hash of a value, the same in every process and on peers.

import { PackedValue } from "../store/property-values.js";
import { wrapInt } from "./ints.js";
import { isNumeric, Pair, rawBits, type Value, VertexRef } from "./values.js";

const K1 = 0x9e37_79b9_7f4a_7c15n;
const K2 = 0xc6a4_a793_5bd1_e995n;
const K3 = 0x94d0_49bb_1331_11ebn;
const K4 = 0x2545_f491_4f6c_dd1dn;
const WORD_BYTES = 8;

function cut(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function rotate(value: bigint, by: bigint): bigint {
  return cut((value >> by) | (value << (64n - by)));
}

function finish(mixed: bigint): bigint {
  let h = cut(mixed * K3);
  h ^= rotate(h, 23n);
  h = rotate(h, 11n);
  h = cut(h * K4);
  return h ^ rotate(h, 33n);
}

function mixNumber(n: bigint): bigint {
  let b = cut((n & 0x1ffffn) * K2);
  b ^= b >> 47n;
  return finish(n ^ K1 ^ b);
}

function mixWord(n: bigint): bigint {
  const a = cut(n * K2);
  return finish(n ^ K1 ^ a ^ rotate(a, 47n));
}

function hashBytes(bytes: Uint8Array): bigint {
  const length = BigInt(bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let h = 0n;
  let c = 0n;
  let at = 0;
  if (bytes.length >= WORD_BYTES) {
    h = mixWord(length ^ K1);
    for (; at + WORD_BYTES <= bytes.length; at += WORD_BYTES) {
      c++;
      h = mixWord(h ^ view.getBigUint64(at, true) ^ cut(c * K1));
    }
  }
  let rest = 0n;
  for (let index = bytes.length - 1; index >= at; index--)
    rest = (rest << 8n) | BigInt(bytes[index]!);
  c += length;
  return mixWord(mixWord(h ^ rest ^ mixWord(c)));
}

export function hashValue(value: Value): Value {
  if (typeof value === "string") return wrapInt(hashBytes(Buffer.from(value)));
  if (value instanceof PackedValue) return wrapInt(hashBytes(value.bytes));
  if (isNumeric(value) || value instanceof Pair || value instanceof VertexRef) {
    return wrapInt(mixNumber(rawBits(value)));
  }
  return 0;
}
