// The text of one entry of the log. It may hold what a client has sent or a plugin has thrown: no
// such text can look like another entry, or tell a terminal what to do.

/** All controls but the line feed, and what reorders or breaks lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found
const UNSAFE = /[\0-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const MAX_LENGTH = 16_384;

/** Only the first line of an entry begins at the margin. */
export function formatTextEntry(text: string): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} ...` : text;
  return short.replace(UNSAFE, escaped).replace(/\n(?! )/g, "\n  ");
}

/** What an entry tells beside its text. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/**
 * One line of JSON, with the names that pino gives: readers of its lines read these. What reorders
 * or breaks lines in a terminal is escaped in here, too.
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
