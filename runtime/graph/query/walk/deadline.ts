// How long a query may run, and how much it may look at. The clock is looked at once every few
// thousand arcs: short queries pay nothing and succeed even when they are given no time at all.

import { SearchError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { ExecuteOptions } from "../parse/query-options.js";

/** What a query that ran out of time says, by kind. */
const MESSAGES = {
  neighborhood: "Execution timeout",
  global: "Global search execution timeout",
  aggregation: "Timeout during aggregation",
  adjacency: "Timeout during adjacency check",
  evaluation: "Evaluation timeout",
} as const;

export type TimedQuery = keyof typeof MESSAGES;

/** Arcs or vertices between two looks at the clock. */
const STRIDE = 4096;

export class Deadline {
  readonly #query: TimedQuery;
  readonly #limitMs: number;
  readonly #at: number;
  readonly #maxSteps: number;
  #steps = 0;
  #left = STRIDE;
  #waited = 0;

  /**
   * @param limitMs milliseconds from now on; Infinity for no limit
   * @param maxSteps arcs and vertices that may be looked at, about
   */
  constructor(query: TimedQuery, limitMs: number, maxSteps = Number.POSITIVE_INFINITY) {
    this.#query = query;
    this.#limitMs = limitMs;
    this.#maxSteps = maxSteps;
    this.#at = limitMs === Number.POSITIVE_INFINITY ? limitMs : performance.now() + limitMs;
  }

  /**
   * Counts work that was done.
   * @throws SearchError once the time is up, or the steps are
   */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) this.#poll();
  }

  /** Arcs and vertices looked at so far. */
  get spent(): number {
    return this.#steps + STRIDE - this.#left;
  }

  /**
   * Counts work that takes time, but looks at nothing: sorting, rendering.
   * @throws SearchError once the time is up
   */
  wait(units: number): void {
    this.#waited += units;
    if (this.#waited < STRIDE) return;
    this.#waited = 0;
    this.#lookAtClock();
  }

  #poll(): void {
    this.#steps += STRIDE - this.#left;
    this.#left = STRIDE;
    if (this.#steps > this.#maxSteps) {
      const most = `more than ${this.#maxSteps} arcs and vertices were looked at`;
      throw new SearchError(`Query too costly: ${most}; ask for less`);
    }
    this.#lookAtClock();
  }

  #lookAtClock(): void {
    if (this.#at !== Number.POSITIVE_INFINITY && performance.now() > this.#at) {
      throw new SearchError(`${MESSAGES[this.#query]} after ${this.#limitMs} ms`);
    }
  }
}

/** What queries of a thread may cost at most, whatever their options say. */
export interface QueryLimits {
  readonly timeoutMs: number;
  readonly steps: number;
}

let bound: QueryLimits | null = null;

/** Bounds the queries of this thread from now on; null: only their options do. */
export function limitQueries(to: QueryLimits | null): void {
  bound = to;
}

/**
 * The bound that the options of an execution set: none unless `limexec` is true, or all queries
 * of the thread have one.
 * @param isOwn what is spent is asked for later
 * @throws QueryError what is no number of milliseconds, or neither true nor false
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

/** The one of all queries without a limit: of what they spend nothing needs to be kept. */
export const NO_DEADLINE = new Deadline("neighborhood", Number.POSITIVE_INFINITY);
