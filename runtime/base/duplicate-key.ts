// Duplicate keys in JSON text, of which `JSON.parse` silently keeps the last one.

/** A string is a key if a colon follows. */
const COLON = /\s*:/y;

/** Returns a key that an object has twice, or null. @param json valid JSON text */
export function findDuplicateKey(json: string): string | null {
  const objects: Set<string>[] = [];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "{") objects.push(new Set());
    else if (character === "}") objects.pop();
    if (character !== '"') continue;
    const end = stringEnd(json, at);
    COLON.lastIndex = end;
    const key = COLON.test(json) ? (JSON.parse(json.slice(at, end)) as string) : null;
    at = end - 1;
    if (key === null) continue;
    const keys = objects.at(-1)!;
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return null;
}

/** Returns the end of a string. A regular expression overflows the stack at millions of escapes. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}
