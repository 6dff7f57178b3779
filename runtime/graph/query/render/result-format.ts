// Result formats: how entries are rendered, and which totals accompany them.

import {
  R_COUNTS,
  R_DICT,
  R_LIST,
  R_METAS,
  R_SIMPLE,
  R_STR,
  R_TIMING,
} from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { parseFlag } from "../parse/query-arguments.js";
import type { QueryTiming } from "./typed-results.js";

/** R_SIMPLE, R_STR, R_LIST or R_DICT; two bits, so that every mask has exactly one of them. */
const FORMAT_MASK = R_DICT;

const FORMATS = new Map<unknown, number>([
  ["simple", R_SIMPLE],
  ["str", R_STR],
  ["list", R_LIST],
  ["dict", R_DICT],
]);

export interface ResultFormat {
  /** One of R_SIMPLE, R_STR, R_LIST, R_DICT. */
  readonly format: number;
  readonly hasCounts: boolean;
  readonly hasTiming: boolean;
  readonly hasExplanation: boolean;
}

/**
 * Parses `result`, `counts`, `timing` and `explain`.
 * @throws QueryError unknown result format
 */
export function resultFormat(
  options: {
    readonly result?: unknown;
    readonly counts?: unknown;
    readonly timing?: unknown;
    readonly explain?: unknown;
  },
  fallback: number,
): ResultFormat {
  const mask = resultMask(options.result, fallback);
  return {
    format: mask & FORMAT_MASK,
    hasCounts: parseFlag("counts", options.counts, (mask & R_COUNTS) !== 0),
    hasTiming: parseFlag("timing", options.timing, (mask & R_TIMING) !== 0),
    hasExplanation: parseFlag("explain", options.explain, false),
  };
}

function resultMask(result: unknown, fallback: number): number {
  if (result === undefined || result === null) return fallback;
  const named = FORMATS.get(result);
  if (named !== undefined) return named;
  // The interface's documents also print masks as signed numbers.
  const isMask = Number.isInteger(result) && (result as number) >= -(2 ** 31);
  const mask = isMask ? (result as number) : 0;
  if (!isMask || mask > 0xffff_ffff || (mask & ~(FORMAT_MASK | R_METAS)) !== 0) {
    const fits = "R_STR and its like, or the name of a format";
    throw invalidArgument("invalid result parameter", result, fits, ".result");
  }
  return mask;
}

/** Measures search and rendering time. */
export class Stopwatch {
  readonly #start = performance.now();
  #found = 0;

  /** Marks the end of the search. */
  split(): void {
    this.#found = performance.now();
  }

  /** Seconds. */
  get time(): QueryTiming {
    const now = performance.now();
    return {
      search: (this.#found - this.#start) / 1000,
      result: (now - this.#found) / 1000,
      total: (now - this.#start) / 1000,
    };
  }
}
