// ArcValue: the value of the arc between two vertices.

import { D_BOTH, D_IN, D_OUT, V_ANY } from "../constants.js";
import { QueryError, SearchError } from "../errors.js";
import { MODIFIERS, valueFromBits } from "../modifiers.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Anchor, findAnchor } from "./anchor.js";
import { compileArcFilter } from "./arc-filter.js";
import { ArcStack } from "./arc-stack.js";
import type { ArcTest } from "./arc-test.js";
import { PlainArc } from "./plain-arc.js";
import type { ArcFilter } from "./query-options.js";
import { scannersOf } from "./run-scanner.js";

/** Word of an arc on the stack that holds modifier, and value. */
const KEY = 1;
const VALUE = 2;

const PLAIN = new PlainArc();
/** Word 1 and value of the arc that a plain filter has found. */
const FOUND = new Uint32Array(2);

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
  if (PLAIN.read(store.relationships, arc, D_OUT) && PLAIN.direction !== D_BOTH) {
    return plainValue(store, findAnchor(store, initial), findAnchor(store, terminal), PLAIN);
  }
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
  return arcValueOf(stack.words[KEY]!, stack.words[VALUE]!);
}

function arcValueOf(word1: number, word2: number): number | null {
  const { kind } = MODIFIERS[(word1 >>> 8) & 0x1f]!;
  return kind === "unit" ? null : valueFromBits(kind, word2);
}

function plainValue(store: GraphStore, from: number, to: number, arc: PlainArc): number | null {
  if (arc.direction === D_IN || !findPlain(store, from, to, arc)) {
    if (arc.direction === D_OUT || !findPlain(store, to, from, arc)) {
      throw new SearchError("no arc");
    }
  }
  return arcValueOf(FOUND[0]!, FOUND[1]!);
}

function findPlain(store: GraphStore, from: number, to: number, arc: PlainArc): boolean {
  const { reader, outArcs } = store;
  for (let attempt = 0; ; attempt++) {
    const seen = reader.enter(0, from, attempt);
    const isReadable = outArcs.covers(from);
    const position = isReadable ? outArcs.find(from, to, arc.key, arc.mask) : -1;
    if (position >= 0) {
      FOUND[0] = outArcs.word1At(from, position);
      FOUND[1] = outArcs.valueAt(from, position);
    }
    if (reader.leave(0, from, seen) && isReadable) return position >= 0;
  }
}

function selectArc(store: GraphStore, from: number, to: number, test: ArcTest): boolean {
  return scannersOf(store).outArcs.selectTo(from, to, test, stack) > 0;
}
