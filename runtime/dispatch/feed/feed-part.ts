// The change feed of one partition: follows a replica; if that fails, another one from the same
// position. It reads on only after its events were taken, which propagates backpressure.

import { setTimeout as delay } from "node:timers/promises";
import { Backoff } from "../../base/backoff.js";
import type { BackEnd } from "../back-end.js";
import { EventReader, type FeedEvent, FeedFailure } from "./event-reader.js";
import { type FeedRefusal, OpenFeed, openFeed } from "./feed-connection.js";

/** Statuses after which another replica, or a later attempt, may accept the request. */
const RETRIED: readonly number[] = [421, 429, 503];
/** The graph was removed, or another group member leads; the next request shows which. */
const GONE = "AccessError";
const MIN_DELAY_MS = 50;
const MAX_DELAY_MS = 2_000;
/** How long a feed tries to find a replica: before its first event, and later. */
const START_MS = 10_000;
const RETRY_MS = 30_000;

export interface FeedPartOwner {
  /** Returns a replica that is up; null for none. */
  choose(partition: number, tried: readonly BackEnd[]): BackEnd | null;
  /** Returns the request for the changes after a position; empty: from now on. */
  requestHead(position: string): string;
  /** Reports a replica that has failed the request. */
  onReplicaFailure(backEnd: BackEnd): void;
  /** Resolves when the events were taken. */
  deliver(part: FeedPart, events: readonly FeedEvent[]): Promise<void>;
  /** Called when the feed of the partition has ended. */
  onEnd(reason: FeedRefusal | Error): void;
}

export class FeedPart {
  readonly partition: number;
  readonly #owner: FeedPartOwner;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ minMs: MIN_DELAY_MS, maxMs: MAX_DELAY_MS, jitter: 0.5 });
  /** Position after the last received event; empty: unknown. */
  #received: string;
  /** Position after the last event passed to the client; empty: unknown. */
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

  /** Follows the partition until the feed is closed or ends. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      const backEnd = this.#owner.choose(this.partition, this.#tried);
      const end = backEnd === null ? null : await this.#follow(backEnd);
      if (this.#isClosed) return;
      if (end !== null) return this.#owner.onEnd(end);
      if (performance.now() - this.#failedSinceMs > (this.#hasBegun ? RETRY_MS : START_MS)) {
        return this.#owner.onEnd(new Error("Partition(s) down"));
      }
      if (backEnd === null) this.#tried = [];
      // The next replica is tried at once.
      else if (this.#backoff.fail() <= MIN_DELAY_MS) continue;
      await delay(Math.max(MIN_DELAY_MS, this.#backoff.delayMs));
    }
  }

  /** Follows one replica. Returns why the feed has ended; null: another replica may continue it. */
  async #follow(backEnd: BackEnd): Promise<FeedRefusal | Error | null> {
    let feed: OpenFeed | null = null;
    try {
      const head = this.#owner.requestHead(this.#received);
      const opened = await openFeed(backEnd, head, this.#closing.signal);
      if (!(opened instanceof OpenFeed)) return this.#refused(backEnd, opened);
      feed = opened;
      await this.#read(feed);
    } catch (error) {
      if (error instanceof FeedFailure && error.name !== GONE) return error;
      // The connection was lost: the back-end may have died.
      if (!this.#isClosed) this.#owner.onReplicaFailure(backEnd);
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
        await this.#owner.deliver(this, events);
      }
      if (failure !== null) throw failure;
      if (this.#isClosed) return;
      this.#failedSinceMs = performance.now();
    }
  }
}
