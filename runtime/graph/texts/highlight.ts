// Marks the words of a search in the texts of a vertex: `<em>Red</em> shoes`. The result is HTML,
// so everything else is escaped. Longer texts are reduced to the part with the most marked words.

import type { Analysis } from "./analysis/analysis.js";
import { NO_TERM } from "./analysis/word-forms.js";
import type { TextSearch } from "./parsed-search.js";
import { termFactor } from "./pending-part.js";

/** Maximum number of characters that are read of a text. */
const MAX_TEXT = 20_000;
/** Maximum length of words at the ends of an excerpt that are not truncated. */
const MAX_CUT_UNITS = 24;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" },
};

/** A marked word in a text. */
interface Mark {
  readonly from: number;
  readonly end: number;
}

/** Returns at most about `length` characters of a text. */
export function highlightText(
  text: string,
  length: number,
  search: TextSearch,
  analysis: Analysis,
  language: string | null = null,
): string {
  const { tokenizer } = analysis;
  tokenizer.keepsRanges = true;
  const read = text.slice(0, endOfPair(text, MAX_TEXT));
  const count = tokenizer.read(read, analysis.numberOf(language));
  tokenizer.keepsRanges = false;
  const isMarked = termMatcher(search, analysis);
  const marks: Mark[] = [];
  for (let at = 0; at < count; at++) {
    if (!isMarked(tokenizer.terms[at]!)) continue;
    marks.push({ from: tokenizer.ranges[at * 2]!, end: tokenizer.ranges[at * 2 + 1]! });
  }
  return render(tokenizer.text, marks, length);
}

function termMatcher(search: TextSearch, { tokenizer }: Analysis): (term: number) => boolean {
  const words = search.parts.flatMap((part) =>
    part.kind === "word"
      ? [part]
      : part.terms.map((term) => ({ kind: "word", term, form: term, isPrefix: false }) as const),
  );
  const known = new Map<number, boolean>([[NO_TERM, false]]);
  return (term) => {
    let isMatch = known.get(term);
    if (isMatch === undefined) {
      const text = tokenizer.forms.textOf(term);
      isMatch = words.some((word) => termFactor(word, text, search) > 0);
      known.set(term, isMatch);
    }
    return isMatch;
  };
}

function render(text: string, marks: readonly Mark[], length: number): string {
  const from = text.length <= length ? 0 : startOfBest(text, marks, length);
  const end = Math.min(text.length, endOfWord(text, from + length));
  let shown = from === 0 ? "" : "…";
  let at = from;
  for (const mark of marks) {
    // Pairs of characters overlap.
    if (mark.end <= at || mark.end > end) continue;
    const begin = Math.max(mark.from, at);
    const marked = escapeHtml(text.slice(begin, mark.end));
    shown += `${escapeHtml(text.slice(at, begin))}<em>${marked}</em>`;
    at = mark.end;
  }
  const rest = escapeHtml(text.slice(at, end));
  return `${shown}${rest}${end < text.length ? "…" : ""}`.replaceAll("</em><em>", "");
}

/** Returns the start of the part with the most marks, slightly before the first of them. */
function startOfBest(text: string, marks: readonly Mark[], length: number): number {
  let [best, bestEnd, bestCount] = [marks[0]?.from ?? 0, 0, 0];
  for (let first = 0, last = 0; first < marks.length; first++) {
    const limit = marks[first]!.from + length;
    while (last < marks.length && marks[last]!.end <= limit) last++;
    if (last - first <= bestCount) continue;
    bestCount = last - first;
    best = marks[first]!.from;
    bestEnd = marks[last - 1]!.end;
  }
  const earliest = Math.max(0, bestEnd - length);
  const latest = Math.max(0, text.length - length);
  const lead = Math.max(earliest, best - Math.floor(length / 8));
  return startOfWord(text, Math.min(lead, latest), earliest, best);
}

/** Returns the start of the word at an offset, or of the next one, between two bounds. */
function startOfWord(text: string, at: number, earliest: number, end: number): number {
  const before = text.lastIndexOf(" ", at - 1) + 1;
  if (at === 0 || before === at) return at;
  if (before >= earliest && at - before <= MAX_CUT_UNITS) return before;
  const space = text.indexOf(" ", at);
  if (space >= 0 && space < end) return space + 1;
  return endOfPair(text, at);
}

/** Returns the end of the word at an offset. */
function endOfWord(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space < 0 || space - at > MAX_CUT_UNITS ? endOfPair(text, at) : space;
}

/** Returns the offset after a surrogate pair that an offset would split. */
function endOfPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}
