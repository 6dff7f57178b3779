// Digests of the graphs of an instance, by which a run sees what replicas have. Each begins with
// the number of operations that the graph has executed.

/** By graph; "": not known now. */
export type GraphDigests = Readonly<Record<string, string>>;

/** Returns whether an instance has everything that another one of its group had. */
export function isReached(own: GraphDigests, wanted: GraphDigests): boolean {
  return Object.entries(wanted).every(([graph, text]) => {
    const found = own[graph] ?? "";
    const [count, least] = [countOf(found), countOf(text)];
    // Equal contents are all that can follow from equally many operations.
    return count > least || found === text;
  });
}

function countOf(digest: string): number {
  return Number.parseInt(digest, 10) || 0;
}
