// Searching texts the simple way: all documents as lists of words, scores by the formula.

import { byteOfLength, LENGTH_OF_BYTE } from "../../../runtime/graph/texts/lengths.js";
import type { SearchPart } from "../../../runtime/graph/texts/parsed-search.js";
import type { TextStatistics } from "../../../runtime/graph/texts/text-statistics.js";

/** Words by key; null for words that are not indexed. */
export type NaiveDocument = readonly (readonly (string | null)[])[];

export interface NaiveSearch {
  readonly parts: readonly SearchPart[];
  readonly excluded: readonly SearchPart[];
  readonly minMatches: number;
  readonly boosts: readonly number[];
  readonly edits: (form: string) => number;
  readonly synonyms?: ReadonlyMap<string, readonly string[]>;
  /** Average lengths by key; those of the documents unless given. */
  readonly averages?: readonly number[];
  /** Replaces the statistics of the documents; one frequency for each word sought. */
  readonly statistics?: TextStatistics;
}

const [K1, B] = [1.2, 0.75];
const TYPO = 0.6;

/** Scores of the documents that match, by their numbers. */
export function searchNaively(
  documents: ReadonlyMap<number, NaiveDocument>,
  search: NaiveSearch,
): Map<number, number> {
  const { boosts } = search;
  const { statistics } = search;
  const averages =
    search.averages ??
    statistics?.lengths.map((sum) => (sum === 0 ? 1 : sum / statistics.documents)) ??
    averageLengths(documents, boosts.length);
  const size = statistics?.documents ?? documents.size;
  let word = 0;
  const norm = (document: NaiveDocument, key: number): number =>
    1 - B + (B * LENGTH_OF_BYTE[byteOfLength(length(document[key]))]!) / averages[key]!;
  const idf = (count: number): number => Math.log(1 + (size - count + 0.5) / (count + 0.5));
  const countTerm = (term: string): number => {
    const counts = boosts.map((boost, key) => {
      if (boost === 0) return 0;
      return [...documents.values()].filter((document) => document[key]?.includes(term)).length;
    });
    return Math.max(...counts);
  };
  const scored = (part: SearchPart): Map<number, number> => {
    const terms = part.kind === "word" ? listTerms(documents, part, search) : new Map();
    const weight =
      part.kind === "word"
        ? idf(statistics?.frequencies[word++] ?? Math.max(0, ...[...terms.keys()].map(countTerm)))
        : part.terms.reduce(
            (sum, term) => sum + idf(statistics?.frequencies[word++] ?? countTerm(term)),
            0,
          );
    const scores = new Map<number, number>();
    for (const [number, document] of documents) {
      let sum = 0;
      for (const [key, boost] of boosts.entries()) {
        const words = document[key] ?? [];
        const frequency =
          part.kind === "word"
            ? words.reduce((total, word) => total + (terms.get(word ?? "") ?? 0), 0)
            : words.filter((_, position) =>
                part.terms.every((term, index) => words[position + part.offsets[index]!] === term),
              ).length;
        if (frequency > 0) sum += (boost * frequency) / norm(document, key);
      }
      if (sum > 0) scores.set(number, (weight * (K1 + 1) * sum) / (K1 + sum));
    }
    return scores;
  };
  const parts = search.parts.map(scored);
  const excluded = search.excluded.map(scored);
  const documentsFound = new Map<number, number>();
  for (const number of documents.keys()) {
    const matching = parts.filter((scores) => scores.has(number));
    if (matching.length < search.minMatches || excluded.some((scores) => scores.has(number)))
      continue;
    documentsFound.set(
      number,
      matching.reduce((sum, scores) => sum + scores.get(number)!, 0),
    );
  }
  return documentsFound;
}

function length(words: readonly (string | null)[] | undefined): number {
  return (words ?? []).filter((word) => word !== null).length;
}

export function averageLengths(
  documents: ReadonlyMap<number, NaiveDocument>,
  keys: number,
): number[] {
  return Array.from({ length: keys }, (_, key) => {
    let sum = 0;
    for (const document of documents.values()) sum += length(document[key]);
    return documents.size === 0 || sum === 0 ? 1 : sum / documents.size;
  });
}

/** Terms that a word stands for, with their factors. */
function listTerms(
  documents: ReadonlyMap<number, NaiveDocument>,
  part: SearchPart & { readonly kind: "word" },
  { edits, synonyms, boosts }: NaiveSearch,
): Map<string, number> {
  const dictionary = new Set<string>();
  for (const document of documents.values()) {
    for (const [key, words] of document.entries()) {
      if (boosts[key] !== 0) for (const word of words) if (word !== null) dictionary.add(word);
    }
  }
  const terms = new Map<string, number>();
  for (const term of dictionary) {
    const isMeant =
      term === part.term ||
      (part.isPrefix && term.startsWith(part.form)) ||
      synonyms?.get(part.term)?.includes(term);
    if (isMeant) {
      terms.set(term, 1);
      continue;
    }
    const maxEdits = edits(part.form);
    if (maxEdits === 0) continue;
    const steps = term[0] === part.term[0] ? [distance(part.term, term)] : [];
    const letters = part.form.length;
    const begun = Math.min(maxEdits, letters < 4 ? 0 : letters < 8 ? 1 : 2);
    for (let end = 1; part.isPrefix && begun > 0 && end <= term.length; end++) {
      if (term[0] !== part.form[0]) break;
      const some = distance(part.form, term.slice(0, end));
      if (some <= begun) steps.push(some);
    }
    const fewestEdits = Math.min(...steps);
    if (fewestEdits <= maxEdits) terms.set(term, TYPO ** fewestEdits);
  }
  return terms;
}

/** Insertions, deletions, replacements and swaps of neighbors between two words. */
export function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_unused, column) => (row === 0 ? column : row)),
  );
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]![column] = Math.min(
        rows[row - 1]![column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1),
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
        isSwap ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return rows[a.length]![b.length]!;
}
