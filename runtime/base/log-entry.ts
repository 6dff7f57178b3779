// Formats one entry of the server log. Entries may contain text of clients or plugins: escaping
// prevents forged entries and terminal control sequences.

/** All control characters but the line feed, and characters that reorder or break lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found
const UNSAFE = /[\0-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const MAX_LENGTH = 16_384;

/** Indents all lines of an entry but the first. */
export function formatTextEntry(text: string): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} ...` : text;
  return short.replace(UNSAFE, escaped).replace(/\n(?! )/g, "\n  ");
}

/** Structured fields of an entry. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Formats one line of JSON with the field names of pino, which log tools understand. Characters
 * that reorder or break lines in a terminal are escaped, too.
 */
export function formatJsonEntry(level: string, text: string, fields: LogFields): string {
  const msg = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} ...` : text;
  const time = new Date().toISOString();
  const line = JSON.stringify({ ...fields, level, time, pid: process.pid, msg });
  return line.replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  if (character === "\t") return "  ";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
