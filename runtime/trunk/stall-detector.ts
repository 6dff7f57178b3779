// Detects a stalled peer: it acknowledges no bytes while data is pending. Only the socket's timeout
// sees progress within a write: it fires without progress, and restarts silently with progress. So
// it is set to a fraction of the limit, and all fractions must fire in a row.

import { RESPONSE_STALL_TIMEOUT_MS } from "../base/limits.js";
import type { ByteSocket } from "./byte-socket.js";

const POLLS_PER_TIMEOUT = 6;
const POLL_INTERVAL_MS = RESPONSE_STALL_TIMEOUT_MS / POLLS_PER_TIMEOUT;
/** A longer gap between two polls means progress. */
const MAX_POLL_GAP_MS = POLL_INTERVAL_MS * 1.5;

export class StallDetector {
  readonly #socket: ByteSocket;
  readonly #stalled: () => void;
  #isOn = false;
  #polls = 0;
  #polledAt = 0;

  constructor(socket: ByteSocket, stalled: () => void) {
    this.#socket = socket;
    this.#stalled = stalled;
    socket.on("timeout", () => this.#poll());
  }

  /** Called after a write. */
  written(): void {
    if (this.#isOn || this.#socket.writableLength === 0) return;
    this.#isOn = true;
    this.#polls = 0;
    this.#socket.setTimeout(POLL_INTERVAL_MS);
  }

  #poll(): void {
    if (!this.#isOn) return;
    this.#isOn = this.#socket.writableLength > 0;
    if (!this.#isOn) return void this.#socket.setTimeout(0);
    const now = performance.now();
    const isConsecutive = this.#polls > 0 && now - this.#polledAt < MAX_POLL_GAP_MS;
    this.#polls = isConsecutive ? this.#polls + 1 : 1;
    this.#polledAt = now;
    if (this.#polls < POLLS_PER_TIMEOUT) this.#socket.setTimeout(POLL_INTERVAL_MS);
    else this.#stalled();
  }
}
