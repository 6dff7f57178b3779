// Suggests the nearest name in errors about unknown names.

/** A longer input is unlikely to be a mistyped name, and slow to compare. */
const MAX_LENGTH = 256;

/**
 * Returns `, did you mean \`x\`?` for the most similar name, or an empty string if none is similar.
 */
export function didYouMean(input: string, names: readonly string[]): string {
  if (input.length > MAX_LENGTH) return "";
  let best = "";
  let bestDistance = Math.max(2, Math.floor(input.length / 3)) + 1;
  for (const name of names) {
    const distance = name.startsWith(input) && input.length > 2 ? 1 : editDistance(input, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best === "" ? "" : `, did you mean \`${best}\`?`;
}

/** Returns the Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
