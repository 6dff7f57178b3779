// Header fields that a plugin chooses for its response.

import { ArgumentError } from "../../base/errors.js";

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Fields that only the server may set. */
const OWN_FIELDS = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "server",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const MAX_FIELD_BYTES = 8192;

/** Values by name; a list is sent as several fields. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * Returns header lines, each with CR LF.
 * @throws ArgumentError for a header field that cannot be sent
 */
export function headerLines(headers: Headers): string {
  let lines = "";
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name) || OWN_FIELDS.has(name.toLowerCase())) {
      throw new ArgumentError("ValueError", `header field of an HttpResponse: ${name}`);
    }
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of values) lines += `${name}: ${checkedValue(name, item)}\r\n`;
  }
  if (lines.length <= MAX_FIELD_BYTES) return lines;
  throw new ArgumentError("ValueError", `header fields of more than ${MAX_FIELD_BYTES} bytes`);
}

function checkedValue(name: string, value: unknown): string {
  if (typeof value === "string" && VALUE.test(value)) return value;
  throw new ArgumentError("ValueError", `value of header field ${name}: visible characters`);
}
