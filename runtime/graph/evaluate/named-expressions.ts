// Named expressions: a text that consists only of the name of a definition is replaced by the
// definition. `api/definitions.ts` registers itself once per thread; before that there are none.

import type { GraphStore } from "../store/graph-store.js";
import { compileExpression, type Expression } from "./program.js";
import { CONSTANTS, VERTEX_WORDS } from "./vocabulary.js";

const NAME_ONLY = /^\s*([A-Za-z]\w*)\s*$/;

/** Returns the text of a graph's definition; null if there is none. */
export type FindDefinition = (store: GraphStore, name: string) => string | null;

let find: FindDefinition = () => null;

export function setFindDefinition(next: FindDefinition): void {
  find = next;
}

/**
 * Returns the expression that a text is or names.
 * @throws QueryError a malformed expression, with the position
 */
export function findExpression(store: GraphStore, text: string): Expression {
  if (isNameOnly(text)) {
    const found = find(store, text.trim());
    if (found !== null) return { ...compileExpression(found), name: null };
  }
  return compileExpression(text);
}

/** Returns whether a text can be the name of a definition. */
export function isNameOnly(text: string): boolean {
  const name = NAME_ONLY.exec(text)?.[1];
  if (name === undefined || CONSTANTS.has(name)) return false;
  return !VERTEX_WORDS.some((of) => of === name);
}
