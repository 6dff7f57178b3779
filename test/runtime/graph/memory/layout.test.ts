// Words of a graph's header: each has one meaning.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  ALLOCATORS,
  ALLOCATORS_END,
  HEADER_WORDS,
  Header,
  IDENTITY_WORDS,
  THREADS_WORDS,
} from "../../../../runtime/graph/memory/layout.js";

const test = suite("layout of the header");
const DIGEST_WORDS = 4;
/** Words of the fields that have more than one. */
const LENGTHS: Readonly<Partial<Record<keyof typeof Header, number>>> = {
  Identity: IDENTITY_WORDS,
  Digest: DIGEST_WORDS,
  Threads: THREADS_WORDS,
  Similarity: Header.Moves - Header.Similarity,
};

test("gives each word to one field", () => {
  const owners = new Map<number, string>();
  for (let word = ALLOCATORS; word < ALLOCATORS_END; word++) owners.set(word, "allocators");
  for (const [name, start] of Object.entries(Header)) {
    const length = LENGTHS[name as keyof typeof Header] ?? 1;
    for (let word = start; word < start + length; word++) {
      assert.is(owners.get(word), undefined, `word ${word} of ${name}`);
      assert.ok(word < HEADER_WORDS);
      owners.set(word, name);
    }
  }
});

test.run();
