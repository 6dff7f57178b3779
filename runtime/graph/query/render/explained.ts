// Explanations of calls whose result is not a list of entries. The response is an object with the
// result under the name of the call, and `explain` beside it, as in results with entries.

import { type Deadline, readDeadline, type TimedQuery } from "../match/deadline.js";
import { parseFlag } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import { Stopwatch } from "./result-format.js";
import type { Explanation } from "./typed-results.js";

/** Requests an explanation beside the result. */
export interface Explain {
  readonly explain: true;
}

/** Accepts an incomplete result when a limit is reached. */
export interface Incomplete {
  readonly incomplete: true;
  readonly explain?: boolean;
}

/** A result with its explanation. */
export type Explained<Name extends string, Result> = { readonly [K in Name]: Result } & {
  readonly explain: Explanation;
};

/** A result with the limit that ended its search, if there is one, and the explanation. */
export type Bounded<Name extends string, Result> = { readonly [K in Name]: Result } & {
  readonly bounded?: string;
  readonly explain?: Explanation;
};

/** Options of a call, with or without a request for an explanation. */
export type Explainable<O> = O | (O & Explain);

/** Options of a call whose incomplete result may be accepted. */
export type Boundable<O> = Explainable<O> | Explainable<O & Incomplete>;

/** Result of a call for its options. */
export type ExplainedBy<O, Name extends string, Result> = O extends Incomplete
  ? Bounded<Name, Result>
  : O extends Explain
    ? Explained<Name, Result>
    : Result;

/** Description of the steps of a call, and the number of matches. */
export interface CallSteps {
  readonly plan: string[];
  readonly matched: number;
}

type ExplainOptions = ExecuteOptions & {
  readonly explain?: unknown;
  readonly incomplete?: unknown;
};

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
  readonly isIncompleteKept: boolean;
  readonly #watch: Stopwatch | null;

  /** @throws QueryError invalid limits */
  constructor(timed: TimedQuery, options: O) {
    const isWanted = isExplained(options);
    this.isIncompleteKept = parseFlag("incomplete", options.incomplete, false);
    this.deadline = readDeadline(timed, options, isWanted || this.isIncompleteKept);
    this.#watch = isWanted ? new Stopwatch() : null;
  }

  /** Returns the result, or if requested the result under a name with the explanation. */
  finish<Name extends string, Result>(
    name: Name,
    result: Result,
    describe: (result: Result) => CallSteps,
  ): ExplainedBy<O, Name, Result> {
    const { exceeded: bounded } = this.deadline;
    const named = { [name]: result, ...(bounded !== null && { bounded }) };
    if (this.#watch === null) {
      return (this.isIncompleteKept ? named : result) as ExplainedBy<O, Name, Result>;
    }
    this.#watch.split();
    const { plan, matched } = describe(result);
    const { spent } = this.deadline;
    const explain: Explanation = { plan, looked: spent, matched, time: this.#watch.time };
    return { ...named, explain } as unknown as ExplainedBy<O, Name, Result>;
  }
}

/**
 * Executes a call within its limits; returns its result, or if requested the result under a name
 * with the explanation.
 * @throws errors of the call
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
