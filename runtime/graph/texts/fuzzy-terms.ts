// Finds terms of a segment within few edits of a word: insertions, deletions, replacements and
// swaps of neighbors. Terms are sorted by text, so rows of the distance table are computed once for
// a common prefix, and all terms with a prefix that is too distant are skipped at once.

import { MAX_WORD_UNITS } from "./analysis/word-forms.js";
import type { Segment } from "./segment.js";

/** Minimum length of words for which one edit, or two edits, are allowed. */
const ONE_EDIT = 4;
const TWO_EDITS = 8;
/** Maximum number of edits that a search can allow. */
export const MAX_EDITS = 2;

/** Edits allowed for a word by `fuzzy: "auto"`, and for a prefix by any fuzziness. */
export function editsFor(word: string): number {
  return word.length < ONE_EDIT ? 0 : word.length < TWO_EDITS ? 1 : 2;
}

export interface FuzzyTerm {
  readonly term: number;
  readonly edits: number;
}

const WIDTH = MAX_WORD_UNITS + 1;
const rows = new Uint8Array((MAX_WORD_UNITS + 2) * WIDTH);
const previous = new Uint16Array(MAX_WORD_UNITS + 4);
const present = new Uint16Array(MAX_WORD_UNITS + 4);

/**
 * Finds the terms with the first letter of a word that differ from it by at most `edits`.
 * @param isPrefix true to find terms with a prefix that matches
 */
export function findFuzzyTerms(
  segment: Segment,
  word: string,
  edits: number,
  isPrefix = false,
): FuzzyTerm[] {
  const found: FuzzyTerm[] = [];
  const length = Math.min(word.length, MAX_WORD_UNITS);
  if (length === 0) return found;
  const letter = word[0]!;
  for (let at = 0; at <= length; at++) rows[at] = at;
  let term = segment.lowerBound(letter);
  const end = segment.endOfPrefix(letter, term);
  let known = 0;
  while (term < end) {
    const units = segment.copyText(term, present);
    let common = 0;
    while (common < known && common < units && present[common] === previous[common]) common++;
    const dead = fillRows(word, length, units, common, edits);
    const begun = isPrefix ? leastDistance(length, Math.min(dead, units)) : MAX_EDITS + 1;
    if (begun <= edits) {
      found.push({ term, edits: begun });
      term++;
    } else if (dead < units) {
      // All terms with this prefix are too distant.
      present[dead]!++;
      term = skip(segment, term, end, dead + 1);
      present[dead]!--;
    } else {
      const distance = rows[units * WIDTH + length]!;
      if (distance <= edits) found.push({ term, edits: distance });
      term++;
    }
    known = Math.min(dead, units);
    previous.set(present.subarray(0, known));
  }
  return found;
}

/** Minimum distance of the word to a prefix of the term. */
function leastDistance(length: number, units: number): number {
  let minDistance = MAX_EDITS + 1;
  for (let row = 1; row <= units; row++)
    minDistance = Math.min(minDistance, rows[row * WIDTH + length]!);
  return minDistance;
}

/**
 * Fills the remaining rows.
 * @returns number of rows before the first one whose distances all exceed `edits`, or `units`
 */
function fillRows(
  word: string,
  length: number,
  units: number,
  from: number,
  edits: number,
): number {
  for (let row = from + 1; row <= units; row++) {
    const at = row * WIDTH;
    const unit = present[row - 1]!;
    let minDistance = row;
    rows[at] = row;
    for (let column = 1; column <= length; column++) {
      const letter = word.charCodeAt(column - 1);
      let distance = Math.min(
        rows[at - WIDTH + column - 1]! + (unit === letter ? 0 : 1),
        rows[at - WIDTH + column]! + 1,
        rows[at + column - 1]! + 1,
      );
      const isSwap =
        row > 1 &&
        column > 1 &&
        unit === word.charCodeAt(column - 2) &&
        present[row - 2] === letter;
      if (isSwap) distance = Math.min(distance, rows[at - 2 * WIDTH + column - 2]! + 1);
      rows[at + column] = distance;
      if (distance < minDistance) minDistance = distance;
    }
    // A swap skips a row, but its edit leads to a cell of that row as well.
    if (minDistance > edits) return row - 1;
  }
  return units;
}

/** Returns the first term that does not start with the first `length` units of the current one. */
function skip(segment: Segment, from: number, end: number, length: number): number {
  const bound = String.fromCharCode(...present.subarray(0, length));
  // Exponential search, because the term is usually only a few positions away.
  let step = 1;
  let low = from;
  while (low + step < end && segment.compare(low + step, bound) < 0) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, end);
  low++;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (segment.compare(middle, bound) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
