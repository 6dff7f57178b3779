// The worked examples of the interface's queries: what is asked, and what it gives. Each list of
// examples is data; worked-examples.test.ts goes through them.

import type { Graph } from "../../../../../runtime/graph/api/graph.js";

export interface Example {
  /** As the interface numbers them. */
  readonly number: number;
  readonly ask: (graph: Graph) => unknown;
  /** What it gives. */
  readonly gives?: unknown;
  /** True if the order of the entries is not defined. */
  readonly isUnordered?: boolean;
  /** Or what it throws. */
  readonly error?: readonly [name: string, message: string];
}

type Ask = Example["ask"];

/** Gives exactly this. */
export function gives(number: number, ask: Ask, result: unknown): Example {
  return { number, ask, gives: result };
}

/** Gives these entries in whatever order. */
export function givesAll(number: number, ask: Ask, entries: readonly unknown[]): Example {
  return { number, ask, gives: entries, isUnordered: true };
}

export function throws(number: number, ask: Ask, name: string, message: string): Example {
  return { number, ask, error: [name, message] };
}

/** Entries that are JSON texts, of which only the content is defined. */
export function parsed(entries: unknown): unknown {
  return (entries as string[]).map((entry) => JSON.parse(entry));
}
