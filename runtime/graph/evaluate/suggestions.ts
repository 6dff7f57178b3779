// Finds the known name closest to an unknown one, for error messages.

const MAX_COMPARED = 40;
const MAX_DISTANCE = 3;

/** Returns the closest name; null if none is similar. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > MAX_COMPARED) return null;
  let nearest: string | null = null;
  let minDistance = Math.min(MAX_DISTANCE, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= minDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < minDistance) {
      minDistance = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Returns the Damerau–Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(old[j]! + 1, row[j - 1]! + 1, old[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, older[j - 2]! + 1);
      }
      row.push(distance);
    }
    older = old;
    old = row;
  }
  return old[b.length]!;
}
