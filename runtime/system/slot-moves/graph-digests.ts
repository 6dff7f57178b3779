// Digests of the graphs of an instance, by which a run checks whether replicas have caught up. A
// digest begins with the number of operations that the graph has executed.

/** By graph; "": currently unknown. */
export type GraphDigests = Readonly<Record<string, string>>;

/** Returns whether an instance has executed all changes that the digests of its leader include. */
export function isReached(current: GraphDigests, target: GraphDigests): boolean {
  return Object.entries(target).every(([graph, targetDigest]) => {
    const digest = current[graph] ?? "";
    const [count, targetCount] = [countOf(digest), countOf(targetDigest)];
    // Replicas that have executed equally many operations must have equal contents.
    return count > targetCount || digest === targetDigest;
  });
}

function countOf(digest: string): number {
  return Number.parseInt(digest, 10) || 0;
}
