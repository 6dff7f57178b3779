// Block allocator of an arena: dirty marks, and free space that is joined, compared with a model.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BlockAllocator } from "../../../../runtime/graph/memory/block-allocator.js";
import { findFreeSpace, joinFreeSpace } from "../../../../runtime/graph/memory/free-space.js";
import { allocateGraphMemory, GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA, Header } from "../../../../runtime/graph/memory/layout.js";
import { Writer } from "../../../../runtime/graph/memory/writer.js";
import { Random, SEED } from "../../../property/support/random.js";
import { type Block, checkBlocks } from "../support/check-blocks.js";
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

/** Writes all words of a block, as its owner would. */
function fill(memory: GraphMemory, block: number, words: number): void {
  memory.strings.words.fill(block, block, block + words);
}

test("joins free blocks to holes, and divides holes into blocks", () => {
  const memory = new GraphMemory(allocateGraphMemory("test"));
  const writer = new Writer(memory, TEST_THREAD);
  const blocks = new BlockAllocator(memory.strings, 1);
  const inUse: { block: number; sizeClass: number }[] = [];
  const generator = new Random(SEED);
  const random = (): number => generator.below(2 ** 20) / 2 ** 20;
  let holes = 0;
  for (let step = 0; step < 4000; step++) {
    // Phases of growth and of decline leave holes of all lengths.
    const isGrowing = step % 800 < 400;
    writer.mutate(() => {
      if (random() < (isGrowing ? 0.7 : 0.2)) {
        const sizeClass = Math.floor(random() ** 2 * 30);
        const block = blocks.allocate(writer, sizeClass);
        assert.is(memory.strings.words[block], 0);
        fill(memory, block, blocks.blockWords(sizeClass));
        inUse.push({ block, sizeClass });
      } else if (inUse.length > 0) {
        const [{ block, sizeClass }] = inUse.splice(Math.floor(random() * inUse.length), 1) as [
          { block: number; sizeClass: number },
        ];
        blocks.free(writer, block, sizeClass);
      }
    });
    if (step % 100 === 0) {
      const space = findFreeSpace(memory, memory.strings, 1)!;
      joinFreeSpace(memory, memory.strings, 1, space);
      holes += space.holes.length;
    }
    if (step % 50 !== 0) continue;
    const used = inUse.map(({ block, sizeClass }): Block => [block, blocks.blockWords(sizeClass)]);
    checkBlocks({ memory }, memory.strings, 1, used);
    for (const [block, words] of used) {
      const content = memory.strings.words.subarray(block, block + words);
      assert.ok(content.every((word) => word === block));
    }
  }
  assert.ok(holes > 20, `${holes} holes`);
});

test("takes nothing from a hole when the change is rolled back", () => {
  const memory = new GraphMemory(allocateGraphMemory("test"));
  const writer = new Writer(memory, TEST_THREAD);
  const blocks = new BlockAllocator(memory.strings, 1);
  const size = blocks.classFor(2 * CHUNK_WORDS);
  const [first] = [1, 2, 3].map(() => writer.mutate(() => blocks.allocate(writer, size)));
  writer.mutate(() => blocks.free(writer, first!, size));
  joinFreeSpace(memory, memory.strings, 1, findFreeSpace(memory, memory.strings, 1)!);
  const before = memory.header.words.slice();
  const used = [1, 2].map((index): Block => [index * 2 * CHUNK_WORDS + 1, 2 * CHUNK_WORDS]);
  for (const sizeClass of [0, blocks.classFor(CHUNK_WORDS + 1), size]) {
    assert.ok(blocks.hasRoom(writer, sizeClass));
    assert.throws(() =>
      writer.mutate(() => {
        assert.ok(blocks.allocate(writer, sizeClass) < first! + 2 * CHUNK_WORDS, "from the hole");
        throw new Error("rolled back");
      }),
    );
    before[Header.Rollbacks]!++;
    assert.equal(memory.header.words, before);
    checkBlocks({ memory }, memory.strings, 1, used);
  }
  const tooLarge = blocks.classFor(2 * CHUNK_WORDS + 1);
  assert.ok(writer.mutate(() => blocks.allocate(writer, tooLarge)) > 3 * 2 * CHUNK_WORDS);
});

test("lowers the end, and gives up on too many free blocks", () => {
  const memory = new GraphMemory(allocateGraphMemory("test"));
  const writer = new Writer(memory, TEST_THREAD);
  const blocks = new BlockAllocator(memory.strings, 1);
  const allocated = writer.mutate(() =>
    Array.from({ length: 8 }, () => blocks.allocate(writer, 0)),
  );
  writer.mutate(() => {
    for (const block of [1, 3, 5, 6, 7]) blocks.free(writer, allocated[block]!, 0);
  });
  joinFreeSpace(memory, memory.strings, 1, findFreeSpace(memory, memory.strings, 1)!);
  assert.equal([blocks.usedWords(writer), blocks.freeWords(writer)], [allocated[5], 2]);
  writer.mutate(() => {
    for (let count = 0; count < 200_100; count++) blocks.allocate(writer, 0);
  });
  writer.mutate(() => {
    for (let block = 10; block < 200_010; block++) blocks.free(writer, block, 0);
  });
  assert.ok(findFreeSpace(memory, memory.strings, 1) !== null);
  writer.mutate(() => blocks.free(writer, 9, 0));
  assert.is(findFreeSpace(memory, memory.strings, 1), null);
});

test.run();
