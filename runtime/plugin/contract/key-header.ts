// The value of `X-SVC-Key`: the UTF-8 of a key, percent-encoded, because keys may contain anything.

/** Limit of keys in a header field; ids of vertices may be longer. */
export const MAX_KEY_BYTES = 2048;

const ENCODED = /^(?:[!-$&-~]|%[0-9A-Fa-f]{2})+$/;

export function isKey(key: string): boolean {
  const bytes = Buffer.byteLength(key);
  return bytes > 0 && bytes <= MAX_KEY_BYTES;
}

/** Returns the key; null for an invalid value. */
export function decodeKey(value: string): string | null {
  if (!ENCODED.test(value)) return null;
  try {
    const key = decodeURIComponent(value);
    return isKey(key) ? key : null;
  } catch {
    return null;
  }
}
