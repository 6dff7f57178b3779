// The worked examples of the interface's queries: calls and results. Each list of examples is data;
// worked-examples.test.ts runs them.

import type { Graph } from "../../../../../runtime/graph/api/graph.js";

export interface Example {
  /** Number in the interface. */
  readonly number: number;
  readonly ask: (graph: Graph) => unknown;
  /** Its result. */
  readonly gives?: unknown;
  /** True if the order of the entries is undefined. */
  readonly isUnordered?: boolean;
  /** The error instead of a result. */
  readonly error?: readonly [name: string, message: string];
}

type Ask = Example["ask"];

/** Expects exactly this result. */
export function gives(number: number, query: Ask, result: unknown): Example {
  return { number, ask: query, gives: result };
}

/** Expects these entries in any order. */
export function givesAll(number: number, query: Ask, entries: readonly unknown[]): Example {
  return { number, ask: query, gives: entries, isUnordered: true };
}

export function throws(number: number, query: Ask, name: string, message: string): Example {
  return { number, ask: query, error: [name, message] };
}

/** Entries that are JSON texts, of which only the content is defined. */
export function parsed(entries: unknown): unknown {
  return (entries as string[]).map((entry) => JSON.parse(entry));
}
