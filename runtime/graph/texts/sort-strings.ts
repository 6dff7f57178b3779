// Sorts numbers by the strings that they represent, in pieces: sorting all at once could block a
// thread for a second.

const RUN = 1024;

/** Yields between pieces; the order is by UTF-16 code units. */
export function* sortStrings(
  numbers: readonly number[],
  textOf: (number: number) => string,
): Generator<undefined, number[], void> {
  const entries = numbers.map((number) => ({ number, text: textOf(number) }));
  let runs: Entry[][] = [];
  for (let from = 0; from < entries.length; from += RUN) {
    runs.push(entries.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Entry[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const other = runs[at + 1];
      merged.push(other === undefined ? runs[at]! : yield* merge(runs[at]!, other));
    }
    runs = merged;
  }
  return (runs[0] ?? []).map(({ number }) => number);
}

interface Entry {
  readonly number: number;
  readonly text: string;
}

function compare(a: Entry, b: Entry): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

function* merge(a: Entry[], b: Entry[]): Generator<undefined, Entry[], void> {
  const merged = new Array<Entry>(a.length + b.length);
  for (let at = 0, left = 0, right = 0; at < merged.length; at++) {
    const isLeft = right === b.length || (left < a.length && compare(a[left]!, b[right]!) <= 0);
    merged[at] = isLeft ? a[left++]! : b[right++]!;
    if (at % (4 * RUN) === 0) yield;
  }
  return merged;
}
