// Edit distance of two words: insertions, deletions, replacements and swaps of neighbors. The rows
// of the distance table are reused, so that comparing thousands of words creates no garbage.

const FIRST_LETTERS = 66;
let width = FIRST_LETTERS;
let rows = new Uint8Array(FIRST_LETTERS * FIRST_LETTERS);

/**
 * Returns the distance between two words, or any number above `maxEdits` if it is larger.
 * @param maxEdits maximum number of edits that matter
 */
export function distance(a: string, b: string, maxEdits: number): number {
  if (Math.abs(a.length - b.length) > maxEdits) return maxEdits + 1;
  const filled = fillRows(a, b, maxEdits);
  return filled < b.length ? maxEdits + 1 : rows[b.length * width + a.length]!;
}

/** Returns the distance of a word to the nearest prefix of a text, as `distance` does. */
export function prefixDistance(word: string, text: string, maxEdits: number): number {
  const filled = fillRows(word, text.slice(0, word.length + maxEdits), maxEdits);
  let minDistance = word.length;
  for (let row = 1; row <= filled; row++) {
    minDistance = Math.min(minDistance, rows[row * width + word.length]!);
  }
  return minDistance;
}

/**
 * Fills a row for each letter of a text.
 * @returns number of rows, up to the first one that makes any continuation too distant
 */
function fillRows(word: string, text: string, maxEdits: number): number {
  const length = word.length;
  makeRoom(Math.max(length, text.length));
  for (let column = 0; column <= length; column++) rows[column] = column;
  for (let row = 1; row <= text.length; row++) {
    // A swap skips a row, but its edit leads to a cell of that row as well.
    if (fillRow(word, text, row) > maxEdits) return row - 1;
  }
  return text.length;
}

/** Returns the least distance of the row. */
function fillRow(word: string, text: string, row: number): number {
  const at = row * width;
  const letter = text.charCodeAt(row - 1);
  const before = row > 1 ? text.charCodeAt(row - 2) : -1;
  let minDistance = row;
  rows[at] = row;
  for (let column = 1; column <= word.length; column++) {
    const wordLetter = word.charCodeAt(column - 1);
    let cell = rows[at - width + column - 1]! + (wordLetter === letter ? 0 : 1);
    cell = Math.min(cell, rows[at - width + column]! + 1, rows[at + column - 1]! + 1);
    const isSwap = column > 1 && wordLetter === before && word.charCodeAt(column - 2) === letter;
    if (isSwap) cell = Math.min(cell, rows[at - 2 * width + column - 2]! + 1);
    rows[at + column] = cell;
    if (cell < minDistance) minDistance = cell;
  }
  return minDistance;
}

function makeRoom(letters: number): void {
  if (letters < width) return;
  width = letters + 1;
  rows = new Uint8Array(width * width);
}
