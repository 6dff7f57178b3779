// Block allocator of an arena: chunks are marked dirty before anything can be written to them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BlockAllocator } from "../../../../runtime/graph/memory/block-allocator.js";
import { allocateGraphMemory, GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA } from "../../../../runtime/graph/memory/layout.js";
import { Writer } from "../../../../runtime/graph/memory/writer.js";
import { TEST_THREAD } from "../support/make-graph.js";

const CHUNKS = 4;

const test = suite("block allocator");

test("marks a whole block dirty on allocation, new or reused", () => {
  const memory = new GraphMemory(allocateGraphMemory("test"));
  const writer = new Writer(memory, TEST_THREAD);
  const blocks = new BlockAllocator(memory.strings, 1);
  const size = blocks.classFor(CHUNKS * CHUNK_WORDS);
  const first = memory.strings.id * CHUNKS_PER_ARENA;
  const marks = memory.dirty.words.subarray(first, first + CHUNKS);
  for (const kind of ["new", "used again"]) {
    const block = writer.mutate(() => blocks.allocate(writer, size));
    assert.is(block, 1, kind);
    assert.equal(
      [...marks],
      Array.from(marks, () => 1),
      kind,
    );
    writer.mutate(() => blocks.free(writer, block, size));
    marks.fill(0);
  }
});

test.run();
