// What answers take that their clients have not read yet. Nobody can be made to read, and an
// executed request has its answer already: beyond the bounds the answer is dropped, and the client
// is told so in a few words.

import { IdleCollector } from "../../base/idle-collector.js";
import { CLIENT_SHARE, CONNECTION_SHARE, INLINE_BODY_BYTES } from "../../base/limits.js";

/** Bytes held for all connections of a server, or for those of one client. */
export class AnswerMemory {
  held = 0;
  readonly #collector: IdleCollector | null;

  constructor(
    readonly limit: number,
    readonly parent: AnswerMemory | null,
  ) {
    this.#collector = parent === null ? new IdleCollector() : null;
  }

  /** True when there is no use in more requests. */
  get isUsedUp(): boolean {
    return this.held >= this.limit || (this.parent?.isUsedUp ?? false);
  }

  /** One answer is always taken, however large. */
  hasRoomFor(bytes: number): boolean {
    const fits = this.held === 0 || this.held + bytes <= this.limit;
    return fits && (this.parent?.hasRoomFor(bytes) ?? true);
  }

  add(bytes: number): void {
    this.held += bytes;
    this.parent?.add(bytes);
    if (bytes < -INLINE_BODY_BYTES) this.#collector?.used(-bytes);
  }
}

export function clientAnswers(server: AnswerMemory): AnswerMemory {
  return new AnswerMemory(server.limit * CLIENT_SHARE, server);
}

/** What one connection holds. */
export class ConnectionAnswers {
  #held = 0;
  readonly #client: AnswerMemory;

  constructor(client: AnswerMemory) {
    this.#client = client;
  }

  /** No more requests are read before some of it is sent. */
  get isMuch(): boolean {
    return this.#held >= this.#client.limit * CONNECTION_SHARE;
  }

  get isUsedUp(): boolean {
    return this.#client.isUsedUp;
  }

  hasRoomFor(bytes: number): boolean {
    if (this.#held === 0) return this.#client.hasRoomFor(bytes);
    const limit = this.#client.limit / 2;
    return this.#held + bytes <= limit && this.#client.hasRoomFor(bytes);
  }

  /** Tells how much it is now. */
  set(bytes: number): void {
    if (bytes === this.#held) return;
    this.#client.add(bytes - this.#held);
    this.#held = bytes;
  }
}
