// Validates the arguments of `new PluginRequest(...)` and converts them to the same kind of source
// that a received request has.

import { ArgumentError, RequestError } from "../../base/errors.js";
import { jsonText } from "../contract/json-text.js";
import type { RequestSource } from "../contract/request-source.js";
import { percentEncode, queryText } from "../contract/request-text.js";
import { toLatin1 } from "../contract/wire-text.js";

const MAX_FIELD_VALUE_BYTES = 1023;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CONTROL_CHARACTER = /[^\t\x20-\x7e\x80-\u{10ffff}]/u;

/** Payload of a request and the media type that it implies. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Returns the source of a request that a plugin makes. */
export function constructedSource(
  plugin: unknown,
  params: unknown,
  headers: unknown,
  content: Content | null,
): RequestSource {
  if (typeof plugin !== "string" || plugin === "") {
    throw new RequestError("plugin name (str) is required");
  }
  const query = queryText(checkedDict(params, "params"));
  const path = `/svc/plugin/${percentEncode(plugin)}`;
  return {
    method: content === null ? "GET" : "POST",
    target: query === "" ? path : `${path}?${query}`,
    query,
    headerBlock: headerLines(checkedDict(headers, "headers")),
    body: null,
    client: "",
    executor: 0,
    serial: 0,
    t0Ms: Date.now(),
    basePort: 0,
    portOffset: 0,
    accept: "json",
    ident: null,
    hasMatrix: false,
  };
}

/** Returns bytes unchanged, strings as UTF-8 and all other values as JSON. */
export function buildContent(value: unknown): Content | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return { bytes: value, type: "application/octet-stream" };
  if (typeof value === "string") return { bytes: utf8(value), type: "text/plain" };
  return { bytes: utf8(jsonText(value)), type: "application/json" };
}

/** Validates a dict argument; an absent one counts as empty. */
function checkedDict(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value) || value instanceof Uint8Array) {
    throw new ArgumentError("TypeError", `${name} must be dict`);
  }
  return value as Record<string, unknown>;
}

function headerLines(headers: Readonly<Record<string, unknown>>): string {
  let block = "";
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") throw new RequestError("header field value must be string");
    if (Buffer.byteLength(value) > MAX_FIELD_VALUE_BYTES) {
      throw new RequestError("header field too large");
    }
    if (!FIELD_NAME.test(name) || CONTROL_CHARACTER.test(value)) {
      throw new RequestError(`invalid header field: ${JSON.stringify(name)}`);
    }
    block += `${name}: ${toLatin1(value)}\r\n`;
  }
  return block;
}

function utf8(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "utf8"));
}
