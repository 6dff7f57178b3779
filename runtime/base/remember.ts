// Keeps the results of a pure function for the texts that it was called with last. Clients choose
// these texts, so their number and length are bounded.

const MAX_TEXTS = 64;
const MAX_CHARS = 256;

/** Returns `compute` with a cache in front. */
export function remember<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const result = compute(text);
    if (text.length > MAX_CHARS) return result;
    if (known.size === MAX_TEXTS) known.clear();
    known.set(text, result);
    return result;
  };
}
