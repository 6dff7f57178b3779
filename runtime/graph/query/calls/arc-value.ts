// ArcValue: the value of the arc between two vertices.

import { D_BOTH, D_IN, D_OUT, V_ANY } from "../../model/constants.js";
import { SearchError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { MODIFIERS, valueFromBits } from "../../model/modifiers.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { type ArcTest, ArcTestKind } from "../match/arc-test.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import type { ArcFilter } from "../parse/query-options.js";
import { SimpleArcFilter } from "../parse/simple-arc-filter.js";

const PLAIN = new SimpleArcFilter();
/** Words 1 and 2 of the last arc found. */
const FOUND = new Uint32Array(2);

/**
 * Returns the value of an arc from `initial` to `terminal`, or the other way with D_IN; null for
 * M_STAT. Any of several matching arcs may be used (queries, "degree and arcValue").
 * @throws KeyError no such vertex
 * @throws QueryError if the filter lacks relationship or modifier, or compares values
 * @throws SearchError "no arc"
 */
export function arcValue(
  store: GraphStore,
  initial: Anchor,
  arc: ArcFilter,
  terminal: Anchor,
): number | null {
  const isPlain = PLAIN.read(store.relationships, arc, D_OUT) && PLAIN.direction !== D_BOTH;
  const test = isPlain ? null : keyFilter(store, arc);
  const direction = test === null ? PLAIN.direction : test.direction;
  const key = test === null ? PLAIN.key : test.want;
  const mask = test === null ? PLAIN.mask : test.mask;
  const from = findAnchor(store, initial);
  const to = findAnchor(store, terminal);
  const isNever = test !== null && test.kind === ArcTestKind.Nothing;
  const isForward = !isNever && direction !== D_IN && findArc(store, from, to, key, mask);
  const isFound =
    isForward || (!isNever && direction !== D_OUT && findArc(store, to, from, key, mask));
  if (!isFound) throw new SearchError("no arc");
  const { kind } = MODIFIERS[(FOUND[0]! >>> 8) & 0x1f]!;
  return kind === "unit" ? null : valueFromBits(kind, FOUND[1]!);
}

/** Compiles a filter that tests only bits of word 1. */
function keyFilter(store: GraphStore, arc: ArcFilter): ArcTest {
  const test = compileArcFilter(store, arc, D_OUT, "arc");
  const { relationship, modifier, comparison, isNegated } = test.parts;
  const isKey = relationship !== null || modifier !== 0;
  if (!isKey || comparison !== V_ANY || isNegated || test.direction === D_BOTH) {
    const fits = "a relationship, a modifier or both, and D_OUT, D_IN or D_ANY";
    throw invalidArgument("Unsupported arc condition for this function", arc, fits, "arc");
  }
  return test;
}

/** Returns whether an arc matches a key under a mask of word 1. */
export function findArc(
  store: GraphStore,
  from: number,
  to: number,
  key: number,
  mask: number,
): boolean {
  const { reader, outArcs } = store;
  for (let attempt = 0; ; attempt++) {
    const seen = reader.enter(0, from, attempt);
    const isReadable = outArcs.covers(from);
    const position = isReadable ? outArcs.find(from, to, key, mask) : -1;
    if (position >= 0) {
      FOUND[0] = outArcs.word1At(from, position);
      FOUND[1] = outArcs.valueAt(from, position);
    }
    if (reader.leave(0, from, seen) && isReadable) return position >= 0;
  }
}
