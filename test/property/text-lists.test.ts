// Postings lists over several windows of documents, from one document to all of them, against sums
// that look at each document: unions, phrases and single lists, alone and combined. ROUNDS=n for
// more segments than the default, SEED=n for the same again.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type DocumentScorer,
  ScoreWindow,
  WINDOW,
} from "../../runtime/graph/texts/document-scorer.js";
import { NO_DOCUMENT } from "../../runtime/graph/texts/list-cursor.js";
import { ListScorer } from "../../runtime/graph/texts/list-scorer.js";
import { PhraseScorer } from "../../runtime/graph/texts/phrase-scorer.js";
import { searchSegment } from "../../runtime/graph/texts/search-segment.js";
import { Segment, SegmentViews } from "../../runtime/graph/texts/segment.js";
import { SegmentEncoder } from "../../runtime/graph/texts/segment-encoder.js";
import { TopDocuments } from "../../runtime/graph/texts/top-documents.js";
import { UnionScorer } from "../../runtime/graph/texts/union-scorer.js";
import { saturate, weightFactors } from "../../runtime/graph/texts/weights.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("postings lists");
const ROUNDS = rounds(4);
const SEARCHES = 40;
const seedLabel = `seed ${SEED}`;
const DOCUMENTS = 2 * WINDOW + 700;
const TERMS = "abcdefghijkl";
const AVERAGE = 7;
const FACTORS = weightFactors(AVERAGE, 1);

/** Positions by document. */
type Postings = ReadonlyMap<number, Uint32Array>;

interface Lists {
  readonly segment: Segment;
  readonly lists: readonly number[];
  readonly postings: readonly Postings[];
  readonly norms: Uint8Array;
}

/** The density of a list depends on its position; some windows or parts of them are empty. */
function makePostings(random: Random, term: number): Postings {
  const postings = new Map<number, Uint32Array>();
  const step = [1, 2, 3, 9, 40, 170, 1000, DOCUMENTS - 1][term % 8]!;
  const begin = random.below(2) * random.below(DOCUMENTS);
  const isSingle = random.below(2) === 0;
  let gap = [0, 0];
  for (let document = begin; document < DOCUMENTS; document += 1 + random.below(2 * step - 1)) {
    if (random.below(500) === 0) gap = [document, document + random.below(WINDOW)];
    if (document > gap[0]! && document < gap[1]!) continue;
    const isRepeated = !isSingle && random.below(5) === 0;
    const first = random.below(3);
    const positions = isRepeated ? [first, first + 1 + random.below(2), 9] : [first];
    postings.set(document, Uint32Array.from(positions));
  }
  return postings;
}

function makeLists(random: Random): Lists {
  const norms = Uint8Array.from({ length: DOCUMENTS }, () => 1 + random.below(12));
  const numbers = Uint32Array.from({ length: DOCUMENTS }, (_, document) => document);
  const lengths = [DOCUMENTS * AVERAGE];
  const documents = { count: DOCUMENTS, vertices: numbers, versions: null, lengths, columns: [] };
  const encoder = new SegmentEncoder({ ...documents, norms: [norms] }, true);
  const postings = [...TERMS].map((_, term) => makePostings(random, term));
  for (const [index, term] of [...TERMS].entries()) {
    encoder.beginTerm(term);
    encoder.beginList(0);
    for (const [document, positions] of postings[index]!) {
      encoder.add(document, positions, 0, positions.length);
    }
    encoder.endList();
    encoder.endTerm();
  }
  const segment = new Segment(new SegmentViews(encoder.finish()), 0);
  const lists = [...TERMS].map((term) => segment.findList(segment.find(term), 0));
  return { segment, lists, postings, norms };
}

/** One word or phrase, and its scores by document. */
interface Part {
  readonly name: string;
  readonly open: () => DocumentScorer;
  readonly scores: ReadonlyMap<number, number>;
}

const WEIGHT = { factors: FACTORS, limitFactor: 1 };

function makePart(random: Random, { segment, lists, postings, norms }: Lists): Part {
  const idf = 0.5 + random.below(8);
  const kind = random.below(5);
  const count = kind < 2 ? 1 : kind === 2 ? 2 : 1 + random.below(4);
  const terms = Array.from({ length: count }, () => random.below(lists.length));
  const used = terms.map((term) => lists[term]!);
  const weights = new Map<number, number>();
  const add = (document: number, frequency: number): void => {
    const weight = frequency * FACTORS[norms[document]!]!;
    if (weight > 0) weights.set(document, (weights.get(document) ?? 0) + weight);
  };
  if (kind === 2) {
    const [first, second] = terms.map((term) => postings[term]!) as [Postings, Postings];
    for (const [document, positions] of first) {
      const next = second.get(document) ?? new Uint32Array();
      add(document, positions.filter((position) => next.includes(position + 1)).length);
    }
  } else {
    for (const term of terms) {
      for (const [document, positions] of postings[term]!) add(document, positions.length);
    }
  }
  const scores = new Map(
    [...weights].map(([document, weight]) => [document, idf * saturate(weight)]),
  );
  const open = (): DocumentScorer => {
    if (kind < 2) return new ListScorer(segment, used[0]!, WEIGHT, idf);
    if (kind === 2) {
      return new PhraseScorer(segment, [{ lists: used, offsets: [0, 1], weight: WEIGHT }], idf);
    }
    return new UnionScorer(
      segment,
      used.map((list) => ({ list, weight: WEIGHT })),
      idf,
    );
  };
  return { name: `${["word", "word", "phrase"][kind] ?? "union"} ${terms}`, open, scores };
}

function isNear(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) < 1e-9 * expected;
}

function eachSearch(check: (random: Random, lists: Lists) => void): void {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const lists = makeLists(random);
    for (let count = 0; count < SEARCHES; count++) check(random, lists);
  }
}

test("parts iterate over their documents by steps and jumps", () => {
  eachSearch((random, lists) => {
    const { name, open, scores } = makePart(random, lists);
    const sorted = [...scores.keys()].sort((a, b) => a - b);
    const scorer = open();
    const jump = random.of([1, 30, 3000]);
    for (let offset = 0, from = 0; ; ) {
      while (offset < sorted.length && sorted[offset]! < from) offset++;
      const isStep = from > 0 && random.below(2) === 0;
      const document = isStep ? scorer.next() : scorer.seek(from);
      const expected = sorted[offset] ?? NO_DOCUMENT;
      if (document !== expected) assert.is(document, expected, `${seedLabel} ${name}`);
      if (document === NO_DOCUMENT) break;
      assert.ok(isNear(scorer.score(), scores.get(document)!), `${seedLabel} ${name}`);
      from = document + 1;
      offset++;
      if (random.below(2) === 0) {
        from += random.below(jump);
        const target = scorer.seek(from);
        while (offset < sorted.length && sorted[offset]! < from) offset++;
        assert.is(target, sorted[offset] ?? NO_DOCUMENT, `${seedLabel} ${name}`);
        if (target === NO_DOCUMENT) break;
        from = target + 1;
        offset++;
      }
    }
  });
});

test("parts add their scores to windows", () => {
  eachSearch((random, lists) => {
    const { name, open, scores } = makePart(random, lists);
    const scorer = open();
    const window = new ScoreWindow();
    for (let from = 0; from < DOCUMENTS; from += WINDOW) {
      const end = Math.min(from + WINDOW, DOCUMENTS);
      if (random.below(4) === 0) continue;
      window.scores.fill(0);
      window.matches.fill(0);
      scorer.add(window, from, end);
      for (let index = 0; index < end - from; index++) {
        const expected = scores.get(from + index) ?? 0;
        if (window.matches[index] !== (expected > 0 ? 1 : 0))
          assert.unreachable(`${seedLabel} ${name}`);
        if (expected > 0)
          assert.ok(isNear(window.scores[index]!, expected), `${seedLabel} ${name}`);
      }
    }
  });
});

test("searches find the best documents and all of them", () => {
  eachSearch((random, lists) => {
    const parts = Array.from({ length: 1 + random.below(3) }, () => makePart(random, lists));
    const excluded = random.below(3) === 0 ? [makePart(random, lists)] : [];
    const minimum = random.below(3) === 0 ? 1 + random.below(parts.length) : parts.length;
    const expected = new Map<number, number>();
    for (let document = 0; document < DOCUMENTS; document++) {
      const partScores = parts.flatMap(({ scores }) => scores.get(document) ?? []);
      if (partScores.length < minimum || excluded.some(({ scores }) => scores.has(document)))
        continue;
      expected.set(
        document,
        partScores.reduce((sum, score) => sum + score, 0),
      );
    }
    const names = parts.map(({ name }) => name);
    const label = `${seedLabel} ${minimum} of ${names} without ${excluded.length}`;
    const top = new TopDocuments(random.of([1 + random.below(12), 3000]));
    const listed: number[] = [];
    const isListed = random.below(2) === 0;
    searchSegment({
      ...{
        documents: DOCUMENTS,
        minMatches: minimum,
        threshold: top.threshold,
        spend: () => undefined,
      },
      scorers: parts.map(({ open }) => open()),
      excluded: excluded.map(({ open }) => open()),
      take: (document, score) => {
        assert.ok(isNear(score, expected.get(document) ?? -1), label);
        return top.add(document, score, document + 1);
      },
      matches: isListed ? (documents, count) => listed.push(...documents.subarray(0, count)) : null,
    });
    if (isListed) assert.equal(listed, [...expected.keys()], label);
    const best = [...expected].sort(([a, x], [b, y]) => y - x || a - b).slice(0, top.capacity);
    const result = top.sorted();
    assert.is(result.count, best.length, label);
    for (const [index, [, score]] of best.entries()) {
      const vertex = result.vertices[index]!;
      assert.ok(isNear(result.scores[index]!, score), `${label}: place ${index}`);
      assert.ok(isNear(expected.get(vertex)!, score), `${label}: vertex of place ${index}`);
      assert.is(result.versions[index], vertex + 1);
    }
  });
});

test.run();
