// Named expressions: a text that is no more than the name of a definition stands for its text. Who
// keeps definitions tells this once a thread; where nobody does, there are none.

import type { GraphStore } from "../store/graph-store.js";
import { compileExpression, type Expression } from "./program.js";
import { CONSTANTS, VERTEX_WORDS } from "./vocabulary.js";

const NAME_ONLY = /^\s*([A-Za-z]\w*)\s*$/;

/** Text of a definition of a graph, null if there is none. */
export type FindDefinition = (store: GraphStore, name: string) => string | null;

let find: FindDefinition = () => null;

export function setFindDefinition(next: FindDefinition): void {
  find = next;
}

/**
 * The expression that a text is, or that it names.
 * @throws QueryError with the place of what is wrong
 */
export function findExpression(store: GraphStore, text: string): Expression {
  if (isNameOnly(text)) {
    const found = find(store, text.trim());
    if (found !== null) return { ...compileExpression(found), name: null };
  }
  return compileExpression(text);
}

/** True for a text that can be the name of a definition. */
export function isNameOnly(text: string): boolean {
  const name = NAME_ONLY.exec(text)?.[1];
  if (name === undefined || CONSTANTS.has(name)) return false;
  return !VERTEX_WORDS.some((of) => of === name);
}
