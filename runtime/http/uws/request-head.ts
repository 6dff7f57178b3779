// Reads the head of a request from uWebSockets, which has already parsed it and returns lower-case
// names and trimmed values. The header section is serialized again and validated by the common
// parser, so that each rule exists once.

import { MAX_REQUEST_LINE_BYTES } from "../../base/limits.js";
import { type HeaderFields, readHeaderFields } from "../header-fields.js";
import { readRequestLine } from "../net/request-line.js";
import { HttpRejection, URI_TOO_LONG } from "../rejections.js";
import type { Method } from "../transport.js";
import type { UwsRequest } from "./uws-api.js";

const NOT_ASCII = /[^\0-\x7f]/;
/** Blanks, version and line ends around method, target and fields. */
const LINE_EXTRA_BYTES = 14;
const VISIBLE_ASCII = /^[!-~]+$/;
/** Leaves room for the rest of the request line. */
const MAX_PLAIN_TARGET_LENGTH = MAX_REQUEST_LINE_BYTES - 32;

export class RequestHeadReader {
  // Results of the last `read`: fields instead of an object, which would be allocated per request.
  method: Method = "GET";
  target = "";
  /** Null if the request is rejected and its end is unknown. */
  fields: HeaderFields | null = null;
  /** Bytes of the head on the wire. */
  byteLength = 0;

  #isTooLong = false;
  #block = "";
  /** The last header section: clients repeat theirs from request to request. */
  #lastBlock = "";
  #lastFields: HeaderFields | null = null;
  readonly #collect = (name: string, value: string): void => {
    this.#block += `${name}: ${value}\r\n`;
  };

  /**
   * Reads a head.
   * @returns the rejection to answer with, null if the request is valid
   */
  read(request: UwsRequest): HttpRejection | null {
    this.fields = null;
    const query = request.getQuery();
    const path = request.getUrl();
    const target = query === undefined ? path : `${path}?${query}`;
    const method = request.getCaseSensitiveMethod();
    const refusal = this.#readLine(method, target) ?? this.#readSection(request);
    return refusal ?? (this.#isTooLong ? URI_TOO_LONG : null);
  }

  #readLine(method: string, target: string): HttpRejection | null {
    this.#isTooLong = false;
    const isPlain = target.length <= MAX_PLAIN_TARGET_LENGTH && VISIBLE_ASCII.test(target);
    if (isPlain && (method === "GET" || method === "POST")) {
      // The common case. uWebSockets accepts only targets that are paths.
      this.method = method;
      this.target = target;
      return null;
    }
    const text = `${method} ${asBytes(target)} HTTP/1.1`;
    this.#isTooLong = text.length > MAX_REQUEST_LINE_BYTES;
    const line = readRequestLine(text);
    if (line instanceof HttpRejection) return line;
    this.method = line.method;
    this.target = line.target;
    return null;
  }

  #readSection(request: UwsRequest): HttpRejection | null {
    this.#block = "";
    request.forEach(this.#collect);
    if (this.#lastFields === null || this.#block !== this.#lastBlock) {
      const fields = readHeaderFields(asBytes(this.#block));
      if (fields instanceof HttpRejection) return fields;
      this.#lastBlock = this.#block;
      this.#lastFields = fields;
    }
    this.fields = this.#lastFields;
    const { block } = this.#lastFields;
    this.byteLength = this.method.length + this.target.length + block.length + LINE_EXTRA_BYTES;
    return null;
  }
}

/** Converts the UTF-8 strings of uWebSockets to latin1, one character per byte. */
function asBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text;
}
