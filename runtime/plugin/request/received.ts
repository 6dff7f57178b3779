// The reserved arguments `headers` and `content` in each declared format (plugin-api, "Plugin
// function contracts"), created from the received bytes on demand.

import type { RequestSource } from "../contract/request-source.js";
import { fieldValue } from "../contract/request-text.js";
import { assertShape, type ShapeCheck } from "../contract/shape-check.js";
import { bodyView } from "./body-view.js";
import { decodeJson, decodeUtf8, parseDecodedJson } from "./parse-json.js";
import { missing } from "./query-values.js";

/** Header field with the client's address, which the server adds last. */
const CLIENT_HEADER = "X-Svc-Builtin-Client";
const CLIENT_HEADER_LOWER = CLIENT_HEADER.toLowerCase();

/** The `headers` of a plugin in its declared format; `request.headers` is the same object. */
const headersBySource = new WeakMap<RequestSource, Headers>();

export type Headers = Uint8Array | string | [string, string][] | Record<string, string>;

/** Returns the `headers` that were created last for a request; undefined if there are none. */
export function receivedHeaders(source: RequestSource): Headers | undefined {
  return headersBySource.get(source);
}

/** Returns the received body in a new byte array; empty if there is none. */
export function contentBytes(source: RequestSource): Uint8Array {
  const body = source.body;
  if (body === null) {
    return new Uint8Array(0);
  }
  // Copied with slice(): large bodies are in shared memory that is reused after the request.
  return typeof body === "string" ? latin1Bytes(body) : body.slice();
}

/** @throws ParameterError when the body is not UTF-8 */
export function contentStr(source: RequestSource, check?: ShapeCheck): string {
  const bytes = bodyView(source);
  const text = bytes === null ? "" : decodeUtf8(bytes, "content");
  if (check !== undefined) assertShape(text, "content", check, text);
  return text;
}

/**
 * Returns the decoded JSON; null if there is no body.
 * @throws ParameterError when the body does not pass the check, which gets null for a missing body
 */
export function contentJson(source: RequestSource, check?: ShapeCheck): unknown {
  const bytes = bodyView(source);
  if (bytes === null) {
    if (check !== undefined && check(null) !== null) {
      missing("content");
    }
    return null;
  }
  const text = decodeJson(bytes, "content");
  const value = parseDecodedJson(text, "content");
  if (check !== undefined) {
    assertShape(value, "content", check, text);
  }
  return value;
}

/** Returns the header lines as received. */
export function headersBytes(source: RequestSource): Uint8Array {
  return keepHeaders(source, latin1Bytes(source.headerBlock));
}

/** Returns the header lines as text; invalid UTF-8 becomes U+FFFD. */
export function headersStr(source: RequestSource): string {
  return keepHeaders(source, utf8(source.headerBlock));
}

/**
 * Returns `(field, value)` in the order received, field names in lower case, the client's URI last.
 */
export function headersList(source: RequestSource): [string, string][] {
  return keepHeaders(source, headerFields(source));
}

/** Returns `headersList` as an object without prototype; the last of equal fields wins. */
export function headersDict(source: RequestSource): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of headerFields(source)) {
    fields[name] = value;
  }
  return keepHeaders(source, fields);
}

function keepHeaders<T extends Headers>(source: RequestSource, headers: T): T {
  headersBySource.set(source, headers);
  return headers;
}

function headerFields(source: RequestSource): [string, string][] {
  const fields: [string, string][] = [];
  const block = source.headerBlock;
  for (let at = 0; at < block.length; ) {
    const lineEnd = block.indexOf("\r\n", at);
    const end = lineEnd < 0 ? block.length : lineEnd;
    const colon = block.indexOf(":", at);
    if (colon > at && colon < end) {
      const name = block.slice(at, colon).toLowerCase();
      // A client must not impersonate another one.
      if (name !== CLIENT_HEADER_LOWER) {
        fields.push([name, utf8(fieldValue(block, colon + 1, end))]);
      }
    }
    at = end + 2;
  }
  fields.push([CLIENT_HEADER, source.client]);
  return fields;
}

function latin1Bytes(text: string): Uint8Array {
  // Not Buffer.from, whose pooled memory would expose other requests through `.buffer`.
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, "latin1");
  return bytes;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
