// Conditional and range requests for files (RFC 9110, sections 13 and 14).

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** A single range; 15 digits suffice for any file size. */
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Parses a `Range` field. Returns null if the whole content is to be sent (also for multiple
 * ranges and malformed values), "outside" when the range is unsatisfiable.
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

/** Returns whether an `If-None-Match` field lists an entity tag, or is `*`. */
export function matchesEtag(field: string | undefined, tag: string): boolean {
  if (field === undefined) return false;
  const names = field.split(",").map((name) => name.trim().replace(/^W\//, ""));
  return names.includes(tag) || field.trim() === "*";
}
