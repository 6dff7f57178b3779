// What all threads see besides messages: a few words, and results that may be stuck in an executor.
// An Int32 block, a Float64 block and the cells of `result-cells.ts` over one SharedArrayBuffer:
//
//   int32   0        base port            1   Service-IN (1) or -OUT (0)
//           2        turns of the IO thread in inline plugins, odd while it is inside of one
//           3        the number of that plugin
//           4        beats of the IO thread while it has inline plugins, else 0
//           8..47    state of each slot: 0-31 main port, 32-39 admin port
//           48..111  per executor: 1 + the slot whose plugin it runs synchronously now, else 0
//   float64 0..39    when each slot's request was claimed, milliseconds since 1970
//   cells   0..39    the last result of each slot
//
// A slot's state exists for one race only: the executor claims a queued request by compare-and-swap
// before it runs it, the IO thread revokes it the same way. All else goes by messages.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../base/limits.js";
import { cellBytes, ResultCells } from "./result-cells.js";

export const SLOTS = MAIN_SLOTS + ADMIN_SLOTS;
/** Executors alive at one time, those of an older build that still drain included. */
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

/** A view of the shared words; construct with the buffer of another thread's view to share it. */
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

  /** IO side: it begins to run a plugin. */
  enterInline(plugin: number): void {
    Atomics.store(this.#words, INLINE_PLUGIN, plugin);
    Atomics.add(this.#words, INLINE_TURNS, 1);
  }

  /** IO side: the plugin has returned. */
  leaveInline(): void {
    Atomics.add(this.#words, INLINE_TURNS, 1);
  }

  /** The last plugin that the IO thread ran; it is inside of it while `turn` is odd. */
  get inlineCall(): { readonly turn: number; readonly plugin: number } {
    const turn = Atomics.load(this.#words, INLINE_TURNS) >>> 0;
    return { turn, plugin: Atomics.load(this.#words, INLINE_PLUGIN) };
  }

  /** IO side: it lives. */
  beat(): void {
    // Never 0, however long it lives.
    Atomics.store(this.#words, INLINE_BEATS, (Atomics.load(this.#words, INLINE_BEATS) + 1) | 1);
  }

  /** IO side: it may be silent from now on, until it beats again. */
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

  /** Executor side: true when the queued request is now this executor's to run. */
  claim(slot: number, nowMs: number): boolean {
    this.#claimedAt[slot] = nowMs;
    const at = SLOT_WORDS + slot;
    return Atomics.compareExchange(this.#words, at, SLOT_QUEUED, SLOT_CLAIMED) === SLOT_QUEUED;
  }

  /** IO side: true when the executor had not begun and will not begin the request. */
  revoke(slot: number): boolean {
    const at = SLOT_WORDS + slot;
    return Atomics.compareExchange(this.#words, at, SLOT_QUEUED, SLOT_REVOKED) === SLOT_QUEUED;
  }

  claimedAtMs(slot: number): number {
    return this.#claimedAt[slot]!;
  }

  /** Slot whose plugin the executor is inside of, synchronously; -1 when it is not in a plugin. */
  runningSlot(executor: number): number {
    return Atomics.load(this.#words, RUNNING_WORDS + executor) - 1;
  }

  setRunningSlot(executor: number, slot: number): void {
    Atomics.store(this.#words, RUNNING_WORDS + executor, slot + 1);
  }
}
