// Batch format between threads: requests and results cross as one flat array per event loop turn, a
// fixed number of elements each, because structured clone pays for every object and property name.

import type { MessagePort, Transferable } from "node:worker_threads";

/** Collects the rows of messages, in one array for all of them: others would be garbage. */
export class Batch {
  readonly #elements: unknown[] = [];
  /** Elements in use. */
  length = 0;

  add(element: unknown): void {
    this.#elements[this.length++] = element;
  }

  /** Replaces the first element. */
  setFirst(element: unknown): void {
    this.#elements[0] = element;
  }

  /** Posts the elements, which are copied at once, and starts the next message. */
  post(port: Pick<MessagePort, "postMessage">, transfers: readonly Transferable[] = []): void {
    const elements = this.#elements;
    if (elements.length > this.length) elements.length = this.length;
    try {
      port.postMessage(elements, transfers);
    } finally {
      // Bodies and results must not live on here.
      elements.fill(null);
      this.length = 0;
    }
  }
}

/** IO thread to executor. */
export enum RequestField {
  /** Global slot: 0-31 main port, 32-39 admin port. */
  Slot,
  Serial,
  Plugin,
  Flags,
  T0Ms,
  Ident,
  Client,
  Target,
  HeaderBlock,
  Body,
  /** Merged response for a post-processor, otherwise null. */
  Merged,
  /** JSON text of the authenticated principal, otherwise null. */
  Principal,
  Stride,
}

export const FLAG_POST = 1;
export const FLAG_ACCEPT_TEXT = 2;
export const FLAG_ACCEPT_PARTIAL = 4;
export const FLAG_ADMIN_PORT = 8;
/** Not a request: the one with this slot and serial has timed out. */
export const FLAG_TIMED_OUT = 16;
/** The request may be dispatched to back-ends. */
export const FLAG_HAS_MATRIX = 32;
/** The client is trusted. */
export const FLAG_TRUSTED = 64;
/** Not a request: the client of the one with this slot and serial has disconnected. */
export const FLAG_CLIENT_DISCONNECTED = 128;
/** The server itself calls an example before it is Service-IN. */
export const FLAG_WARM_UP = 256;

/** The request may change graphs, and has a key. */
export const FLAG_KEYED = 512;

/** Executor to IO thread. */
export enum ResultField {
  Slot,
  Serial,
  Status,
  Kind,
  Payload,
  /** Flush of the transaction log to await before responding; 0: none. */
  Flush,
  Stride,
}

/** Content of `Payload`; all texts are latin1 (one character per byte). */
export const RESULT_VALUE = 0; // JSON text of the envelope's `response`
export const RESULT_ERROR = 1; // JSON text of the envelope's `message`
export const RESULT_TEXT = 2; // whole text/plain body
export const RESULT_PARTIAL = 3; // bytes of a serialized PluginResponse
export const RESULT_READONLY_PARTIAL = 6; // the same, of a plugin that is safe to repeat
export const RESULT_HTTP = 7; // bytes of an HttpResponse
export const RESULT_STREAM = 8; // port through which the content comes, and its media type
export const RESULT_FORWARD = 5; // bytes of what a dispatcher is to forward
/** Not a result: the request was revoked before the executor claimed it. */
export const RESULT_REVOKED = 4;
/** Header lines of a plugin's error, an empty line, and the JSON text or text of its message. */
export const RESULT_ERROR_FIELDS = 10;
/** Not a result: the time slice of the query is over, and another executor is to run it. */
export const RESULT_SLICE_OVER = 9;
