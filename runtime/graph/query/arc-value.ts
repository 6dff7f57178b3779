// ArcValue: the value of the arc between two vertices.

import { D_BOTH, D_IN, D_OUT, V_ANY } from "../constants.js";
import { QueryError, SearchError } from "../errors.js";
import { MODIFIERS, valueFromBits } from "../modifiers.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Anchor, findAnchor } from "./anchor.js";
import { compileArcFilter } from "./arc-filter.js";
import { ArcStack } from "./arc-stack.js";
import type { ArcTest } from "./arc-test.js";
import type { ArcFilter } from "./query-options.js";
import { scannersOf } from "./run-scanner.js";

/** Word of an arc on the stack that holds modifier, and value. */
const KEY = 1;
const VALUE = 2;

/** The arcs of one pair; a thread reads one pair at a time. */
const stack = new ArcStack();

/**
 * Value of an arc from `initial` to `terminal`, or the other way with D_IN; null for M_STAT. Of
 * several that match, any (interface, "ArcValue").
 * @throws KeyError no such vertex
 * @throws QueryError a filter without relationship and modifier, or with a value
 * @throws SearchError "no arc"
 */
export function arcValue(
  store: GraphStore,
  initial: Anchor,
  arc: ArcFilter,
  terminal: Anchor,
): number | null {
  const test = compileArcFilter(store, arc, D_OUT);
  const { relationship, modifier, comparison, isNegated } = test.parts;
  const isKey = relationship !== null || modifier !== 0;
  if (!isKey || comparison !== V_ANY || isNegated || test.direction === D_BOTH) {
    throw new QueryError("Unsupported arc condition for this function");
  }
  const from = findAnchor(store, initial);
  const to = findAnchor(store, terminal);
  stack.clear();
  if (test.direction === D_IN || !selectArc(store, from, to, test)) {
    const isOneWay = test.direction === D_OUT;
    if (isOneWay || !selectArc(store, to, from, test)) throw new SearchError("no arc");
  }
  const kind = MODIFIERS[(stack.words[KEY]! >>> 8) & 0x1f]!.kind;
  return kind === "unit" ? null : valueFromBits(kind, stack.words[VALUE]!);
}

function selectArc(store: GraphStore, from: number, to: number, test: ArcTest): boolean {
  return scannersOf(store).outArcs.selectTo(from, to, test, stack) > 0;
}
