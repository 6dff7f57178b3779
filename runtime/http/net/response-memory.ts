// Limits the memory of responses that clients have not read yet. The server cannot make a client
// read, and an executed request already has its result: beyond the limit, the response is dropped
// and replaced by a short error.

import { IdleGc } from "../../base/idle-gc.js";
import {
  INLINE_BODY_BYTES,
  MAX_CLIENT_MEMORY_RATIO,
  MAX_CONNECTION_MEMORY_RATIO,
} from "../../base/limits.js";
import type { TransportMemory } from "../transport.js";
import type { BodyBudget } from "./body-store.js";

/** Bytes of unread responses, of a server or of one client. */
export class ResponseMemory {
  held = 0;
  readonly #collector: IdleGc | null;

  constructor(
    readonly limit: number,
    readonly parent: ResponseMemory | null,
  ) {
    this.#collector = parent === null ? new IdleGc() : null;
  }

  /** Returns whether further requests should wait. */
  get isUsedUp(): boolean {
    return this.held >= this.limit || (this.parent?.isUsedUp ?? false);
  }

  /** A single response is always accepted, however large. */
  hasCapacityFor(bytes: number): boolean {
    const fits = this.held === 0 || this.held + bytes <= this.limit;
    return fits && (this.parent?.hasCapacityFor(bytes) ?? true);
  }

  add(bytes: number): void {
    this.held += bytes;
    this.parent?.add(bytes);
    if (bytes < -INLINE_BODY_BYTES) this.#collector?.used(-bytes);
  }
}

/** Returns the memory of the bodies and responses of a server. */
export function transportMemory(bodies: BodyBudget, responses: ResponseMemory): TransportMemory {
  return {
    bodyBytes: bodies.used,
    maxBodyBytes: bodies.limit,
    responseBytes: responses.held,
    maxResponseBytes: responses.limit,
  };
}

export function clientResponses(server: ResponseMemory): ResponseMemory {
  return new ResponseMemory(server.limit * MAX_CLIENT_MEMORY_RATIO, server);
}

/** Memory of the responses of one connection. */
export class ConnectionResponses {
  #held = 0;
  readonly #client: ResponseMemory;

  constructor(client: ResponseMemory) {
    this.#client = client;
  }

  /** Returns whether reading requests must wait until responses are sent. */
  get isLarge(): boolean {
    return this.#held >= this.#client.limit * MAX_CONNECTION_MEMORY_RATIO;
  }

  get isUsedUp(): boolean {
    return this.#client.isUsedUp;
  }

  hasCapacityFor(bytes: number): boolean {
    if (this.#held === 0) return this.#client.hasCapacityFor(bytes);
    const limit = this.#client.limit / 2;
    return this.#held + bytes <= limit && this.#client.hasCapacityFor(bytes);
  }

  /** Sets the current number of bytes. */
  set(bytes: number): void {
    if (bytes === this.#held) return;
    this.#client.add(bytes - this.#held);
    this.#held = bytes;
  }
}
