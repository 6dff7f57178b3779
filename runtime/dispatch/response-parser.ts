// Parses the response of a back-end. Back-ends frame every response by Content-Length; anything
// else is rejected, because ambiguous framing would give one request the response of another.

import {
  MAX_REQUEST_LINE_BYTES,
  MAX_RESPONSE_BODY_BYTES,
  MAX_RESPONSE_HEAD_BYTES,
} from "../base/limits.js";
import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import { fieldValue } from "../plugin/contract/request-text.js";

const OK = 200;
const FAILED = 500;
/** Start of the server's error, as JSON and as text; errors of plugins cannot start like this. */
const DURABILITY_ERROR = `{"system":{"exception":"<class 'DurabilityError'>"`;
const DURABILITY_ERROR_TEXT = "ERROR: not durable: ";
export interface BackEndResponse {
  readonly status: number;
  /** Without parameters, in lower case; empty without a body. */
  readonly mediaType: string;
  /** Reported backlog of the back-end; -1: not reported. */
  readonly backlog: number;
  /** The back-end closes the connection afterwards, always without a Content-Length. */
  readonly isLast: boolean;
  /** The back-end reports the plugin as readonly: the request is retryable. */
  readonly isReadonly: boolean;
  /** The back-end accepts trunks. */
  readonly takesTrunk: boolean;
  /** Epoch in which the back-end leads its group; null: it does not. */
  readonly leads: number | null;
  /** Id of the slot map that the back-end used; null: none. */
  readonly slots: string | null;
  /** Explanation of the back-end as received; null: none. */
  readonly explain: string | null;
  /**
   * Lines of the fields that a plugin of the back-end chose, for responses that are relayed;
   * `Content-Type` is one of them unless svc chose it.
   */
  readonly fields: string;
  readonly body: Buffer;
}

/** Invalid bytes received. */
export class MalformedResponse extends Error {}

const EPOCH = /^\d{1,15}$/;
/** Hop-by-hop fields, and fields that every instance writes itself. */
const OWN_FIELDS = new Set([
  ..."connection content-length date keep-alive server trailer transfer-encoding upgrade".split(
    " ",
  ),
  ..."access-control-allow-origin access-control-expose-headers content-type".split(" "),
]);
const OWN_PREFIX = "x-svc-";
const HEAD_END = "\r\n\r\n";
const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^\d{1,10}$/;
const BACKLOG = /^[0-9A-Fa-f]{1,8}$/;
const NOTHING = Buffer.alloc(0);
/** Initial memory of a body; it grows with the bytes received. */
const FIRST_BODY_BYTES = 256 * 1024;
/** Heads repeat, differing only in length and backlog. */
const MAX_CACHED_HEADS = 1024;
const MAX_CACHED_HEAD_BYTES = 512;
const headCache = new Map<string, Head>();

interface Head extends Omit<BackEndResponse, "body"> {
  /** Of the body. */
  readonly length: number;
}

export class ResponseParser {
  #rest: Buffer = NOTHING;
  #head: Head | null = null;
  #body: Buffer = NOTHING;
  #received = 0;

  /** True once any byte of the response has arrived. */
  get isStarted(): boolean {
    return this.#head !== null || this.#rest.length > 0;
  }

  /** True while the body is being received. */
  get hasHead(): boolean {
    return this.#head !== null;
  }

  /**
   * Consumes received bytes; retains copies only.
   * @returns the response when complete, otherwise null
   * @throws MalformedResponse for anything but one response
   */
  feed(chunk: Buffer): BackEndResponse | null {
    if (this.#head !== null) return this.#feedBody(this.#head, chunk, 0);
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.indexOf(HEAD_END, 0, "latin1");
    if (end < 0) {
      if (bytes.length > MAX_RESPONSE_HEAD_BYTES) throw new MalformedResponse("head too long");
      this.#rest = bytes === chunk ? Buffer.from(chunk) : bytes;
      return null;
    }
    if (end > MAX_RESPONSE_HEAD_BYTES) throw new MalformedResponse("head too long");
    this.#rest = NOTHING;
    this.#head = parseHead(bytes.toString("latin1", 0, end));
    return this.#feedBody(this.#head, bytes, end + HEAD_END.length);
  }

  #feedBody(head: Head, chunk: Buffer, at: number): BackEndResponse | null {
    const { length } = head;
    const count = chunk.length - at;
    if (this.#received + count > length)
      throw new MalformedResponse("response exceeds its Content-Length");
    if (count === length) return this.#finish(head, Buffer.from(chunk.subarray(at)));
    this.#makeRoom(this.#received + count, length);
    this.#body.set(at === 0 ? chunk : chunk.subarray(at), this.#received);
    this.#received += count;
    if (this.#received < length) return null;
    return this.#finish(head, this.#body.subarray(0, length));
  }

  #makeRoom(bytes: number, length: number): void {
    if (bytes <= this.#body.length) return;
    const room = Math.max(bytes, 2 * this.#body.length, FIRST_BODY_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(length, room));
    grown.set(this.#body.subarray(0, this.#received));
    this.#body = grown;
  }

  #finish(head: Head, body: Buffer): BackEndResponse {
    this.#head = null;
    this.#body = NOTHING;
    this.#received = 0;
    // Not spread: that takes fifty times as long, for each response of a partition.
    return {
      status: head.status,
      mediaType: head.mediaType,
      backlog: head.backlog,
      isLast: head.isLast,
      isReadonly: head.isReadonly,
      takesTrunk: head.takesTrunk,
      leads: head.leads,
      slots: head.slots,
      explain: head.explain,
      fields: head.fields,
      body,
    };
  }
}

/** @throws MalformedResponse */
function parseHead(text: string): Head {
  let head = headCache.get(text);
  if (head === undefined) {
    head = parseHeadLines(text);
    if (headCache.size >= MAX_CACHED_HEADS) headCache.clear();
    if (text.length <= MAX_CACHED_HEAD_BYTES) headCache.set(text, head);
  }
  return head;
}

/** @throws MalformedResponse */
function parseHeadLines(text: string): Head {
  const lines = text.split("\r\n");
  const line = lines[0]!;
  if (line.length > MAX_REQUEST_LINE_BYTES) throw new MalformedResponse("response line too long");
  const status = STATUS_LINE.exec(line);
  if (status === null) throw new MalformedResponse("invalid response line");
  let length = -1;
  let mediaType = "";
  let backlog = -1;
  let isClosing = false;
  let isReadonly = false;
  let takesTrunk = false;
  let leads: number | null = null;
  let slots: string | null = null;
  let explain: string | null = null;
  let ownLines = "";
  for (let number = 1; number < lines.length; number++) {
    const field = FIELD.exec(lines[number]!);
    if (field === null) throw new MalformedResponse("invalid header");
    const name = field[1]!.toLowerCase();
    const value = fieldValue(field[2]!, 0, field[2]!.length);
    if (name === "content-length") {
      if (length >= 0 || !LENGTH.test(value)) throw new MalformedResponse("invalid length");
      length = Number(value);
    } else if (name === "content-type") {
      mediaType = value.split(";", 1)[0]!.trim().toLowerCase();
      if (value !== `${mediaType}; charset=UTF-8`) ownLines += `Content-Type: ${value}\r\n`;
    } else if (name === "x-svc-backlog" && BACKLOG.test(value)) {
      backlog = Number.parseInt(value, 16);
    } else if (name === "x-svc-readonly") {
      isReadonly = value === "1";
    } else if (name === "x-svc-trunk") {
      takesTrunk = value === "1";
    } else if (name === "x-svc-leader" && EPOCH.test(value)) {
      leads = Number(value);
    } else if (name === "x-svc-slots") {
      slots = value;
    } else if (name === "x-svc-explain") {
      explain = value;
    } else if (name === "connection") {
      isClosing ||= value.toLowerCase() === "close";
    } else if (name === "transfer-encoding") {
      throw new MalformedResponse("invalid length");
    } else if (!OWN_FIELDS.has(name) && !name.startsWith(OWN_PREFIX)) {
      ownLines += `${field[1]}: ${value}\r\n`;
    }
  }
  if (length > MAX_RESPONSE_BODY_BYTES) throw new MalformedResponse("answer too large");
  const isLast = isClosing || length < 0;
  length = Math.max(0, length);
  const fields = {
    mediaType,
    backlog,
    isLast,
    isReadonly,
    takesTrunk,
    leads,
    slots,
    explain,
    fields: ownLines,
    length,
  };
  return { status: Number(status[1]), ...fields };
}

/** Returns whether a response can be merged. */
export function isPartial({ status, mediaType }: BackEndResponse): boolean {
  return status === OK && mediaType === MEDIA_TYPES.partial;
}

/** Returns whether the changes of a request may be lost or durable: its leader cannot know. */
export function isOutcomeUnknown({ status, body }: BackEndResponse): boolean {
  if (status !== FAILED) return false;
  const start = body.toString("latin1", 0, DURABILITY_ERROR_TEXT.length);
  return start === DURABILITY_ERROR_TEXT || body.includes(DURABILITY_ERROR);
}
