// Cursors: opaque texts that continue a result behind its last entry. They contain digests of the
// query and of their contents. They are not secret, and are validated like any argument.

import { createHash } from "node:crypto";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { LastHit } from "../hits/page-position.js";
import { isReference } from "../parse/traverse-rule.js";

/** Contents of a cursor. */
export interface CursorContents {
  readonly last: LastHit;
  /** Number of hits equal to the last one, on this and earlier pages, itself included. */
  readonly equalShown: number;
  /** Id of the anchor; empty in searches of the whole graph. */
  readonly anchor: string;
  /** State of the source, such as statistics of texts; null for none. */
  readonly state: unknown;
  /** Number of groups on earlier pages. */
  readonly shown: number;
}

const VERSION = "c3";
const DIGEST_CHARACTERS = 16;
const MAX_CHARACTERS = 100_000;
const FITS = "true for the first page, or the cursor of the page before";

/** Options that change the presentation of entries, but not their sequence. */
const PRESENTATION = new Set([
  ...["cursor", "hits", "offset", "timeout", "limexec", "memory", "result", "fields", "select"],
  ...["counts", "timing", "explain", "facets", "highlight", "approximate", "statistics"],
]);

/** Returns a digest of the options that determine the sequence of entries. */
export function digestQuery(call: string, graph: string, options: object): string {
  const members = Object.entries(options)
    .filter(([name, value]) => !PRESENTATION.has(name) && value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify([call, graph, members], plainValue));
}

/** Vertices are represented by their ids, vectors by their bytes. */
function plainValue(_: string, value: unknown): unknown {
  if (isReference(value)) return value.id;
  if (typeof value === "bigint") return `${value}n`;
  if (!ArrayBuffer.isView(value)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
}

export function encodeCursor(
  query: string,
  { last, equalShown, anchor, state, shown }: CursorContents,
): string {
  const { key, name, head, tail, level, side, word1, bits } = last;
  const hit = [keyText(key), name, head, tail, level, side, word1, bits];
  const text = JSON.stringify([hit, anchor, state, shown, equalShown]);
  const encoded = Buffer.from(text).toString("base64url");
  return `${VERSION}${digest(`${query} ${text}`)}${encoded}`;
}

/**
 * Returns the contents of a cursor.
 * @throws QueryError if it was altered, or belongs to another query
 */
export function decodeCursor(query: string, cursor: unknown): CursorContents {
  const isText = typeof cursor === "string" && cursor.length <= MAX_CHARACTERS;
  if (isText && cursor.startsWith(VERSION)) {
    const begin = VERSION.length + DIGEST_CHARACTERS;
    const encoded = cursor.slice(begin);
    const bytes = Buffer.from(encoded, "base64url");
    const text = bytes.toString();
    const isWhole = bytes.toString("base64url") === encoded;
    if (isWhole && digest(`${query} ${text}`) === cursor.slice(VERSION.length, begin)) {
      const contents = readContents(text);
      if (contents !== null) return contents;
    }
  }
  throw foreignCursor(cursor);
}

/** Returns the error for a cursor that does not belong to the query. */
export function foreignCursor(cursor: unknown): Error {
  return invalidArgument("invalid cursor: altered, or of another query", cursor, FITS, ".cursor");
}

function readContents(text: string): CursorContents | null {
  try {
    const [hit, anchor, state, shown, equalShown] = JSON.parse(text) as [unknown[], ...unknown[]];
    const [key, name, head, tail, ...numbers] = hit;
    const [level, side, word1, bits] = numbers as [number, number, number, number];
    const texts = [key, name, head, tail, anchor];
    const isValid =
      texts.every((part) => typeof part === "string") && numbers.every(Number.isInteger);
    if (!isValid || numbers.length !== 4 || ![shown, equalShown].every(Number.isInteger))
      return null;
    const names = { name: name as string, head: head as string, tail: tail as string };
    const last = { key: keyNumber(key as string), ...names, level, side, word1, bits };
    const counts = { shown: shown as number, equalShown: equalShown as number };
    return { last, anchor: anchor as string, state, ...counts };
  } catch {
    return null;
  }
}

/** Keys may be infinite, which JSON cannot represent. */
function keyText(key: number): string {
  return Buffer.from(new Float64Array([key]).buffer).toString("base64url");
}

function keyNumber(text: string): number {
  return Buffer.from(text, "base64url").readDoubleLE(0);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, DIGEST_CHARACTERS);
}
