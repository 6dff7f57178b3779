// Detects whether a graph changed while many of its vertices were read.

import type { Arena } from "./arena.js";
import { Header } from "./layout.js";

/**
 * Returns the number of mutations and of rollbacks while no mutation is under way; -1 if one is.
 * Reads between two equal numbers see one state of the graph.
 */
export function readSettledCount({ ints, words }: Arena): number {
  if (isHeld(ints)) return -1;
  const count = countMutations(words);
  return isHeld(ints) || countMutations(words) !== count ? -1 : count;
}

function isHeld(ints: Int32Array): boolean {
  return (Atomics.load(ints, Header.Mutex) | Atomics.load(ints, Header.Unfinished)) !== 0;
}

function countMutations(words: Uint32Array): number {
  const high = words[Header.OperationCountHigh]! * 2 ** 32;
  return high + words[Header.OperationCount]! + words[Header.Rollbacks]!;
}
