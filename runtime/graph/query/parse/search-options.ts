// Parses `highlight`, and the options that only `search` has besides its text: `fuse` and `rerank`.

import { isPlainRecord } from "../../model/check-argument.js";
import { inMember, invalidArgument } from "../../model/invalid-argument.js";

const MAX_CHARACTERS = 20_000;
const DEFAULT_CHARACTERS = 160;
const MAX_CANDIDATES = 10_000;
const DEFAULT_FUSION: Fusion = { rrf: 60, candidates: 100 };

/** How the orders by text and by vector are joined. */
export interface Fusion {
  /** Added to ranks: the higher, the less the first ranks outweigh the others. */
  readonly rrf: number;
  /** Number of vertices taken from each order. */
  readonly candidates: number;
}

/**
 * Returns the number of characters by key; null if nothing is highlighted.
 * @throws QueryError
 */
export function parseHighlight(
  option: unknown,
  known: readonly string[],
): ReadonlyMap<string, number> | null {
  if (option === undefined || option === null) return null;
  const fits = `{ key: characters up to ${MAX_CHARACTERS} }, or keys: ${known.join(", ")}`;
  const isList = Array.isArray(option);
  if (!isList && !isPlainRecord(option)) {
    throw invalidArgument("invalid highlight parameter", option, fits, ".highlight");
  }
  const entries: [unknown, unknown][] = isList
    ? option.map((key: unknown) => [key, DEFAULT_CHARACTERS])
    : Object.entries(option);
  const parsed = entries.map(([key, characters]): [string, number] => {
    const at = `.highlight${isList ? "" : inMember(String(key))}`;
    if (!known.includes(String(key))) {
      throw invalidArgument(`unknown key: '${String(key)}'`, key, known.join(", "), at);
    }
    return [String(key), integer(characters, 1, MAX_CHARACTERS, "highlight", at)];
  });
  return new Map(parsed);
}

/**
 * Returns how orders are combined; null if they are not.
 * @throws QueryError
 */
export function parseFuse(option: unknown, vector: unknown): Fusion | null {
  if (option === undefined || option === null || option === false) return null;
  const fusion = option === true ? DEFAULT_FUSION : option;
  const fits = "true, { rrf, candidates }";
  if (!isPlainRecord(fusion)) {
    throw invalidArgument("invalid fuse parameter", option, fits, ".fuse");
  }
  if (vector === undefined || vector === null) {
    throw invalidArgument("fuse requires a vector", vector, "`vector` beside `fuse`", ".vector");
  }
  const {
    rrf = DEFAULT_FUSION.rrf,
    candidates = DEFAULT_FUSION.candidates,
    ...others
  } = fusion as Partial<Fusion>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw invalidArgument(`unknown member: '${unknown}'`, option, fits, ".fuse");
  }
  return {
    rrf: integer(rrf, 1, MAX_CANDIDATES, "rrf", ".fuse.rrf"),
    candidates: integer(candidates, 1, MAX_CANDIDATES, "candidates", ".fuse.candidates"),
  };
}

/**
 * Returns how many of the best texts are ranked; null for all.
 * @throws QueryError
 */
export function parseRerank(option: unknown): number | null {
  if (option === undefined || option === null || option === -1) return null;
  return integer(option, 1, MAX_CANDIDATES, "rerank", ".rerank");
}

function integer(value: unknown, low: number, high: number, name: string, at: string): number {
  if (Number.isInteger(value) && Number(value) >= low && Number(value) <= high) {
    return Number(value);
  }
  throw invalidArgument(`invalid ${name}`, value, `an integer of ${low} to ${high}`, at);
}
