// Resolves words and phrases of a search to postings lists of one segment.

import type { DocumentScorer } from "./document-scorer.js";
import { editsFor, findFuzzyTerms } from "./fuzzy-terms.js";
import { ListScorer, type ListWeight } from "./list-scorer.js";
import type { SearchedKeys, SearchPart, SearchPhrase, SearchWord } from "./parsed-search.js";
import { type PhraseLists, PhraseScorer } from "./phrase-scorer.js";
import type { Segment } from "./segment.js";
import { UnionScorer, type WeightedList } from "./union-scorer.js";

/** Maximum number of terms that a word stands for: the word itself and the most frequent others. */
export const MAX_TERMS = 1024;
/** Weight factor per edit between a term and the word. */
export const TYPO_WEIGHT = 0.6;

/** A term of a segment that a word stands for. */
interface ExpandedTerm {
  readonly term: number;
  readonly factor: number;
}

/** A postings list of a word. */
export interface ResolvedList {
  readonly list: number;
  readonly term: number;
  readonly key: number;
  /** Weight factor of its term. */
  readonly factor: number;
}

/** A word or phrase resolved in a segment, without weights. */
export interface ResolvedPart {
  /** Lists of a word. */
  readonly lists: readonly ResolvedList[];
  /** For a phrase: lists of its words by key. */
  readonly phrases: readonly { readonly key: number; readonly lists: readonly number[] }[];
  readonly offsets: readonly number[];
  /** For a phrase: number of documents with each word, by key. */
  readonly frequencies: readonly (readonly number[])[];
  /** True if terms beyond `MAX_TERMS` were omitted. */
  readonly isCut: boolean;
}

export function resolvePart(segment: Segment, part: SearchPart, keys: SearchedKeys): ResolvedPart {
  return part.kind === "word"
    ? resolveWord(segment, part, keys)
    : resolvePhrase(segment, part, keys);
}

function resolveWord(segment: Segment, word: SearchWord, keys: SearchedKeys): ResolvedPart {
  const { terms, isCut } = expandWord(segment, word, keys);
  const lists: ResolvedList[] = [];
  for (const { term, factor } of terms) {
    for (const [key, boost] of keys.boosts.entries()) {
      const list = boost === 0 ? 0 : segment.findList(term, key);
      if (list !== 0) lists.push({ list, term, key, factor });
    }
  }
  return { lists, phrases: [], offsets: [], frequencies: [], isCut };
}

function resolvePhrase(segment: Segment, phrase: SearchPhrase, keys: SearchedKeys): ResolvedPart {
  const { terms: texts, offsets } = phrase;
  const terms = texts.map((text) => segment.find(text));
  const phrases: { key: number; lists: number[] }[] = [];
  const frequencies = texts.map(() => keys.boosts.map(() => 0));
  for (const [key, boost] of keys.boosts.entries()) {
    if (boost === 0) continue;
    const lists = terms.map((term) => (term < 0 ? 0 : segment.findList(term, key)));
    for (const [at, list] of lists.entries()) {
      if (list !== 0) frequencies[at]![key] = segment.documentsOfList(list);
    }
    if (!lists.includes(0)) phrases.push({ key, lists });
  }
  return { lists: [], phrases, offsets, frequencies, isCut: false };
}

/** Returns the terms of a segment that a word stands for. */
function expandWord(
  segment: Segment,
  word: SearchWord,
  { fuzzy, synonyms }: SearchedKeys,
): { terms: ExpandedTerm[]; isCut: boolean } {
  const factors = new Map<number, number>();
  const addTerm = (term: number, factor: number): void => {
    if (term >= 0 && factor > (factors.get(term) ?? 0)) factors.set(term, factor);
  };
  const exact = segment.find(word.term);
  addTerm(exact, 1);
  for (const synonym of synonyms.get(word.term) ?? []) addTerm(segment.find(synonym), 1);
  const edits = fuzzy === "auto" ? editsFor(word.form) : fuzzy;
  if (edits > 0) {
    for (const found of findFuzzyTerms(segment, word.term, edits)) {
      addTerm(found.term, TYPO_WEIGHT ** found.edits);
    }
  }
  if (word.isPrefix) {
    const from = segment.lowerBound(word.form);
    const end = segment.endOfPrefix(word.form, from);
    for (let term = from; term < end; term++) addTerm(term, 1);
    const prefixEdits = Math.min(edits, editsFor(word.form));
    for (const found of prefixEdits > 0
      ? findFuzzyTerms(segment, word.form, prefixEdits, true)
      : []) {
      addTerm(found.term, TYPO_WEIGHT ** found.edits);
    }
  }
  const terms = Array.from(factors, ([term, factor]) => ({ term, factor }));
  return { terms: keepMostFrequent(segment, terms, exact), isCut: terms.length > MAX_TERMS };
}

function keepMostFrequent(segment: Segment, terms: ExpandedTerm[], exact: number): ExpandedTerm[] {
  if (terms.length <= MAX_TERMS) return terms;
  const frequency = ({ term }: ExpandedTerm): number => {
    if (term === exact) return Number.POSITIVE_INFINITY;
    let sum = 0;
    const end = segment.listsOf(term + 1);
    for (let list = segment.listsOf(term); list < end; list += 4) {
      sum += segment.documentsOfList(list);
    }
    return sum;
  };
  return terms
    .map((term) => ({ term, count: frequency(term) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_TERMS)
    .map(({ term }) => term);
}

/** Returns the weight of a list of a key, multiplied by the factor of its term. */
export type WeightOf = (key: number, factor: number) => ListWeight;

/** Creates the scorer of a part; returns null if no document of the segment contains it. */
export function createPartScorer(
  segment: Segment,
  part: ResolvedPart,
  weightOf: WeightOf,
  idf: number,
): DocumentScorer | null {
  const { lists, phrases, offsets } = part;
  if (phrases.length > 0) {
    const keys: PhraseLists[] = phrases.map(({ key, lists: words }) => ({
      lists: words,
      offsets,
      weight: weightOf(key, 1),
    }));
    return new PhraseScorer(segment, keys, idf);
  }
  if (lists.length === 0) return null;
  const weighted: WeightedList[] = lists.map(({ list, key, factor }) => ({
    list,
    weight: weightOf(key, factor),
  }));
  const [only] = weighted as [WeightedList];
  if (weighted.length === 1) return new ListScorer(segment, only.list, only.weight, idf);
  return new UnionScorer(segment, weighted, idf);
}
