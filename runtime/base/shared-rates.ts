// Rates per key, counted by all threads together in shared memory (generic cell rate algorithm).
// One word per key holds the time at which its allowance is complete again, in 1/64 ms, below a tag
// of the key; a compare-and-swap takes from it. Nothing waits, and keys whose allowance is complete
// need no word. If a bucket is full, the key closest to its complete allowance loses its word.
//
//   since i64 (ms since 1970) │ seed i64 │ bucket 0: 8 words │ bucket 1 │ …
//   word: tag 20 bits │ time 44 bits

import { createHash, randomBytes } from "node:crypto";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { nowMs } from "./clock.js";

const KEY = "svc.rates";
const BUCKETS = 8192;
const WAYS = 8;
const HEAD_WORDS = 2;
const TIME_BITS = 44n;
const TIME_MASK = (1n << TIME_BITS) - 1n;
const TAG_MASK = 0xfffff;
const TICKS_PER_MS = 64;
const MINUTE_TICKS = 60_000 * TICKS_PER_MS;

/** Outcome of taking one request from the allowance of a key. */
export interface TakenRate {
  readonly isAllowed: boolean;
  /** Requests that remain. */
  readonly remaining: number;
  /** Milliseconds until a request is allowed; 0 if one remains. */
  readonly waitMs: number;
}

/** Creates the memory. Called by the main thread before it starts others. */
export function enableSharedRates(): void {
  if (getEnvironmentData(KEY) === undefined) setEnvironmentData(KEY, createMemory());
}

function createMemory(): SharedArrayBuffer {
  const words = new BigInt64Array(
    new SharedArrayBuffer((HEAD_WORDS + BUCKETS * WAYS) * BigInt64Array.BYTES_PER_ELEMENT),
  );
  words[0] = BigInt(Math.floor(nowMs()));
  // Without a seed, clients could choose keys of one bucket to evict the word of their own key.
  words[1] = randomBytes(8).readBigInt64LE();
  return words.buffer as SharedArrayBuffer;
}

let shared: BigInt64Array | null = null;

function memory(): BigInt64Array {
  // A program without threads uses private memory.
  shared ??= new BigInt64Array(
    (getEnvironmentData(KEY) as SharedArrayBuffer | undefined) ?? createMemory(),
  );
  return shared;
}

/**
 * Takes one request from the allowance of a key: `perMinute` at once, then evenly over time.
 * @param clock returns milliseconds since 1970
 */
export function takeRate(key: string, perMinute: number, clock = nowMs): TakenRate {
  const words = memory();
  const readTicks = () => Math.floor((clock() - Number(words[0])) * TICKS_PER_MS);
  const interval = MINUTE_TICKS / perMinute;
  const { bucket, tag } = locate(key, words[1]!);
  for (;;) {
    const position = findWord(words, bucket, tag, readTicks());
    const word = Atomics.load(words, position);
    // An earlier reading could precede the request that another thread has just counted, and that
    // thread's complete allowance would then look exceeded.
    const now = readTicks();
    const completeAt = tagOf(word) === tag ? Math.max(now, timeOf(word)) : now;
    const next = completeAt + interval;
    const excess = next - now - MINUTE_TICKS;
    // Rounded, because many small intervals may sum up to slightly more.
    if (excess > 1) return { isAllowed: false, remaining: 0, waitMs: excess / TICKS_PER_MS };
    const updated = (BigInt(tag) << TIME_BITS) | BigInt(Math.round(next));
    if (Atomics.compareExchange(words, position, word, BigInt.asIntN(64, updated)) !== word)
      continue;
    const remaining = Math.max(0, Math.floor((MINUTE_TICKS - (next - now)) / interval + 0.01));
    const waitMs = remaining > 0 ? 0 : Math.max(0, excess + interval) / TICKS_PER_MS;
    return { isAllowed: true, remaining, waitMs };
  }
}

/** Returns the offset of a key's word, or of the word that it may take. */
function findWord(words: BigInt64Array, bucket: number, tag: number, now: number): number {
  const from = HEAD_WORDS + bucket * WAYS;
  let found = from;
  let minimum = Number.POSITIVE_INFINITY;
  for (let position = from; position < from + WAYS; position++) {
    const word = Atomics.load(words, position);
    if (word !== 0n && tagOf(word) === tag) return position;
    const time = timeOf(word);
    // The first free word, because threads that add a key concurrently must choose the same one.
    const rank = time <= now ? 0 : time;
    if (rank >= minimum) continue;
    minimum = rank;
    found = position;
  }
  return found;
}

function locate(key: string, seed: bigint): { readonly bucket: number; readonly tag: number } {
  const digest = createHash("sha256").update(seed.toString()).update(key).digest();
  return { bucket: digest.readUInt32LE(0) % BUCKETS, tag: digest.readUInt32LE(4) & TAG_MASK || 1 };
}

function tagOf(word: bigint): number {
  return Number(BigInt.asUintN(64, word) >> TIME_BITS);
}

function timeOf(word: bigint): number {
  return Number(word & TIME_MASK);
}
