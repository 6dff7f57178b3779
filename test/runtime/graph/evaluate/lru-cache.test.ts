// A cache limited by the number of entries and by the length of their keys.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LruCache } from "../../../../runtime/graph/evaluate/lru-cache.js";

const test = suite("lru cache");

function keysIn(cache: LruCache<number>, keys: readonly string[]): string[] {
  return keys.filter((key) => cache.get(key) !== undefined);
}

test("evicts the least recently used entry", () => {
  const cache = new LruCache<number>(2);
  cache.set("a", 1);
  cache.set("b", 2);
  assert.is(cache.get("a"), 1);
  cache.set("c", 3);
  assert.equal(keysIn(cache, ["a", "b", "c"]), ["a", "c"]);
  cache.set("a", 4);
  assert.is(cache.get("a"), 4);
});

test("evicts several entries for a long key", () => {
  const cache = new LruCache<number>(100, 10);
  for (const key of ["aa", "bb", "cc", "dd"]) cache.set(key, 1);
  cache.set("bb", 2);
  cache.set("e".repeat(6), 3);
  assert.equal(keysIn(cache, ["aa", "bb", "cc", "dd", "eeeeee"]), ["bb", "dd", "eeeeee"]);
});

test("keeps an entry beyond the limit until the next one", () => {
  const cache = new LruCache<number>(100, 10);
  cache.set("a", 1);
  const long = "b".repeat(11);
  cache.set(long, 2);
  assert.equal(keysIn(cache, ["a", long]), [long]);
  cache.set("c", 3);
  assert.equal(keysIn(cache, ["a", long, "c"]), ["c"]);
});

test.run();
