// Streamed responses of executors. A stream holds a connection, but no slot, because it may last
// for hours. Backpressure: a plugin pauses while its client has unread bytes.

import type { MessagePort } from "node:worker_threads";
import { MAX_STREAMS, STREAM_HEARTBEAT_MS } from "../base/limits.js";
import type { CancellableSource, Exchange } from "../http/transport.js";
import type { StreamFormat } from "../plugin/contract/request-source.js";
import type { StreamPart, StreamReply } from "../plugin/run/stream-sender.js";

/** Sent by an executor in place of a result. */
export interface StreamPayload {
  readonly port: MessagePort;
  readonly format: StreamFormat;
}

interface OpenStream {
  readonly exchange: Exchange;
  /** When its principal was last accepted, in milliseconds of `performance.now`. */
  permittedAtMs: number;
}

const RECHECK_MS = 10_000;
const MEDIA_TYPES: Readonly<Record<StreamFormat, string>> = {
  ndjson: "application/x-ndjson",
  sse: "text/event-stream",
};
/** Prevent buffering by proxies. */
const EVENT_FIELDS = "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
/** Heartbeats by format, to detect disconnected clients. */
const HEARTBEATS: Readonly<Record<StreamFormat, Uint8Array>> = {
  ndjson: Buffer.from("\n"),
  sse: Buffer.from(":\n\n"),
};

export class Streams {
  readonly #open = new Map<StreamedContent, OpenStream>();

  /** Starts a stream; returns false without answering if there are too many. */
  respond(exchange: Exchange, { port, format }: StreamPayload, fields: string): boolean {
    const content = new StreamedContent(port, HEARTBEATS[format], () => this.#open.delete(content));
    if (this.#open.size >= MAX_STREAMS) {
      content.cancel();
      return false;
    }
    this.#open.set(content, { exchange, permittedAtMs: performance.now() });
    const eventFields = format === "sse" ? EVENT_FIELDS : "";
    exchange.respondChunked(200, MEDIA_TYPES[format], content, eventFields + fields);
    return true;
  }

  /** Cancels all streams, which may never end by themselves. */
  cancelAll(): void {
    for (const content of this.#open.keys()) content.cancel();
  }

  /**
   * Cancels the streams of principals that are no longer accepted: tokens expire and keys are
   * removed while a stream is open. Called periodically.
   */
  recheck(monotonicMs: number, isPermitted: (exchange: Exchange) => Promise<boolean>): void {
    for (const [content, stream] of this.#open) {
      if (stream.exchange.principal === null) continue;
      if (monotonicMs - stream.permittedAtMs < RECHECK_MS) continue;
      stream.permittedAtMs = monotonicMs;
      void isPermitted(stream.exchange).then((isStill) => {
        if (!isStill) content.cancel();
      });
    }
  }
}

/** Cancels the stream of a result that is discarded. */
export function dropStream({ port }: StreamPayload): void {
  port.postMessage("cancel" satisfies StreamReply);
  port.close();
}

class StreamedContent implements CancellableSource {
  readonly #port: MessagePort;
  readonly #heartbeat: Uint8Array;
  readonly #onEnd: () => void;
  readonly #parts: Uint8Array[] = [];
  #state: "open" | "end" | "failed" = "open";
  #wake: (() => void) | null = null;

  constructor(port: MessagePort, heartbeat: Uint8Array, onEnd: () => void) {
    this.#port = port;
    this.#heartbeat = heartbeat;
    this.#onEnd = onEnd;
    port.on("message", (part: StreamPart) => {
      if (typeof part === "string") this.#end(part);
      else this.#parts.push(part);
      this.#wake?.();
    });
    // The executor has died.
    port.on("close", () => this.#end("failed"));
  }

  cancel(): void {
    if (this.#state !== "open") return;
    this.#port.postMessage("cancel" satisfies StreamReply);
    this.#end("failed");
  }

  #end(state: "end" | "failed"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#port.close();
    this.#onEnd();
    this.#wake?.();
  }

  /** Throws if the stream failed: a truncated response must not look complete. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const part = this.#parts.shift();
        if (part !== undefined) {
          yield part;
          if (this.#state === "open") this.#port.postMessage(part.length satisfies StreamReply);
        } else if (this.#state === "end") return;
        else if (this.#state === "failed") throw new Error("stream ended early");
        else if (!(await this.#onActivity())) yield this.#heartbeat;
      }
    } finally {
      this.cancel();
    }
  }

  #onActivity(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), STREAM_HEARTBEAT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve(true);
      };
    });
  }
}
