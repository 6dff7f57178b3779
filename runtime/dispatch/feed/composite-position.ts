// Position of a change feed over several partitions: a list of their positions. A partition can
// be a dispatcher itself, so its position can be a list, too.
//
//   (<position of the first partition>,<position of the second one>,…)

/** Longer positions do not fit into a request. */
const MAX_LENGTH = 8000;

/** Returns the composite position; for a single partition, its own position. */
export function joinPositions(positions: readonly string[]): string {
  return positions.length === 1 ? positions[0]! : `(${positions.join(",")})`;
}

/** Returns the positions of the partitions; null if the text is not one of `count`. */
export function splitPositions(text: string, count: number): string[] | null {
  if (text.length > MAX_LENGTH) return null;
  if (count === 1) return [text];
  if (!text.startsWith("(") || !text.endsWith(")")) return null;
  const positions: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 1; at < text.length; at++) {
    const char = text[at];
    const isLast = at === text.length - 1;
    if (isLast || (char === "," && depth === 0)) {
      if (at === start || depth !== 0) return null;
      positions.push(text.slice(start, at));
      start = at + 1;
    } else if (char === "(") depth++;
    else if (char === ")" && --depth < 0) return null;
  }
  return positions.length === count ? positions : null;
}
