// Reads the head of a request from uWebSockets, which has parsed it already and gives names in
// lower case and values trimmed. The header section is put together again as a client could have
// sent it and judged by the same code as everywhere, so that a rule is written down once.

import { type HeaderFields, readHeaderFields } from "../header-fields.js";
import { readRequestLine } from "../net/request-line.js";
import { Refusal } from "../refusal.js";
import type { Method } from "../transport.js";
import type { UwsRequest } from "./uws-api.js";

const NOT_ASCII = /[^\0-\x7f]/;

export class RequestHeadReader {
  // Results of the last `read`; fields rather than an object, which would cost one per request.
  method: Method = "GET";
  target = "";
  fields: HeaderFields | null = null;
  /** Bytes of the head as a client would have sent it. */
  byteLength = 0;

  #block = "";
  /** The header section read last; clients repeat theirs from request to request. */
  #lastFields: HeaderFields | null = null;
  readonly #collect = (name: string, value: string): void => {
    this.#block += `${name}: ${value}\r\n`;
  };

  /** @returns the refusal to answer with, null when the request is fine */
  read(request: UwsRequest): Refusal | null {
    this.fields = null;
    const query = request.getQuery();
    const path = request.getUrl();
    const target = asBytes(query === undefined ? path : `${path}?${query}`);
    const line = readRequestLine(`${request.getCaseSensitiveMethod()} ${target} HTTP/1.1`);
    if (line instanceof Refusal) return line;
    this.method = line.method;
    this.target = line.target;
    return this.#readFields(request);
  }

  #readFields(request: UwsRequest): Refusal | null {
    this.#block = "";
    request.forEach(this.#collect);
    const block = asBytes(this.#block);
    this.byteLength = this.method.length + this.target.length + block.length + 14;
    if (this.#lastFields?.block === block) {
      this.fields = this.#lastFields;
      return null;
    }
    const fields = readHeaderFields(block);
    if (fields instanceof Refusal) return fields;
    this.#lastFields = fields;
    this.fields = fields;
    return null;
  }
}

/** uWebSockets decodes text as UTF-8; the rest of the server wants one character a byte. */
function asBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text;
}
