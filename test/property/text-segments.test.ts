// Segments of texts against a search that looks at every word of every document: all kinds of
// searches, over one segment and several, merged ones, and with and without a limit for hits.
// TEXTS=n makes more documents, SEED=n the same again.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AllDocuments } from "../../runtime/graph/texts/all-documents.js";
import { NO_TERM, WordForms } from "../../runtime/graph/texts/analysis/word-forms.js";
import { countColumns } from "../../runtime/graph/texts/column-counts.js";
import type { ColumnValue } from "../../runtime/graph/texts/column-values.js";
import { DenseNumbers } from "../../runtime/graph/texts/dense-numbers.js";
import { editsFor } from "../../runtime/graph/texts/fuzzy-terms.js";
import type { Fuzziness, SearchPart } from "../../runtime/graph/texts/parsed-search.js";
import { Segment, SegmentViews } from "../../runtime/graph/texts/segment.js";
import { SegmentBuilder } from "../../runtime/graph/texts/segment-builder.js";
import { mergeSegments } from "../../runtime/graph/texts/segment-merge.js";
import { type MatchSink, TextMatch } from "../../runtime/graph/texts/text-match.js";
import { TopDocuments } from "../../runtime/graph/texts/top-documents.js";
import { rounds } from "../support/rounds.js";
import { averageLengths, type NaiveDocument, searchNaively } from "./support/naive-texts.js";
import { Random, SEED } from "./support/random.js";

const test = suite("text segments");
const TEXTS = Number(process.env.TEXTS ?? 3000);
const SEARCHES = rounds(120);
const KEYS = 2;
const STOP_WORD = "the";
const COLUMNS = 3;
const SHAPE = { keys: KEYS, columns: COLUMNS, hasPositions: true };

/** Few values, one for each vertex, and none. */
function makeColumns(vertex: number): ColumnValue[] {
  const few = [null, "Acme", "", -7.5, 3, "Ωmega", "a".repeat(9000)];
  return [few[vertex % few.length]!, vertex % 5 === 0 ? vertex / 8 : `number ${vertex}`, null];
}

/** Few words that are frequent and many that are rare, some of them similar. */
function makeWords(random: Random): string[] {
  const letters = "abcde";
  return Array.from({ length: 400 }, () => {
    const length = 2 + random.below(8);
    return Array.from({ length }, () => letters[random.below(letters.length)]!).join("");
  });
}

function randomWord(random: Random, words: readonly string[]): string {
  const rank = Math.floor((words.length + 1) ** (random.below(10_000) / 10_000)) - 1;
  return words[rank]!;
}

function makeDocument(random: Random, words: readonly string[]): NaiveDocument {
  return Array.from({ length: KEYS }, (_, key) => {
    const length = random.below(key === 0 ? 8 : 60);
    return Array.from({ length }, () =>
      random.below(12) === 0 ? null : randomWord(random, words),
    );
  });
}

function finish<T>(work: Generator<undefined, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function placed(words: Uint32Array): Segment {
  // Segments do not lie at the beginning of memory.
  const memory = new Uint32Array(words.length + 7);
  memory.set(words, 7);
  return new Segment(new SegmentViews(memory), 7);
}

function makeSegment(
  documents: readonly (readonly [number, NaiveDocument])[],
  forms: WordForms,
): Segment {
  const builder = new SegmentBuilder(forms, new DenseNumbers(), SHAPE);
  for (const [vertex, document] of documents) {
    builder.addDocument(vertex, vertex % 3 === 0 ? 0 : vertex, makeColumns(vertex));
    for (const [key, words] of document.entries()) {
      const terms = Int32Array.from(words, (word) => termNumber(forms, word ?? STOP_WORD));
      builder.addText(key, terms, terms.length);
    }
  }
  return placed(finish(builder.build()));
}

function termNumber(forms: WordForms, word: string): number {
  const units = Uint16Array.from(word, (letter) => letter.charCodeAt(0));
  const hash = [...word].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7) | 0;
  return forms.termOf(units, units.length, hash, 0);
}

function randomPart(random: Random, words: readonly string[]): SearchPart {
  if (random.below(4) === 0) {
    const count = 2 + random.below(2);
    const terms = Array.from({ length: count }, () => words[random.below(12)]!);
    const offsets = terms.map((_, index) => index + (index === 0 ? 0 : random.below(2)));
    return { kind: "phrase", terms, offsets: offsets.sort((a, b) => a - b) };
  }
  const word = randomWord(random, words);
  const isPrefix = random.below(5) === 0;
  const term = isPrefix ? word.slice(0, 1 + random.below(6)) : word;
  return { kind: "word", term, form: term, isPrefix };
}

function checkSearch(
  random: Random,
  words: readonly string[],
  documents: ReadonlyMap<number, NaiveDocument>,
  segments: readonly Segment[],
): void {
  const parts = Array.from({ length: 1 + random.below(4) }, () => randomPart(random, words));
  const excluded = random.below(4) === 0 ? [randomPart(random, words)] : [];
  const minimum = 1 + random.below(parts.length);
  const boosts = [
    [1, 0],
    [0, 1],
    [3, 1],
    [1, 0.5],
  ][random.below(4)]!;
  const fuzzy = ([0, 0, 0, 1, 2, "auto"] as Fuzziness[])[random.below(6)]!;
  const synonyms = new Map(random.below(5) === 0 ? [[words[0]!, [words[9]!, "none"]]] : []);
  const match = new TextMatch(
    { parts, excluded, minMatches: minimum, boosts, fuzzy, synonyms },
    segments,
  );
  const statistics = match.statistics(KEYS);
  const averages = statistics.lengths.map((sum) => sum / statistics.documents);
  for (const [key, average] of averageLengths(documents, KEYS).entries()) {
    assert.ok(Math.abs(averages[key]! - average) < 0.05 * average, "average length");
  }
  const expected = searchNaively(documents, {
    ...{ parts, excluded, minMatches: minimum, boosts, synonyms, averages },
    edits: (form) => (fuzzy === "auto" ? editsFor(form) : fuzzy),
  });
  const label = JSON.stringify({ parts, excluded, least: minimum, boosts, fuzzy });

  const scores = new Map<number, number>();
  const everything = Number.NEGATIVE_INFINITY;
  match.run(
    statistics,
    everything,
    (segment, document, score) => {
      assert.not(scores.has(segment.vertexOf(document)), label);
      scores.set(segment.vertexOf(document), score);
      return everything;
    },
    () => undefined,
  );
  assert.equal([...scores.keys()].sort(), [...expected.keys()].sort(), label);
  for (const [vertex, score] of scores) {
    assert.ok(Math.abs(score - expected.get(vertex)!) < 1e-9 * score, `${label}: ${score}`);
  }

  const hits = 1 + random.below(20);
  const top = new TopDocuments(hits);
  const listed = new AllDocuments(false);
  const lists = random.below(2) === 0;
  match.run(
    statistics,
    top.threshold,
    (segment, document, score) => top.add(segment.vertexOf(document), score),
    () => undefined,
    lists ? createSink(listed) : null,
  );
  if (lists) checkColumns(listed, expected, label);
  const best = [...expected.values()].sort((a, b) => b - a).slice(0, hits);
  const topScores = [...top.sorted().scores];
  assert.is(topScores.length, best.length, label);
  for (const [index, score] of topScores.entries()) {
    assert.ok(Math.abs(score - best[index]!) < 1e-9 * score, `${label}: place ${index}`);
  }
}

function createSink(collected: AllDocuments): MatchSink {
  const vertexVersion = (vertex: number): number => (vertex % 3 === 0 ? 0 : vertex);
  return {
    begin: (segment) => collected.begin(segment),
    take: (documents, count) => collected.addCurrent(documents, count, vertexVersion, null),
  };
}

function checkColumns(
  collected: AllDocuments,
  expected: ReadonlyMap<number, number>,
  label: string,
): void {
  assert.equal([...collected.vertices].sort(), [...expected.keys()].sort(), label);
  const names = Array.from({ length: COLUMNS }, (_, index) => `column ${index}`);
  const { counts, others } = countColumns(collected, names, [...names, "another"])!;
  assert.is(others.length, 0);
  assert.equal([...counts.keys()], names);
  for (const [index, name] of names.entries()) {
    const sums = new Map<ColumnValue, number>();
    for (const vertex of expected.keys()) {
      const value = makeColumns(vertex)[index]!;
      if (value !== null) sums.set(value, (sums.get(value) ?? 0) + 1);
    }
    assert.equal(new Map(counts.get(name)), sums, `${label}: ${name}`);
  }
}

test("agrees with a naive search in any number of segments", () => {
  const random = new Random(SEED);
  const words = makeWords(random);
  const forms = new WordForms((form) => (form === STOP_WORD ? null : form));
  assert.is(termNumber(forms, STOP_WORD), NO_TERM);
  const entries = Array.from(
    { length: TEXTS },
    (_, index) => [index + 1, makeDocument(random, words)] as const,
  );
  const documents = new Map(entries);
  const whole = [makeSegment(entries, forms)];
  const cuts = [0, 5, Math.floor(TEXTS / 3), TEXTS];
  const several = cuts
    .slice(1)
    .map((end, index) => makeSegment(entries.slice(cuts[index], end), forms));
  const merged = [placed(finish(mergeSegments(several, () => true, SHAPE)))];
  for (let count = 0; count < SEARCHES; count++) {
    checkSearch(random, words, documents, random.of([whole, several, merged]));
  }
});

test("omits dead documents from a merged segment", () => {
  const random = new Random(SEED + 1);
  const words = makeWords(random);
  const forms = new WordForms((form) => (form === STOP_WORD ? null : form));
  const entries = Array.from(
    { length: 900 },
    (_, index) => [index + 1, makeDocument(random, words)] as const,
  );
  const segments = [0, 300, 600].map((from) => makeSegment(entries.slice(from, from + 300), forms));
  const isAlive = (vertex: number): boolean => vertex % 4 !== 0;
  const encoded = finish(
    mergeSegments(segments, (segment, document) => isAlive(segment.vertexOf(document)), SHAPE),
  );
  const living = entries.filter(([vertex]) => isAlive(vertex));
  const merged = placed(encoded);
  assert.is(merged.documents, living.length);
  assert.equal(
    Array.from({ length: merged.documents }, (_, document) => merged.versionOf(document)),
    living.map(([vertex]) => (vertex % 3 === 0 ? 0 : vertex)),
  );
  for (let count = 0; count < 40; count++) {
    checkSearch(random, words, new Map(living), [merged]);
  }
});

test.run();
