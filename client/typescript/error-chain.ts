// Parses the text of an error below a dispatcher (http-interface, "Error body"). The text is
// untrusted: it is read once from left to right, and content outside of the grammar remains text.
//
//    <partial: 1 width: 3> | 500 | <partial: 0 width: 2> | 404 | {'svc': {'exception': '…', …}}
//    └─ outermost level ───────┘   └─ innermost level ──────┘   └─ what that instance said

import type { BackEndLevel } from "./svc-error.js";

/** Far more than servers write; much longer texts overflow the stack of regular expressions. */
const MAX_OBJECT_LENGTH = 2 ** 21;

export interface ErrorChain {
  /** Parses the levels of an error, outermost first; empty if no dispatcher wrote the text. */
  readonly levels: readonly BackEndLevel[];
  /** Returns the text, or the object that it encodes. */
  readonly innermost: unknown;
}

export function parseErrorChain(text: string): ErrorChain {
  const level = /<partial: (\d{1,9}) width: (\d{1,9})> \| (\d{3}) \| /y;
  const levels: BackEndLevel[] = [];
  let end = 0;
  for (let found = level.exec(text); found !== null; found = level.exec(text)) {
    const [partition, width, status] = found.slice(1).map(Number) as [number, number, number];
    levels.push({ partition, width, status });
    end = level.lastIndex;
  }
  const rest = text.slice(end);
  const isObject = rest.startsWith("{'") && rest.length <= MAX_OBJECT_LENGTH;
  return { levels, innermost: isObject ? parseObject(rest) : rest };
}

/** Parses an object with strings in single quotes, as dispatchers write it; else returns `text`. */
function parseObject(text: string): unknown {
  // An unterminated string consumes the rest, so that none of it is searched twice.
  const json = text.replace(/'((?:[^'\\]|\\.)*)('|\\?$)/gs, (all, inner: string, end: string) =>
    end === "'" ? JSON.stringify(unescaped(inner)) : all,
  );
  try {
    return JSON.parse(json);
  } catch {
    return text;
  }
}

function unescaped(inner: string): string {
  return inner.replace(/\\(.)/gs, (_, char: string) => (char === "n" ? "\n" : char));
}
