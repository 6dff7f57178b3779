// Streamed results: reads a plugin's items and sends them to the IO thread through a separate
// channel, with backpressure from the client.
//
//   plugin ──next()──► texts ──► chunks of 16 KiB ──port──► IO thread ──► socket
//                        ▲                                    │
//                        └── waits at 64 KiB in transit ◄─────┘ bytes read, or a cancellation

import { MessageChannel, type MessagePort } from "node:worker_threads";
import { ArgumentError } from "../../base/errors.js";
import { errorName } from "../contract/describe-error.js";
import { jsonText } from "../contract/json-text.js";
import type { ResultFault } from "../contract/plugin-entry.js";
import type { StreamFormat } from "../contract/request-source.js";
import { StreamItems } from "../response/stream-items.js";

const CHUNK_CHARACTERS = 16 * 1024;
const MAX_BYTES_AHEAD = 64 * 1024;
/** After this time, a response starts without its first part. */
const FIRST_PART_MS = 50;

/** Messages to the IO thread: a chunk, the end, or a failure. */
export type StreamPart = Uint8Array | "end" | "failed";
/** Messages from it: the number of bytes read, or a cancellation. */
export type StreamReply = number | "cancel";

export interface StreamEvents {
  /** The stream starts; failures before this are reported like those of any plugin. */
  onStart(port: MessagePort): void;
  /** The stream failed before the start. */
  onFailedStart(thrown: unknown): void;
  /** The stream failed after the start: readers detect the missing end. */
  onFailure(thrown: unknown): void;
  /** The client cancelled the stream. */
  onCancel(): void;
  /** The stream has ended in any way; called last. */
  onEnd(): void;
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  const isObject = typeof value === "object" && value !== null;
  return isObject && typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";
}

export class StreamSender {
  readonly #source: AsyncIterable<unknown>;
  #iterator: AsyncIterator<unknown> | null = null;
  readonly #format: StreamFormat;
  readonly #itemFault: ResultFault;
  readonly #encodeItem: (item: unknown) => unknown;
  readonly #events: StreamEvents;
  readonly #port: MessagePort;
  readonly #remotePort: MessagePort;
  #gathered = "";
  #isScheduled = false;
  #ahead = 0;
  #hasStarted = false;
  #isOver = false;
  #resume: (() => void) | null = null;

  /**
   * @param itemFault check of each item
   * @param encodeItem converts a checked item
   */
  constructor(
    source: AsyncIterable<unknown>,
    format: StreamFormat,
    itemFault: ResultFault,
    events: StreamEvents,
    encodeItem: (item: unknown) => unknown = (item) => item,
  ) {
    this.#source = source;
    this.#itemFault = itemFault;
    this.#encodeItem = encodeItem;
    this.#format = format;
    this.#events = events;
    const { port1, port2 } = new MessageChannel();
    [this.#port, this.#remotePort] = [port1, port2];
    port1.on("message", (reply: StreamReply) => this.#replied(reply));
    port1.on("close", () => this.#replied("cancel"));
    // This port must not keep the thread alive; its reader does.
    port1.unref();
  }

  async run(): Promise<void> {
    const starting = setTimeout(() => this.#start(), FIRST_PART_MS);
    try {
      const iterator = this.#source[Symbol.asyncIterator]();
      this.#iterator = iterator;
      for (;;) {
        const { done, value } = await iterator.next();
        if (this.#isOver) return;
        if (done === true) break;
        this.#gather(value);
        this.#start();
        if (this.#gathered.length >= CHUNK_CHARACTERS) this.#flush();
        else this.#schedule();
        while (this.#ahead >= MAX_BYTES_AHEAD && !this.#isOver) await this.#waitUntilWritable();
      }
      this.#start();
      this.#end("end");
    } catch (thrown) {
      if (this.#isOver) return;
      if (!this.#hasStarted) return this.#fail(thrown);
      this.#events.onFailure(thrown);
      if (this.#format === "ndjson") return this.#end("failed");
      this.#gathered += `event: error\ndata: ${errorData(thrown)}\n\n`;
      this.#end("end");
    } finally {
      clearTimeout(starting);
    }
  }

  /** Adds an item. After a serialization error the source must be closed explicitly. */
  #gather(value: unknown): void {
    try {
      const fault = this.#itemFault(value);
      if (fault !== null) throw new ArgumentError("ValueError", fault);
      this.#gathered += partText(this.#encodeItem(value), this.#format);
    } catch (thrown) {
      this.#endSource();
      throw thrown;
    }
  }

  /**
   * Closes the source. A waiting generator ends after its current await; its errors are ignored.
   */
  #endSource(): void {
    try {
      Promise.resolve(this.#iterator?.return?.()).catch(() => {});
    } catch {
      // A hand-written iterator may throw synchronously.
    }
  }

  #start(): void {
    if (this.#hasStarted || this.#isOver) return;
    this.#hasStarted = true;
    this.#events.onStart(this.#remotePort);
  }

  #fail(thrown: unknown): void {
    this.#isOver = true;
    this.#port.close();
    this.#events.onFailedStart(thrown);
    this.#events.onEnd();
  }

  #replied(reply: StreamReply): void {
    if (this.#isOver) return;
    if (reply === "cancel") {
      this.#isOver = true;
      this.#events.onCancel();
      this.#close();
      this.#endSource();
    } else {
      this.#ahead -= reply;
    }
    this.#resume?.();
    this.#resume = null;
  }

  #waitUntilWritable(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Items of one turn are sent together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#gathered === "" || this.#isOver) return;
    const text = this.#gathered;
    this.#gathered = "";
    const bytes = new Uint8Array(Buffer.byteLength(text));
    Buffer.from(bytes.buffer).write(text);
    this.#ahead += bytes.length;
    this.#port.postMessage(bytes satisfies StreamPart, [bytes.buffer]);
  }

  #end(outcome: "end" | "failed"): void {
    this.#flush();
    this.#isOver = true;
    this.#port.postMessage(outcome satisfies StreamPart);
    this.#close();
  }

  #close(): void {
    this.#port.close();
    this.#events.onEnd();
  }
}

function partText(value: unknown, format: StreamFormat): string {
  if (value instanceof StreamItems) return value.format(format);
  const json = jsonText(value);
  return format === "sse" ? `data: ${json}\n\n` : `${json}\n`;
}

/** Returns the error event for clients, without details of the code. */
function errorData(thrown: unknown): string {
  return JSON.stringify(errorName(thrown));
}
