// Explanations of calls whose result is not a list of entries: the result comes under the name of
// the call, and `explain` beside it, as in results with entries.

import { type Deadline, readDeadline, type TimedQuery } from "../match/deadline.js";
import { parseFlag } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import { Stopwatch } from "./result-format.js";
import type { Explanation } from "./typed-results.js";

/** Requests an explanation beside the result. */
export interface Explain {
  readonly explain: true;
}

/** A result under the name of its call, with its explanation. */
export type Explained<Name extends string, Result> = { readonly [K in Name]: Result } & {
  readonly explain: Explanation;
};

/** Options of a call, with or without a request for an explanation. */
export type Explainable<O> = O | (O & Explain);

/** Result of a call for its options. */
export type ExplainedBy<O, Name extends string, Result> = O extends Explain
  ? Explained<Name, Result>
  : Result;

/** The steps of a call in words, and the number of matches. */
export interface CallSteps {
  readonly plan: string[];
  readonly matched: number;
}

type ExplainOptions = ExecuteOptions & { readonly explain?: unknown };

/**
 * Returns whether an explanation is requested.
 * @throws QueryError neither true nor false
 */
export function isExplained({ explain }: ExplainOptions): boolean {
  return parseFlag("explain", explain, false);
}

/** A call in execution, with its limits and, if an explanation is requested, its duration. */
export class ExplainedRun<O extends ExplainOptions> {
  readonly deadline: Deadline;
  readonly #watch: Stopwatch | null;

  /** @throws QueryError invalid limits */
  constructor(timed: TimedQuery, options: O) {
    const isWanted = isExplained(options);
    this.deadline = readDeadline(timed, options, isWanted);
    this.#watch = isWanted ? new Stopwatch() : null;
  }

  /** Returns the result, or if requested the result under a name with the explanation. */
  finish<Name extends string, Result>(
    name: Name,
    result: Result,
    describe: (result: Result) => CallSteps,
  ): ExplainedBy<O, Name, Result> {
    if (this.#watch === null) return result as ExplainedBy<O, Name, Result>;
    this.#watch.split();
    const { plan, matched } = describe(result);
    const { spent } = this.deadline;
    const explain: Explanation = { plan, looked: spent, matched, time: this.#watch.time };
    return { [name]: result, explain } as ExplainedBy<O, Name, Result>;
  }
}

/**
 * Executes a call within its limits; returns its result, or if requested the result under a name
 * with the explanation.
 * @throws what the call throws
 */
export function runExplained<O extends ExplainOptions, Name extends string, Result>(
  name: Name,
  timed: TimedQuery,
  options: O,
  execute: (deadline: Deadline) => Result,
  describe: (result: Result) => CallSteps,
): ExplainedBy<O, Name, Result> {
  const run = new ExplainedRun(timed, options);
  return run.finish(name, execute(run.deadline), describe);
}
