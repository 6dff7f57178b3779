// Blocks that cannot contain a better document are not decoded.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ListCursor, NO_DOCUMENT } from "../../../../runtime/graph/texts/list-cursor.js";
import { ListScorer } from "../../../../runtime/graph/texts/list-scorer.js";
import { searchSegment } from "../../../../runtime/graph/texts/search-segment.js";
import { Segment, SegmentViews } from "../../../../runtime/graph/texts/segment.js";
import { SegmentEncoder } from "../../../../runtime/graph/texts/segment-encoder.js";
import { BLOCK } from "../../../../runtime/graph/texts/segment-layout.js";
import { TopDocuments } from "../../../../runtime/graph/texts/top-documents.js";
import { weightFactors } from "../../../../runtime/graph/texts/weights.js";

const test = suite("skipped blocks");
const BLOCKS = 20;
const LENGTH = 7;
const POSITION = Uint32Array.of(0);

/** A segment of equally long texts with one word; some have it twice. */
function makeSegment(repeats: (document: number) => boolean): Segment {
  const count = BLOCKS * BLOCK;
  const numbers = Uint32Array.from({ length: count }, (_, document) => document + 1);
  const encoder = new SegmentEncoder(
    {
      ...{ count, vertices: numbers, versions: null, lengths: [count * LENGTH] },
      columns: [],
      norms: [new Uint8Array(count).fill(LENGTH)],
    },
    false,
  );
  encoder.beginTerm("red");
  encoder.beginList(0);
  const twice = Uint32Array.of(0, 1);
  for (let document = 0; document < count; document++) {
    const positions = repeats(document) ? twice : POSITION;
    encoder.add(document, positions, 0, positions.length);
  }
  encoder.endList();
  encoder.endTerm();
  return new Segment(new SegmentViews(encoder.finish()), 0);
}

/** Returns the best documents and the number of decoded blocks. */
function search(segment: Segment, average: number) {
  const list = segment.listsOf(segment.find("red"));
  const growth = Math.max(1, average / LENGTH);
  const weight = { factors: weightFactors(average, 1), limitFactor: growth };
  const scorer = new ListScorer(segment, list, weight, 1.7);
  const top = new TopDocuments(10);
  searchSegment({
    ...{ documents: segment.documents, scorers: [scorer], excluded: [], minMatches: 1 },
    threshold: top.threshold,
    take: (document, score) => top.add(segment.vertexOf(document), score),
    spend: () => undefined,
    matches: null,
  });
  return { vertices: [...top.sorted().vertices], decoded: scorer.cursor.decoded };
}

for (const average of [LENGTH, LENGTH * 1.3, LENGTH / 1.3]) {
  test(`decodes one block of equal scores, average length ${average}`, () => {
    const { vertices, decoded } = search(
      makeSegment(() => false),
      average,
    );
    assert.equal(vertices, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.is(decoded, 1);
  });

  test(`finds better documents of later blocks, average length ${average}`, () => {
    const isBetter = (document: number) => document === 17 * BLOCK + 5;
    const { vertices, decoded } = search(makeSegment(isBetter), average);
    assert.is(vertices[0], 17 * BLOCK + 6);
    assert.is(decoded, 2);
  });
}

test("seeks past the last document of a short list at once", () => {
  const segment = makeSegment((document) => document < 3);
  const short = new SegmentEncoder(
    {
      ...{ count: 9, vertices: new Uint32Array(9), versions: null, lengths: [9], columns: [] },
      norms: [new Uint8Array(9)],
    },
    false,
  );
  short.beginTerm("red");
  short.beginList(0);
  for (const document of [0, 2]) short.add(document, POSITION, 0, 1);
  short.endList();
  short.endTerm();
  for (const candidate of [new Segment(new SegmentViews(short.finish()), 0), segment]) {
    const cursor = new ListCursor(candidate, candidate.listsOf(candidate.find("red")));
    const behind = candidate.documents;
    assert.is(cursor.seek(behind), NO_DOCUMENT);
    assert.is(cursor.seek(behind), NO_DOCUMENT);
  }
});

test.run();
