// Change feeds of a dispatcher: merges those of its back-ends into one stream for the client.

import type { MessagePort } from "node:worker_threads";
import { MAX_CHANGE_FEEDS } from "../base/limits.js";
import { PullIterator } from "../base/pull-iterator.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { splitPositions } from "../dispatch/feed/composite-position.js";
import type { FeedRequest } from "../dispatch/feed/feed-request.js";
import { MergedFeed } from "../dispatch/feed/merged-feed.js";
import type { Preference } from "../dispatch/forwarded-request.js";
import { RETRY_AFTER } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { StreamSender } from "../plugin/run/stream-sender.js";
import type { ResponseWriter } from "./response-writer.js";

const TOO_MANY = `${MAX_CHANGE_FEEDS} clients follow changes already: retry later`;

/** A client's request for the feed of one partition, or of all. */
export interface FollowRequest {
  readonly exchange: Exchange;
  readonly port: 0 | 1;
  readonly request: FeedRequest;
  /** Null: all partitions. */
  readonly partition: number | null;
  readonly preference: Preference;
  /** Returns the request for a back-end. */
  readonly head: (position: string) => string;
}

export class MatrixFeeds {
  readonly #dispatcher: Dispatcher;
  readonly #writer: ResponseWriter;
  #open = 0;

  constructor(dispatcher: Dispatcher, writer: ResponseWriter) {
    this.#dispatcher = dispatcher;
    this.#writer = writer;
  }

  async start(follow: FollowRequest): Promise<void> {
    const { exchange, port } = follow;
    if (this.#open >= MAX_CHANGE_FEEDS) {
      return this.#writer.refuse(exchange, port, 503, TOO_MANY, { fields: RETRY_AFTER });
    }
    const feed = this.#create(follow);
    this.#open++;
    const end = await feed.open();
    if (end === null) return this.#stream(follow, feed);
    this.#open--;
    if (end instanceof Error) return this.#writer.refuse(exchange, port, 503, end.message);
    const { status, mediaType, body } = end;
    this.#writer.relay(exchange, port, {
      ...{ status, mediaType, body, fields: "", backlog: -1, isLast: true, isReadonly: true },
      ...{ takesTrunk: false, leads: null, slots: null, explain: null },
    });
  }

  #create({ request, partition, preference, head }: FollowRequest): MergedFeed {
    const dispatcher = this.#dispatcher;
    const { width } = dispatcher.matrix;
    const partitions = partition === null ? [...Array(width).keys()] : [partition];
    const { since } = request;
    // Back-ends reject an invalid position, with the reason.
    const split = splitPositions(since, partitions.length) ?? partitions.map(() => since);
    return new MergedFeed({
      matrix: () => dispatcher.matrix,
      failed: (backEnd) => dispatcher.recordFailure(backEnd),
      since: since === "" ? null : split,
      ...{ partitions, preference, head },
    });
  }

  #stream({ exchange, port, request }: FollowRequest, feed: MergedFeed): void {
    const events = {
      onStart: (port2: MessagePort) => {
        this.#writer.stream(exchange, port, { port: port2, format });
      },
      onFailedStart: () => this.#writer.refuse(exchange, port, 503, "Partition(s) down"),
      onFailure: () => undefined,
      onCancel: () => undefined,
      onEnd: () => {
        this.#open--;
      },
    };
    const format = request.takesEvents ? "sse" : "ndjson";
    const items = new PullIterator(feed);
    void new StreamSender(items, format, () => null, events).run();
  }
}
