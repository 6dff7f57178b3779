// Requests travel to an executor, and results back, as one flat array a loop turn: a fixed number
// of elements per request, because structured clone pays for every object and property name.

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
  /** What a post-processor gets, null for every other request. */
  Merged,
  Stride,
}

export const FLAG_POST = 1;
export const FLAG_ACCEPT_TEXT = 2;
export const FLAG_ACCEPT_PARTIAL = 4;
export const FLAG_ADMIN_PORT = 8;
/** No request: the one of this slot and serial was answered with a time-out. */
export const FLAG_TIMED_OUT = 16;
/** There are back-ends that the request may be dispatched to. */
export const FLAG_HAS_MATRIX = 32;
/** It comes from a trusted client. */
export const FLAG_TRUSTED = 64;
/** No request: the client of the one of this slot and serial is gone. */
export const FLAG_CLIENT_DISCONNECTED = 128;

/** Executor to IO thread. */
export enum ResultField {
  Slot,
  Serial,
  Status,
  Kind,
  Payload,
  /** Flush of the log after which it may be told, 0: at once. */
  Flush,
  Stride,
}

/** What `Payload` is; all texts are latin1 (one character a byte). */
export const RESULT_VALUE = 0; // JSON text of the envelope's `response`
export const RESULT_ERROR = 1; // JSON text of the envelope's `message`
export const RESULT_TEXT = 2; // whole text/plain body
export const RESULT_PARTIAL = 3; // bytes of a serialised PluginResponse
export const RESULT_READONLY_PARTIAL = 6; // the same, of a plugin that is safe to repeat
export const RESULT_HTTP = 7; // bytes of an HttpResponse
export const RESULT_STREAM = 8; // port through which the content comes, and its media type
export const RESULT_FORWARD = 5; // bytes of what a dispatcher is to forward
/** No result: the request was revoked before the executor began it. */
export const RESULT_REVOKED = 4;
