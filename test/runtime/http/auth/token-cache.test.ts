// Principals of verified tokens: expiry and limits.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TokenCache } from "../../../../runtime/http/auth/token-cache.js";
import { bearer } from "../../../support/bearer-head.js";

const test = suite("TokenCache");
const LATER = Date.now() + 60_000;

test("returns a principal until it expires", () => {
  const cache = new TokenCache();
  const [ann, bob] = [{}, {}];
  const head = bearer("a");
  assert.is(cache.find(head), null);
  cache.add("a", ann, Date.now() - 1);
  assert.is(cache.find(head), null);
  cache.add("a", bob, LATER);
  assert.is(cache.find(head), bob);
  assert.is(cache.find(bearer("a")), bob);
  assert.is(cache.find(bearer("b")), null);
});

test("forgets the oldest of too many tokens", () => {
  const cache = new TokenCache();
  for (let index = 0; index <= 10_000; index++) cache.add(`t${index}`, {}, LATER);
  assert.is(cache.find(bearer("t0")), null);
  assert.is.not(cache.find(bearer("t1")), null);
});

test("forgets the oldest of too many characters", () => {
  const cache = new TokenCache();
  const long = (index: number) => `${index}`.padStart(16 * 1024, "t");
  for (let index = 0; index <= 512; index++) cache.add(long(index), {}, LATER);
  assert.is(cache.find(bearer(long(0))), null);
  assert.is.not(cache.find(bearer(long(1))), null);
  // A token that is verified again counts once.
  for (let index = 0; index < 600; index++) cache.add(long(512), {}, LATER);
  assert.is.not(cache.find(bearer(long(1))), null);
});

test.run();
