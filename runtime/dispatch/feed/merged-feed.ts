// The change feed of a whole matrix: the events of all partitions as they arrive, in order within
// each partition. The position of an event consists of the positions of all partitions after it.
//
//   back-end ──► FeedPart ──┐
//   back-end ──► FeedPart ──┴─► events in turn ──► items with positions ──► client

import type { PullSource } from "../../base/pull-iterator.js";
import { StreamItems } from "../../plugin/response/stream-items.js";
import type { BackEnd } from "../back-end.js";
import type { Preference } from "../forwarded-request.js";
import type { Matrix } from "../matrix.js";
import { MalformedResponse } from "../response-parser.js";
import { joinPositions } from "./composite-position.js";
import { type FeedEvent, FeedFailure } from "./event-reader.js";
import type { FeedRefusal } from "./feed-connection.js";
import { FeedPart, type FeedPartOwner } from "./feed-part.js";

export interface MergedFeedOptions {
  /** Returns the current matrix. */
  readonly matrix: () => Matrix;
  readonly partitions: readonly number[];
  /** Positions of the partitions; null: from now on. */
  readonly since: readonly string[] | null;
  readonly preference: Preference;
  /** Returns the request for the changes after a position; empty: from now on. */
  readonly head: (position: string) => string;
  readonly failed: (backEnd: BackEnd) => void;
}

/** Interval at which changes of the matrix are detected. */
const CHECK_MS = 1000;
/** Stands for the position of one partition; no position contains it. */
const PLACEHOLDER = "@";

interface ReceivedEvents {
  readonly part: FeedPart;
  readonly events: readonly FeedEvent[];
  readonly done: () => void;
}

export class MergedFeed implements PullSource<StreamItems>, FeedPartOwner {
  readonly #options: MergedFeedOptions;
  readonly #width: number;
  readonly #parts: readonly FeedPart[];
  /** At most one entry per partition. */
  readonly #waiting: ReceivedEvents[] = [];
  #end: FeedRefusal | Error | null = null;
  #timer: NodeJS.Timeout | undefined;
  #wake: () => void = () => {};

  constructor(options: MergedFeedOptions) {
    this.#options = options;
    this.#width = options.matrix().width;
    const { partitions, since } = options;
    this.#parts = partitions.map(
      (partition, at) => new FeedPart(this, partition, since?.[at] ?? ""),
    );
  }

  /** Resolves with null when all back-ends have accepted the request, else with a refusal. */
  async open(): Promise<FeedRefusal | Error | null> {
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
    for (const part of this.#parts) void part.run();
    while (this.#end === null && this.#waiting.length < this.#parts.length) await this.wait();
    if (this.#end !== null) {
      this.close();
      return this.#end;
    }
    // The first event of a back-end is a position, before all changes that follow.
    for (const { part, events } of this.#waiting) part.delivered ||= events[0]!.id;
    return null;
  }

  /** Ends the feed if the number of partitions has changed: its positions are no longer valid. */
  #check(): void {
    if (this.#options.matrix().width !== this.#width) this.onEnd(new FeedFailure("PositionError"));
  }

  choose(partition: number, tried: readonly BackEnd[]): BackEnd | null {
    const { matrix, preference } = this.#options;
    this.#check();
    if (this.#end !== null) return null;
    const choice = matrix().choose(partition, preference, tried, true);
    return typeof choice === "string" ? null : choice;
  }

  requestHead(position: string): string {
    return this.#options.head(position);
  }

  onReplicaFailure(backEnd: BackEnd): void {
    this.#options.failed(backEnd);
  }

  deliver(part: FeedPart, events: readonly FeedEvent[]): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ part, events, done });
      this.#wake();
    });
  }

  onEnd(reason: FeedRefusal | Error): void {
    this.#end ??= reason;
    this.#wake();
  }

  /** @throws Error if the feed of a back-end has ended */
  pull(): StreamItems | null {
    const received = this.#waiting.shift();
    if (received === undefined) {
      if (this.#end === null) return null;
      // A back-end has refused to continue from a position that it had sent.
      throw this.#end instanceof Error ? this.#end : new FeedFailure(errorName(this.#end));
    }
    const items = this.#merge(received);
    received.done();
    return items;
  }

  #merge({ part, events }: ReceivedEvents): StreamItems {
    const items = new StreamItems();
    const at = this.#parts.indexOf(part);
    const positions = this.#parts.map(({ delivered }) => delivered);
    // Splits the composite position around that of this partition.
    positions[at] = PLACEHOLDER;
    const [prefix = "", suffix = ""] = joinPositions(positions).split(PLACEHOLDER);
    for (const { id, json } of events) {
      const position = prefix + id + suffix;
      items.add(json === "" ? "" : withPosition(json, id, position), position);
    }
    part.delivered = events[events.length - 1]!.id;
    return items;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    clearInterval(this.#timer);
    for (const part of this.#parts) part.close();
    for (const { done } of this.#waiting.splice(0)) done();
  }
}

/** Returns the class name of the error that a refusal stands for. */
function errorName({ status }: FeedRefusal): string {
  if (status === 410) return "PositionExpiredError";
  return status === 400 ? "PositionError" : "AccessError";
}

/** Replaces the position in a change. */
function withPosition(json: string, id: string, position: string): string {
  if (id === position) return json;
  const member = `"position":"${id}"`;
  const at = json.indexOf(member);
  if (at < 0) throw new MalformedResponse("change without its position");
  const end = at + member.length;
  return `${json.slice(0, at)}"position":"${position}"${json.slice(end)}`;
}
