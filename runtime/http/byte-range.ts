// Conditions and ranges of requests for files (RFC 9110, sections 13 and 14).

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** One range; more digits than any file has bytes are none. */
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part that a `Range` field asks for; null when the whole is to be sent, as for several parts
 * and what is malformed; "outside" when the content has nothing of it.
 */
export function parseByteRange(
  field: string | undefined,
  size: number,
): ByteRange | "outside" | null {
  const [, first = "", last = ""] = RANGE.exec(field ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "outside" : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "outside" : { start, length: end - start };
}

/** Whether an `If-None-Match` field names an entity tag, or any. */
export function matchesEtag(field: string | undefined, tag: string): boolean {
  if (field === undefined) return false;
  const names = field.split(",").map((name) => name.trim().replace(/^W\//, ""));
  return names.includes(tag) || field.trim() === "*";
}
