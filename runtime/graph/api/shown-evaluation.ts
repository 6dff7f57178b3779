// Evaluates an expression to text with a time limit, for untrusted expressions.

import { evaluateText } from "../evaluate/evaluate.js";
import { type Memory, memoryOption } from "../evaluate/memory.js";
import { displayResult } from "../evaluate/result-values.js";
import type { ArcSpec } from "../model/parsed-arc.js";
import { findAnchor } from "../query/match/anchor.js";
import { readDeadline } from "../query/match/deadline.js";
import type { Graph } from "./graph.js";
import { getAccess } from "./graph-handle.js";

/** Inputs of an expression; a vertex without an id counts as missing. */
export interface DisplayTarget {
  readonly tail: string;
  readonly head: string;
  readonly arc: ArcSpec | null;
  readonly memory: Memory;
}

/** @throws QueryError a malformed expression, with the position; SearchError timeout; KeyError */
export function displayEvaluation(
  graph: Graph,
  text: string,
  { tail, head, arc, memory }: DisplayTarget,
  timeoutMs: number,
): string {
  const { store } = getAccess(graph);
  const deadline = readDeadline("evaluation", { timeout: timeoutMs, limexec: true });
  const value = evaluateText(store, text, {
    tail: tail === "" ? 0 : findAnchor(store, tail),
    head: head === "" ? 0 : findAnchor(store, head),
    arc,
    vector: [],
    memory: memoryOption(store, memory),
    spend: (steps) => deadline.spend(steps),
  });
  return displayResult(store, value);
}
