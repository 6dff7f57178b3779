// A response other than JSON: bytes of any media type, with header fields chosen by the plugin. The
// executor sends it as bytes that the IO thread only splits:
//
//   u16 length of the fields │ fields, each with CR LF │ body

import { brandClass } from "../../base/brand.js";
import { ArgumentError } from "../../base/errors.js";
import type { OwnedBytes } from "../../base/owned-arrays.js";
import { headerLines } from "./header-lines.js";

const MEDIA_TYPE = /^[!#$&^_.+\-0-9A-Za-z]+\/[!#$&^_.+\-0-9A-Za-z]+(?: *;[\t\x20-\x7e]*)?$/;
const LENGTH_BYTES = 2;
/** Clients would read the body as the start of the next response. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

export interface HttpResponseOptions<M extends string = string> {
  /** 200 to 599. */
  readonly status?: number;
  /** Media type of the body; text is UTF-8. */
  readonly type?: M;
  /** Further header fields; a list is sent as one field per value, as for `Set-Cookie`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Returned by a plugin instead of a value: the client gets exactly this response, without an
 * envelope. Below a dispatcher, a plugin must return a PluginResponse.
 *
 * As a result type, `HttpResponse<"image/png">` makes the media type part of the contract.
 *
 * @example return new HttpResponse(png, { type: "image/png", headers: { ETag: '"1"' } });
 */
export class HttpResponse<M extends string = string> {
  readonly status: number;
  readonly type: M;
  readonly body: string | Uint8Array;
  readonly #fields: string;

  /** @throws ArgumentError for a status, media type or header field that cannot be sent */
  constructor(body: string | Uint8Array = "", options: HttpResponseOptions<M> = {}) {
    const isText = typeof body === "string";
    if (!isText && !(body instanceof Uint8Array)) {
      throw new ArgumentError("TypeError", "body of an HttpResponse: str or bytes");
    }
    const { status = 200, headers = {} } = options;
    const defaultType = isText ? "text/plain; charset=UTF-8" : "application/octet-stream";
    const type: string = options.type ?? defaultType;
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new ArgumentError("ValueError", `status of an HttpResponse: 200 to 599, not ${status}`);
    }
    if (WITHOUT_BODY.includes(status) && body.length > 0) {
      throw new ArgumentError("ValueError", `an HttpResponse of status ${status} has no body`);
    }
    if (typeof type !== "string" || !MEDIA_TYPE.test(type)) {
      throw new ArgumentError("ValueError", `media type of an HttpResponse: ${String(type)}`);
    }
    this.status = status;
    this.type = type as M;
    this.body = body;
    const typeLine = body.length === 0 ? "" : `Content-Type: ${type}\r\n`;
    this.#fields = headerLines(headers) + typeLine;
  }

  /** Returns the bytes for the IO thread. */
  serialize(): OwnedBytes {
    const body = typeof this.body === "string" ? Buffer.from(this.body, "utf8") : this.body;
    const start = LENGTH_BYTES + this.#fields.length;
    const bytes = new Uint8Array(start + body.length);
    const view = Buffer.from(bytes.buffer);
    view.writeUInt16LE(this.#fields.length, 0);
    view.write(this.#fields, LENGTH_BYTES, "latin1");
    bytes.set(body, start);
    return bytes;
  }
}

export const isHttpResponse = brandClass(HttpResponse, "HttpResponse");

/** Splits the output of `HttpResponse.serialize`. */
export function splitHttpResponse(bytes: Uint8Array): { fields: string; body: Uint8Array } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = LENGTH_BYTES + view.readUInt16LE(0);
  return { fields: view.toString("latin1", LENGTH_BYTES, start), body: bytes.subarray(start) };
}
