// State shared by all threads besides messages. One SharedArrayBuffer with an Int32 block, a
// Float64 block and the cells of `result-cells.ts`:
//
//   int32   0        base port            1   Service-IN (1) or -OUT (0)
//           2        inline turns of the IO thread, odd while it runs an inline plugin
//           3        number of that plugin
//           4        heartbeats of the IO thread while it has inline plugins, else 0
//           8..47    state of each slot: 0-31 main port, 32-39 admin port
//           48..111  per executor: 1 + the slot whose plugin it runs synchronously now, else 0
//   float64 0..39    when each slot's request was claimed, milliseconds since 1970
//   cells   0..39    the last result of each slot
//
// A slot's state decides one race: the executor claims a queued request by compare-and-swap before
// it runs it, and the IO thread revokes it the same way. Everything else uses messages.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../limits.js";
import { cellBytes, ResultCells } from "./result-cells.js";

export const SLOTS = MAIN_SLOTS + ADMIN_SLOTS;
/** Executors alive at one time, including draining ones of an earlier build. */
export const MAX_EXECUTOR_IDS = 64;

export const SLOT_FREE = 0;
export const SLOT_QUEUED = 1;
export const SLOT_CLAIMED = 2;
const SLOT_REVOKED = 3;

const BASE_PORT = 0;
const SERVICE_IN = 1;
const INLINE_TURNS = 2;
const INLINE_PLUGIN = 3;
const INLINE_BEATS = 4;
const SLOT_WORDS = 8;
const RUNNING_WORDS = SLOT_WORDS + SLOTS;
const INT32_WORDS = RUNNING_WORDS + MAX_EXECUTOR_IDS;
const CELLS_AT = INT32_WORDS * 4 + SLOTS * 8;
const BYTES = CELLS_AT + cellBytes(SLOTS);

/** View of the shared words; construct with another view's buffer to share it. */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly results: ResultCells;
  readonly #words: Int32Array;
  readonly #claimedAt: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, INT32_WORDS);
    this.#claimedAt = new Float64Array(buffer, INT32_WORDS * 4, SLOTS);
    this.results = new ResultCells(buffer, CELLS_AT, SLOTS);
  }

  get basePort(): number {
    return Atomics.load(this.#words, BASE_PORT);
  }

  set basePort(port: number) {
    Atomics.store(this.#words, BASE_PORT, port);
  }

  get serviceIn(): boolean {
    return Atomics.load(this.#words, SERVICE_IN) === 1;
  }

  set serviceIn(on: boolean) {
    Atomics.store(this.#words, SERVICE_IN, on ? 1 : 0);
  }

  /** IO side: enters a plugin. */
  enterInline(plugin: number): void {
    Atomics.store(this.#words, INLINE_PLUGIN, plugin);
    Atomics.add(this.#words, INLINE_TURNS, 1);
  }

  /** IO side: the plugin has returned. */
  leaveInline(): void {
    Atomics.add(this.#words, INLINE_TURNS, 1);
  }

  /** The plugin that the IO thread ran last; `turn` is odd while it runs. */
  get inlineCall(): { readonly turn: number; readonly plugin: number } {
    const turn = Atomics.load(this.#words, INLINE_TURNS) >>> 0;
    return { turn, plugin: Atomics.load(this.#words, INLINE_PLUGIN) };
  }

  /** IO side: sends a heartbeat. */
  beat(): void {
    // Never 0, even after wraparound.
    Atomics.store(this.#words, INLINE_BEATS, (Atomics.load(this.#words, INLINE_BEATS) + 1) | 1);
  }

  /** IO side: stops heartbeats until the next `beat`. */
  rest(): void {
    Atomics.store(this.#words, INLINE_BEATS, 0);
  }

  get beats(): number {
    return Atomics.load(this.#words, INLINE_BEATS);
  }

  slotState(slot: number): number {
    return Atomics.load(this.#words, SLOT_WORDS + slot);
  }

  setSlotState(slot: number, state: number): void {
    Atomics.store(this.#words, SLOT_WORDS + slot, state);
  }

  /** Executor side: claims a queued request; returns whether it succeeded. */
  claim(slot: number, nowMs: number): boolean {
    this.#claimedAt[slot] = nowMs;
    const at = SLOT_WORDS + slot;
    return Atomics.compareExchange(this.#words, at, SLOT_QUEUED, SLOT_CLAIMED) === SLOT_QUEUED;
  }

  /** IO side: revokes a queued request; returns whether the executor had not claimed it. */
  revoke(slot: number): boolean {
    const at = SLOT_WORDS + slot;
    return Atomics.compareExchange(this.#words, at, SLOT_QUEUED, SLOT_REVOKED) === SLOT_QUEUED;
  }

  /** Executor side: returns whether a request is queued in one of some slots. */
  hasQueued(from: number, to: number): boolean {
    for (let slot = from; slot < to; slot++) if (this.slotState(slot) === SLOT_QUEUED) return true;
    return false;
  }

  claimedAtMs(slot: number): number {
    return this.#claimedAt[slot]!;
  }

  /** Slot whose plugin the executor runs synchronously; -1: none. */
  runningSlot(executor: number): number {
    return Atomics.load(this.#words, RUNNING_WORDS + executor) - 1;
  }

  setRunningSlot(executor: number, slot: number): void {
    Atomics.store(this.#words, RUNNING_WORDS + executor, slot + 1);
  }
}
