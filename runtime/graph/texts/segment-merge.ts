// Merges segments into one, without dead documents.

import { ColumnValues } from "./column-values.js";
import { GrowingWords } from "./growing-array.js";
import { LENGTH_OF_BYTE } from "./lengths.js";
import { ListCursor, NO_DOCUMENT, PositionList } from "./list-cursor.js";
import type { Segment } from "./segment.js";
import type { SegmentShape } from "./segment-builder.js";
import { SegmentColumn } from "./segment-column.js";
import { SegmentEncoder } from "./segment-encoder.js";

const STEP = 4096;
/** New number of a dead document. */
const DROPPED = 0xffff_ffff;

/** Returns whether a document is still the text of its vertex. */
export type IsAlive = (segment: Segment, document: number) => boolean;

/** Merges segments term by term; yields so that the thread can do other work. */
export function* mergeSegments(
  segments: readonly Segment[],
  isAlive: IsAlive,
  { keys, columns, hasPositions }: SegmentShape,
): Generator<undefined, Uint32Array<ArrayBuffer>, void> {
  const documents = yield* renumber(segments, isAlive, keys, columns);
  const encoder = new SegmentEncoder(documents, hasPositions);
  const heads = segments.map((segment, index) => ({
    segment,
    numbers: documents.numbers[index]!,
    term: 0,
    text: segment.terms > 0 ? segment.textOf(0) : null,
  }));
  const positions = new PositionList();
  let done = 0;
  for (;;) {
    let text: string | null = null;
    for (const head of heads) {
      if (head.text !== null && (text === null || head.text < text)) text = head.text;
    }
    if (text === null) break;
    const sources = heads.filter((head) => head.text === text);
    encoder.beginTerm(text);
    for (let key = 0; key < keys; key++) {
      encoder.beginList(key);
      for (const { segment, term, numbers } of sources) {
        const list = segment.findList(term, key);
        if (list === 0) continue;
        const cursor = new ListCursor(segment, list);
        while (cursor.next() !== NO_DOCUMENT) {
          if (++done % STEP === 0) yield;
          const number = numbers[cursor.document]!;
          if (number === DROPPED) continue;
          const count = hasPositions ? cursor.positions(positions) : cursor.frequency;
          encoder.add(number, positions.values, 0, count);
        }
      }
      encoder.endList();
    }
    encoder.endTerm();
    if (++done % STEP === 0) yield;
    for (const head of sources) {
      head.term++;
      head.text = head.term < head.segment.terms ? head.segment.textOf(head.term) : null;
    }
  }
  return encoder.finish();
}

interface MergedDocuments {
  readonly count: number;
  readonly vertices: Uint32Array;
  readonly versions: Uint32Array | null;
  readonly norms: Uint8Array[];
  readonly lengths: number[];
  readonly columns: readonly ColumnValues[];
  /** New numbers, by segment and old number. */
  readonly numbers: Uint32Array[];
}

function* renumber(
  segments: readonly Segment[],
  isAlive: IsAlive,
  keys: number,
  columns: number,
): Generator<undefined, MergedDocuments, void> {
  const vertices = new GrowingWords();
  const versions = new GrowingWords();
  const total = segments.reduce((sum, { documents }) => sum + documents, 0);
  const norms = Array.from({ length: keys }, () => new Uint8Array(total));
  const lengths = new Array<number>(keys).fill(0);
  const numbers: Uint32Array[] = [];
  const merged = Array.from({ length: columns }, () => new ColumnValues());
  let hasVersions = false;
  let count = 0;
  for (const segment of segments) {
    const newNumbers = new Uint32Array(segment.documents).fill(DROPPED);
    numbers.push(newNumbers);
    const { bytes } = segment.views;
    const first = count;
    const readers = merged.map((column, at) => createColumnReader(segment, at, column));
    for (let document = 0; document < segment.documents; document++) {
      if (document % STEP === 0) yield;
      if (!isAlive(segment, document)) continue;
      const version = segment.versionOf(document);
      vertices.push(segment.vertexOf(document));
      versions.push(version);
      if (version !== 0) hasVersions = true;
      for (let key = 0; key < keys; key++) {
        norms[key]![count] = bytes[segment.normsOf(key) + document]!;
      }
      for (const read of readers) read(document);
      newNumbers[document] = count++;
    }
    const isComplete = count - first === segment.documents;
    for (let key = 0; key < keys; key++) {
      lengths[key]! += isComplete ? segment.lengthOf(key) : sumLengths(norms[key]!, first, count);
    }
  }
  return {
    count,
    vertices: vertices.words,
    versions: hasVersions ? versions.words : null,
    norms,
    lengths,
    columns: merged,
    numbers,
  };
}

/** Returns a function that copies a document's value to the merged column. */
function createColumnReader(
  segment: Segment,
  number: number,
  into: ColumnValues,
): (document: number) => void {
  const column = new SegmentColumn(segment, number);
  const numbers = new Uint32Array(column.distinct + 1);
  return (document) => {
    const ordinal = column.ordinalOf(document);
    if (ordinal !== 0) numbers[ordinal] ||= into.numberFor(column.valueOf(ordinal));
    into.addNumber(numbers[ordinal]!);
  };
}

/** Returns the sum of encoded lengths, which are rounded. */
function sumLengths(norms: Uint8Array, from: number, end: number): number {
  let sum = 0;
  for (let at = from; at < end; at++) sum += LENGTH_OF_BYTE[norms[at]!]!;
  return sum;
}
