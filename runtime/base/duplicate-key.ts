// Duplicate keys in JSON text, of which `JSON.parse` silently keeps the last one.

/** A string is a key if a colon follows. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/** Returns a key that an object has twice, or null. @param json valid JSON text */
export function findDuplicateKey(json: string): string | null {
  const objects: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKENS)) {
    if (token === "{") objects.push(new Set());
    else if (token === "}") objects.pop();
    if (colon === undefined) continue;
    const key = JSON.parse(text!) as string;
    const keys = objects.at(-1)!;
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return null;
}
