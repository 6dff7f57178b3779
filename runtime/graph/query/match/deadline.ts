// Time and work limits of a query. The clock is read once every few thousand arcs, so short queries
// pay nothing and succeed even with a time limit of 0.

import { SearchError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import { checkTimeSlice } from "./time-slice.js";

/** Timeout messages by kind of query. */
const MESSAGES = {
  neighborhood: "Execution timeout",
  global: "Global search execution timeout",
  aggregation: "Timeout during aggregation",
  adjacency: "Timeout during adjacency check",
  evaluation: "Evaluation timeout",
} as const;

export type TimedQuery = keyof typeof MESSAGES;

/** Arcs or vertices between two readings of the clock. */
const STRIDE = 4096;

export class Deadline {
  readonly #query: TimedQuery;
  readonly #limitMs: number;
  readonly #at: number;
  readonly #maxSteps: number;
  #steps = 0;
  #left = STRIDE;
  #waited = 0;
  #isSearched = false;
  #exceeded: string | null = null;

  /**
   * @param limitMs milliseconds from now; Infinity for no limit
   * @param maxSteps approximate maximum of visited arcs and vertices
   */
  constructor(query: TimedQuery, limitMs: number, maxSteps = Number.POSITIVE_INFINITY) {
    this.#query = query;
    this.#limitMs = limitMs;
    this.#maxSteps = maxSteps;
    this.#at = limitMs === Number.POSITIVE_INFINITY ? limitMs : performance.now() + limitMs;
  }

  /**
   * Counts visited arcs and vertices.
   * @throws SearchError time or work limit exceeded, or time slice over
   */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#poll();
  }

  /**
   * Runs a search that may end at a limit without an error. Its hits are kept, and processing them
   * has no limit.
   */
  runSearch(search: () => void): void {
    try {
      search();
    } catch (error) {
      if (this.#exceeded === null) throw error;
    }
    this.#isSearched = true;
  }

  /** The limit that ended the search; null if it is complete. */
  get exceeded(): string | null {
    return this.#exceeded;
  }

  /** @throws SearchError always: a limit of the search is exceeded */
  exceed(limit: string): never {
    // `NO_DEADLINE` is shared by all queries.
    if (this !== NO_DEADLINE) this.#exceeded = limit;
    throw new SearchError(limit);
  }

  /** Arcs and vertices visited so far. */
  get spent(): number {
    return this.#steps + STRIDE - this.#left;
  }

  /**
   * Counts work other than visits, such as sorting and rendering.
   * @throws SearchError time limit exceeded, or time slice over
   */
  spendTime(units: number): void {
    this.#waited += units;
    if (this.#waited < STRIDE) return;
    this.#waited = 0;
    this.#checkClock();
  }

  #poll(): void {
    this.#steps += STRIDE - this.#left;
    this.#left = STRIDE;
    if (this.#steps > this.#maxSteps && !this.#isSearched) {
      const reason = `visited more than ${this.#maxSteps} arcs and vertices`;
      this.exceed(`Query too costly: ${reason}; narrow the query`);
    }
    this.#checkClock();
  }

  #checkClock(): void {
    if (this.#at === Number.POSITIVE_INFINITY) return;
    const now = performance.now();
    if (now > this.#at && !this.#isSearched) {
      this.exceed(`${MESSAGES[this.#query]} after ${this.#limitMs} ms`);
    }
    checkTimeSlice(now);
  }
}

/** Limits of all queries of a thread, whatever their options. */
export interface QueryLimits {
  readonly timeoutMs: number;
  readonly steps: number;
}

let bound: QueryLimits | null = null;

/** Limits the queries of this thread from now on; null removes the limits. */
export function limitQueries(to: QueryLimits | null): void {
  bound = to;
}

/**
 * Returns the deadline of an execution: none unless `limexec` is true, or the thread has limits.
 * @param isOwn true if the work counted is read later
 * @throws QueryError invalid `timeout` or `limexec`
 */
export function readDeadline(query: TimedQuery, options: ExecuteOptions, isOwn = false): Deadline {
  const timeout = options.timeout ?? 0;
  const limexec = options.limexec ?? false;
  if (typeof timeout !== "number" || Number.isNaN(timeout)) {
    throw invalidArgument("invalid timeout parameter", timeout, "milliseconds", ".timeout");
  }
  if (typeof limexec !== "boolean") {
    throw invalidArgument("invalid limexec parameter", limexec, "true, false", ".limexec");
  }
  const limitMs = limexec && timeout >= 0 ? timeout : Number.POSITIVE_INFINITY;
  if (bound !== null) return new Deadline(query, Math.min(limitMs, bound.timeoutMs), bound.steps);
  return limitMs === Number.POSITIVE_INFINITY && !isOwn
    ? NO_DEADLINE
    : new Deadline(query, limitMs);
}

/** Shared by all queries without a limit, whose work need not be counted. */
export const NO_DEADLINE = new Deadline("neighborhood", Number.POSITIVE_INFINITY);
