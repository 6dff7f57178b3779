/** Insertions, deletions, replacements and swaps of neighbors between two words. */
export function distance(a: string, b: string): number {
  return fillRows(a, b)[a.length]![b.length]!;
}

/** Distance of a word to the nearest prefix of a text. */
export function prefixDistance(word: string, text: string): number {
  return Math.min(...fillRows(word, text)[word.length]!);
}

function fillRows(a: string, b: string): number[][] {
  const rows = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_unused, column) => (row === 0 ? column : row)),
  );
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      let least = Math.min(
        rows[row - 1]![column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1),
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
      );
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) least = Math.min(least, rows[row - 2]![column - 2]! + 1);
      rows[row]![column] = least;
    }
  }
  return rows;
}
