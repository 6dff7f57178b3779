// Sort keys of hits: their bytes compare like the hits, and decode to the encoded values.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LastHit } from "../../../../../runtime/graph/query/hits/page-position.js";
import {
  decodeSortKey,
  encodeSortKey,
} from "../../../../../runtime/graph/query/render/sort-key.js";
import { Random, SEED } from "../../../../property/support/random.js";

const test = suite("sort key");
const NUMBERS = [Number.NEGATIVE_INFINITY, -1e300, -2, -1e-300, 0, 1e-300, 2, 7, 1e300];
const TEXTS = ["", "a", "a\u0000", "a\u0000b", "ab", "\u0001", "é", "\u{1f600}", "\uffff"];

function randomHit(random: Random): LastHit {
  const text = (): string => random.of(TEXTS);
  const word = (): number => random.of([0, 1, 255, 256, 2 ** 31, 2 ** 32 - 1]);
  return {
    key: random.of([...NUMBERS, Number.POSITIVE_INFINITY]),
    ...{ name: text(), head: text(), tail: text() },
    ...{ level: random.below(3), side: random.below(4), word1: word(), bits: word() },
  };
}

function compareHits(a: LastHit, b: LastHit, isNameDescending: boolean): number {
  const texts = (x: string, y: string): number => Buffer.compare(Buffer.from(x), Buffer.from(y));
  const named = texts(a.name, b.name);
  return (
    (a.key === b.key ? 0 : a.key < b.key ? -1 : 1) ||
    (isNameDescending ? -named : named) ||
    texts(a.head, b.head) ||
    texts(a.tail, b.tail) ||
    a.level - b.level ||
    a.side - b.side ||
    a.word1 - b.word1 ||
    a.bits - b.bits
  );
}

test("decodes to the hit, and compares as the hit does", () => {
  const random = new Random();
  for (let round = 0; round < 20_000; round++) {
    const [a, b] = [randomHit(random), randomHit(random)];
    const isNameDescending = random.below(2) === 0;
    const [first, second] = [a, b].map((hit) => encodeSortKey(hit, isNameDescending));
    assert.equal(decodeSortKey(first!), a, `seed ${SEED}`);
    const order = Math.sign(Buffer.compare(first!, second!));
    assert.is(order, Math.sign(compareHits(a, b, isNameDescending)), `seed ${SEED}`);
  }
});

test("treats both zeros as equal", () => {
  const hit = { ...randomHit(new Random()), key: 0 };
  assert.equal(encodeSortKey({ ...hit, key: -0 }, false), encodeSortKey(hit, false));
});

test.run();
