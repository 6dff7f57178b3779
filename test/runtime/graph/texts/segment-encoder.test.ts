// Assumptions of the encoder of segments about its callers, and of readers about its segments.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Segment, SegmentViews } from "../../../../runtime/graph/texts/segment.js";
import { SegmentEncoder } from "../../../../runtime/graph/texts/segment-encoder.js";

const test = suite("segment encoder");
const POSITION = Uint32Array.of(0);

function makeEncoder(): SegmentEncoder {
  const documents = {
    ...{ count: 9, vertices: new Uint32Array(9), versions: null, lengths: [9, 9], columns: [] },
    norms: [new Uint8Array(9), new Uint8Array(9)],
  };
  return new SegmentEncoder(documents, false);
}

function encode(encoder: SegmentEncoder, term: string, key: number, documents: number[]): void {
  encoder.beginTerm(term);
  encoder.beginList(key);
  for (const document of documents) encoder.add(document, POSITION, 0, 1);
  encoder.endList();
}

test("terms, keys and documents ascend", () => {
  const encoder = makeEncoder();
  encode(encoder, "red", 1, [0, 2]);
  assert.throws(() => encoder.beginList(1), /keys of a term ascend/);
  assert.throws(() => encoder.beginTerm("red"), /terms of a segment ascend/);
  assert.throws(() => encode(encoder, "sea", 0, [2, 2]), /documents of a list ascend/);
  const long = Array.from({ length: 128 }, (_, index) => (index < 127 ? index : 0));
  assert.throws(() => encode(encoder, "tea", 0, long), /documents of a list ascend/);
});

test("rejects a truncated segment", () => {
  const encoder = makeEncoder();
  encode(encoder, "red", 0, [1]);
  encoder.endTerm();
  const words = encoder.finish();
  assert.is(new Segment(new SegmentViews(words), 0).textOf(0), "red");
  const cut = new SegmentViews(words.subarray(0, -1));
  assert.throws(() => new Segment(cut, 0), /a segment is within its memory/);
});

test.run();
