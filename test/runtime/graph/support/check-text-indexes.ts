// Checks the text indexes of a graph from outside: every block of their arena belongs to one of
// them, to a retired segment, or to a builder.

import * as assert from "uvu/assert";
import { blockUnits } from "../../../../runtime/graph/memory/block-allocator.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { SegmentHead } from "../../../../runtime/graph/texts/segment-layout.js";
import {
  DIRECTORY_WORDS,
  Entry,
  entryAt,
  INDEX_PLACES,
  RING_WORDS,
  TEXT_UNIT_WORDS,
} from "../../../../runtime/graph/texts/text-layout.js";
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";

/** @throws at the first inconsistency */
export function checkTextIndexes(store: GraphStore): void {
  const { memory } = store;
  const { words } = memory.texts;
  const header = memory.header.words;
  const directory = header[Header.TextDirectory]!;
  const blocks: Block[] = [];
  const add = (start: number, length: number): number =>
    blocks.push([start, blockWords(TEXT_UNIT_WORDS, length)]);
  const addSegment = (start: number): number => {
    const units = blockUnits(words[start + SegmentHead.SizeClass]!);
    return blocks.push([start, units * TEXT_UNIT_WORDS]);
  };
  let count = 0;
  if (directory !== 0) {
    add(directory, DIRECTORY_WORDS);
    add(header[Header.TextRing]!, RING_WORDS);
    for (let index = 0; index < INDEX_PLACES; index++) {
      const entry = entryAt(directory, index);
      const word = (field: number): number => words[entry + field]!;
      assert.is(word(Entry.Sequence) & 1, 0, `text index ${index} is not being written`);
      if (word(Entry.Definition) !== 0) {
        count++;
        add(word(Entry.Definition), Math.ceil(word(Entry.DefinitionBytes) / 4) + 1);
      }
      for (let index = 0; index < word(Entry.SegmentCount); index++)
        addSegment(word(Entry.Segments + index));
      if (word(Entry.Building) !== 0) {
        const units = blockUnits(word(Entry.BuildingClass));
        blocks.push([word(Entry.Building), units * TEXT_UNIT_WORDS]);
      }
    }
  }
  let retired = header[Header.TextRetired]!;
  for (; retired !== 0; retired = words[retired + SegmentHead.NextRetired]!) addSegment(retired);
  assert.is(header[Header.TextIndexCount], count, "number of text indexes");
  checkBlocks(store, memory.texts, TEXT_UNIT_WORDS, blocks);
}

/** Text indexes that include a key. */
export function textIndexesOfKey({ texts }: GraphStore, key: number): number {
  return texts.indexes().filter((index) => texts.definition(index)!.keys.includes(key)).length;
}
