// Finds the vertices that may meet a condition without a scan: given ids, entries of an index, the
// other ends of the arcs of known vertices, and unions of these. The result is a superset: each
// vertex is tested anyway.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { ArcStack } from "../match/arc-stack.js";
import { HandleSet } from "../match/handle-set.js";
import { ALL_ARCS, getScanners, type RunScanner } from "../match/run-scanner.js";
import type { CompoundTest, VertexTest, WalkRule } from "../match/vertex-test.js";

export interface CandidateSource {
  /** Each vertex once. */
  readonly handles: readonly number[];
  /** Name in an explanation. */
  readonly label: string;
}

/** Returns the smallest source; null if there is none with at most `limit` vertices. */
export function findSource(
  store: GraphStore,
  test: VertexTest,
  limit: number,
): CandidateSource | null {
  if (test.isNegated) return null;
  if (test.ids !== null) return { handles: test.ids.handles, label: "ids" };
  const { adjacent, indexed, narrowing } = test;
  if (adjacent === null && indexed.length === 0 && narrowing.length === 0) return null;
  const sources: ((limit: number) => CandidateSource | null)[] = [
    ...indexed.map((check) => fromIndex(check, test.type?.code ?? 0)),
    ...(adjacent === null
      ? []
      : [(maxCandidates: number) => findOtherEnds(store, adjacent, maxCandidates)]),
    ...narrowing.map(
      (compound) => (maxCandidates: number) => fromCompound(store, compound, maxCandidates),
    ),
  ];
  let best: CandidateSource | null = null;
  for (const source of sources) {
    const found = source(best?.handles.length ?? limit);
    if (found !== null && found.handles.length <= (best?.handles.length ?? limit)) best = found;
  }
  return best;
}

function fromIndex(check: VertexTest["indexed"][number], type: number) {
  return (limit: number): CandidateSource | null => {
    const handles = check.candidates(limit, type);
    return handles === null ? null : { handles, label: `index: ${check.label}` };
  };
}

function fromCompound(
  store: GraphStore,
  { isAny, members }: CompoundTest,
  limit: number,
): CandidateSource | null {
  return isAny ? findUnion(store, members, limit) : findSmallest(store, members, limit);
}

function findSmallest(
  store: GraphStore,
  members: readonly VertexTest[],
  limit: number,
): CandidateSource | null {
  let best: CandidateSource | null = null;
  for (const member of members) {
    const found = findSource(store, member, best?.handles.length ?? limit);
    const isLess = best === null || (found?.handles.length ?? limit) < best.handles.length;
    if (found !== null && isLess) best = found;
  }
  return best;
}

/** A member without a source makes the union useless. */
function findUnion(
  store: GraphStore,
  members: readonly VertexTest[],
  limit: number,
): CandidateSource | null {
  const seen = new HandleSet();
  const handles: number[] = [];
  const labels = new Set<string>();
  for (const member of members) {
    const left = limit - handles.length;
    const source = findSource(store, member, left) ?? listOfType(store, member, left);
    if (source === null) return null;
    for (const handle of source.handles) if (seen.add(handle)) handles.push(handle);
    if (handles.length > limit) return null;
    labels.add(source.label);
  }
  return { handles, label: `any of: ${[...labels].join("; ")}` };
}

function listOfType(
  { typeLists }: GraphStore,
  { type, isNegated }: VertexTest,
  limit: number,
): CandidateSource | null {
  if (type === null || isNegated) return null;
  const label = "list of a type";
  if (type.code === 0) return { handles: [], label };
  const count = typeLists.count(type.code);
  if (count > limit) return null;
  const handles = new Uint32Array(count);
  // One copy under the mutex; a vertex that gets its type meanwhile may be missing.
  const copied = typeLists.copyBefore(type.code, count, handles);
  return { handles: Array.from(handles.subarray(0, copied)), label };
}

const stack = new ArcStack();

/** Returns the vertices with an arc to or from the neighbors of a rule, if those are known. */
function findOtherEnds(
  store: GraphStore,
  { arc, neighbor, assert, repeat }: WalkRule,
  limit: number,
): CandidateSource | null {
  // `assert` accepts or rejects whatever is found, and a dynamic filter needs the previous arc.
  if (neighbor === null || assert !== null || arc.isDynamic || repeat !== null) return null;
  const ends = findSource(store, neighbor, limit);
  if (ends === null) return null;
  const { outArcs, inArcs } = getScanners(store);
  // The vertex's outbound arcs are the inbound arcs of its neighbor. A pair has both.
  const scanners: RunScanner[] = [];
  if (arc.direction !== D_IN && arc.direction !== D_BOTH) scanners.push(inArcs);
  if (arc.direction !== D_OUT) scanners.push(outArcs);
  const seen = new HandleSet();
  const handles: number[] = [];
  for (const end of ends.handles) {
    for (const scanner of scanners) {
      stack.clear();
      if (!canReverse(store, scanner, end, limit)) return null;
      scanner.select(end, arc, stack, ALL_ARCS);
      for (let at = 0; at < stack.top; at += ARC_WORDS) {
        if (seen.add(stack.words[at]!)) handles.push(stack.words[at]!);
      }
      if (handles.length > limit) return null;
    }
  }
  return { handles, label: "arcs of named vertices" };
}

/** Terminals do not list forward-only arcs, so these can only be found from the other side. */
function canReverse(
  { vertices, inArcs }: GraphStore,
  { side }: RunScanner,
  end: number,
  limit: number,
): boolean {
  if (side === 0) return vertices.outDegree(end) <= limit;
  const degree = vertices.inDegree(end);
  return degree <= limit && (degree === 0 || inArcs.length(end) > 0);
}
