// Caches the results of a pure function for recent arguments. Clients choose these texts, so their
// number and length are limited.

/** Size of each of the two generations of cached texts; an old generation is dropped as a whole. */
export const MAX_TEXTS = 512;
const MAX_CHARS = 256;

/** Returns `compute` with a cache in front. */
export function remember<T>(compute: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let former = new Map<string, T>();
  return (text) => {
    const kept = recent.get(text);
    if (kept !== undefined) return kept;
    const result = former.get(text) ?? compute(text);
    if (text.length > MAX_CHARS) return result;
    if (recent.size === MAX_TEXTS) {
      former = recent;
      recent = new Map();
    }
    recent.set(text, result);
    return result;
  };
}
