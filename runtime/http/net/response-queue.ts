// The requests in progress of one connection, oldest first, which defines the order of the
// responses. A response that is ready early waits here for those before it (head-of-line blocking,
// as HTTP/1.1 pipelining requires).

import { releaseBuffer } from "../../base/exclusive-buffer.js";
import {
  MAX_PIPELINED_HEAD_BYTES,
  MAX_PIPELINED_REQUESTS,
  MAX_RENDER_SLICE_BYTES,
} from "../../base/limits.js";
import type { ServerEvents } from "../transport.js";
import type { NetExchange } from "./exchange.js";
import type { OutputBuffer } from "./output.js";

/** Callbacks to the connection. */
export interface QueueOwner {
  readonly events: ServerEvents;
  /** Called when text was added to the output. */
  scheduleTurn(): void;
  /** Called when the last response of the connection is known: no further input is read. */
  startClosing(): void;
  /** Called when a response could not be sent completely. */
  onFailure(): void;
}

export class ResponseQueue {
  /** Number of requests in progress. */
  size = 0;
  /** Bytes of responses that wait for earlier ones. */
  heldBytes = 0;
  #headBytes = 0;
  readonly #owner: QueueOwner;
  readonly #output: OutputBuffer;
  #first: NetExchange | null = null;
  #last: NetExchange | null = null;
  #isStreaming = false;

  constructor(owner: QueueOwner, output: OutputBuffer) {
    this.#owner = owner;
    this.#output = output;
  }

  /** Returns whether reading requests must wait for responses. */
  get isFull(): boolean {
    return this.size >= MAX_PIPELINED_REQUESTS || this.#headBytes >= MAX_PIPELINED_HEAD_BYTES;
  }

  push(exchange: NetExchange): void {
    if (this.#last === null) this.#first = exchange;
    else this.#last.next = exchange;
    this.#last = exchange;
    this.size++;
    this.#headBytes += exchange.headBytes;
  }

  /** Called once the response of an exchange is ready. */
  settle(exchange: NetExchange): void {
    exchange.owner.give(exchange.reserved);
    exchange.reserved = 0;
    exchange.upload?.remove();
    if (exchange.aborted) return;
    this.heldBytes += exchange.responseBytes;
    if (exchange.isLast) {
      this.#abortFrom(exchange.next);
      exchange.next = null;
      this.#last = exchange;
      this.#owner.startClosing();
    }
    if (exchange === this.#first) this.#send();
  }

  /** Aborts all requests after the client disconnected. */
  abort(): void {
    this.#abortFrom(this.#first);
    this.#first = null;
    this.#last = null;
  }

  #abortFrom(start: NetExchange | null): void {
    for (let exchange = start; exchange !== null; exchange = exchange.next) {
      exchange.aborted = true;
      exchange.onAborted?.();
      this.#leave(exchange);
    }
  }

  #send(): void {
    let exchange = this.#first;
    while (exchange?.settled && !this.#isStreaming) {
      this.#output.add(exchange.text);
      const { content } = exchange;
      const isBytes = content instanceof Uint8Array;
      if (isBytes && content.length <= MAX_RENDER_SLICE_BYTES) this.#output.addBytes(content);
      else if (content !== null) {
        this.#isStreaming = true;
        const length = exchange.isChunked ? null : exchange.contentLength;
        const source = isBytes ? pieces(content) : content;
        const released = isBytes ? () => releaseBuffer(content) : undefined;
        this.#output.pump(source, length, released).then((isWhole) => {
          this.#isStreaming = false;
          if (isWhole) this.#streamed();
          else this.#owner.onFailure();
        });
        return;
      }
      exchange = this.#shift(exchange);
    }
    this.#owner.scheduleTurn();
  }

  /** Continues after the oldest response was streamed completely. */
  #streamed(): void {
    if (this.#first === null) return;
    this.#shift(this.#first);
    this.#send();
  }

  #leave(exchange: NetExchange): void {
    this.size--;
    this.#headBytes -= exchange.headBytes;
    if (exchange.settled) this.heldBytes -= exchange.responseBytes;
  }

  #shift(exchange: NetExchange): NetExchange | null {
    this.#leave(exchange);
    this.#first = exchange.next;
    if (this.#first === null) this.#last = null;
    const bytesOut = exchange.text.length + exchange.contentLength;
    this.#owner.events.onResponse(exchange.requestBytes, bytesOut);
    return this.#first;
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += MAX_RENDER_SLICE_BYTES) {
    yield bytes.subarray(at, at + MAX_RENDER_SLICE_BYTES);
  }
}
