// The change feed of one partition: follows one replica, and another one from the same position
// when that fails. It reads on only after its events were taken, so a slow client slows back-ends.

import { setTimeout as delay } from "node:timers/promises";
import { Backoff } from "../../base/backoff.js";
import type { BackEnd } from "../back-end.js";
import { EventReader, type FeedEvent, FeedFailure } from "./event-reader.js";
import { type FeedRefusal, OpenFeed, openFeed } from "./feed-connection.js";

/** Another replica, or a later attempt, may accept these. */
const RETRIED: readonly number[] = [421, 429, 503];
/** The graph was removed, or another member of a group leads: the next request tells. */
const GONE = "AccessError";
const MIN_DELAY_MS = 50;
const MAX_DELAY_MS = 2_000;
/** A feed gives up without a replica for that long: before its first event, and later. */
const START_MS = 10_000;
const RETRY_MS = 30_000;

export interface FeedPartOwner {
  /** Returns a replica that is up; null for none. */
  choose(partition: number, tried: readonly BackEnd[]): BackEnd | null;
  /** Returns the request for what follows a position; empty: from now on. */
  head(position: string): string;
  /** A replica has failed the request. */
  failed(backEnd: BackEnd): void;
  /** Resolves when the events were taken. */
  take(part: FeedPart, events: readonly FeedEvent[]): Promise<void>;
  /** The partition cannot be followed any further. */
  ended(reason: FeedRefusal | Error): void;
}

export class FeedPart {
  readonly partition: number;
  readonly #owner: FeedPartOwner;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ minMs: MIN_DELAY_MS, maxMs: MAX_DELAY_MS, jitter: 0.5 });
  /** Position up to which everything was received; empty: unknown. */
  #received: string;
  /** Position up to which the client has everything; empty: unknown. */
  delivered: string;
  #tried: BackEnd[] = [];
  #hasBegun = false;
  #failedSinceMs = performance.now();

  constructor(owner: FeedPartOwner, partition: number, since: string) {
    this.#owner = owner;
    this.partition = partition;
    this.#received = since;
    this.delivered = since;
  }

  close(): void {
    this.#closing.abort();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Follows until it is closed, or has ended. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      const backEnd = this.#owner.choose(this.partition, this.#tried);
      const end = backEnd === null ? null : await this.#follow(backEnd);
      if (this.#isClosed) return;
      if (end !== null) return this.#owner.ended(end);
      if (performance.now() - this.#failedSinceMs > (this.#hasBegun ? RETRY_MS : START_MS)) {
        return this.#owner.ended(new Error("Partition(s) down"));
      }
      if (backEnd === null) this.#tried = [];
      // Another replica is asked at once.
      else if (this.#backoff.fail() <= MIN_DELAY_MS) continue;
      await delay(Math.max(MIN_DELAY_MS, this.#backoff.delayMs));
    }
  }

  /** Returns why the feed has ended; null: it may go on. */
  async #follow(backEnd: BackEnd): Promise<FeedRefusal | Error | null> {
    let feed: OpenFeed | null = null;
    try {
      const head = this.#owner.head(this.#received);
      const opened = await openFeed(backEnd, head, this.#closing.signal);
      if (!(opened instanceof OpenFeed)) return this.#refused(backEnd, opened);
      feed = opened;
      await this.#read(feed);
    } catch (error) {
      if (error instanceof FeedFailure && error.name !== GONE) return error;
      // Its connection was lost: it may have died.
      if (!this.#isClosed) this.#owner.failed(backEnd);
    } finally {
      feed?.close();
    }
    this.#tried.push(backEnd);
    return null;
  }

  #refused(backEnd: BackEnd, refusal: FeedRefusal): FeedRefusal | null {
    if (!RETRIED.includes(refusal.status)) return refusal;
    this.#tried.push(backEnd);
    return null;
  }

  async #read(feed: OpenFeed): Promise<void> {
    const reader = new EventReader();
    for (;;) {
      const text = await feed.next();
      if (text === null || this.#isClosed) return;
      const { events, failure } = reader.read(text);
      if (events.length > 0) {
        this.#hasBegun = true;
        this.#tried = [];
        this.#backoff.reset();
        this.#received = events[events.length - 1]!.id;
        await this.#owner.take(this, events);
      }
      if (failure !== null) throw failure;
      if (this.#isClosed) return;
      this.#failedSinceMs = performance.now();
    }
  }
}
