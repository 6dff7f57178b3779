// Notices that the other side takes nothing of what waits to be sent. Only the time-out of a socket
// knows progress within a write: it comes when there was none, and begins anew in silence when
// there was. So it is asked for in parts of the time, and all of them have to come in a row.

import { RESPONSE_STALL_TIMEOUT_MS } from "../base/limits.js";
import type { ByteSocket } from "./byte-socket.js";

const POLLS_PER_TIMEOUT = 6;
const POLL_INTERVAL_MS = RESPONSE_STALL_TIMEOUT_MS / POLLS_PER_TIMEOUT;
/** Between two looks that are further apart something was taken. */
const MAX_POLL_GAP_MS = POLL_INTERVAL_MS * 1.5;

export class StallDetector {
  readonly #socket: ByteSocket;
  readonly #stalled: () => void;
  #isOn = false;
  #looks = 0;
  #lookedAt = 0;

  constructor(socket: ByteSocket, stalled: () => void) {
    this.#socket = socket;
    this.#stalled = stalled;
    socket.on("timeout", () => this.#poll());
  }

  /** To be called when something was written. */
  written(): void {
    if (this.#isOn || this.#socket.writableLength === 0) return;
    this.#isOn = true;
    this.#looks = 0;
    this.#socket.setTimeout(POLL_INTERVAL_MS);
  }

  #poll(): void {
    if (!this.#isOn) return;
    this.#isOn = this.#socket.writableLength > 0;
    if (!this.#isOn) return void this.#socket.setTimeout(0);
    const now = performance.now();
    const isInARow = this.#looks > 0 && now - this.#lookedAt < MAX_POLL_GAP_MS;
    this.#looks = isInARow ? this.#looks + 1 : 1;
    this.#lookedAt = now;
    if (this.#looks < POLLS_PER_TIMEOUT) this.#socket.setTimeout(POLL_INTERVAL_MS);
    else this.#stalled();
  }
}
