// Heads of responses that are kept by media type and status.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeptHeads } from "../../../runtime/http/kept-heads.js";

const test = suite("kept heads");

test("are made once for each media type and status", () => {
  const created: string[] = [];
  const heads = new KeptHeads((status, mediaType) => created.push(`${status} ${mediaType}`));
  for (let round = 0; round < 2; round++) {
    assert.is(heads.get(200, "a/b"), 1);
    assert.is(heads.get(404, "a/b"), 2);
    assert.is(heads.get(200, null), 3);
  }
  assert.equal(created, ["200 a/b", "404 a/b", "200 null"]);
});

test("are made a second time after 100 other media types", () => {
  let created = 0;
  const heads = new KeptHeads((_, mediaType) => `${mediaType} ${++created}`);
  heads.get(200, "first");
  for (let number = 1; number < 100; number++) heads.get(200, `a/${number}`);
  assert.is(heads.get(200, "first"), "first 1");
  heads.get(200, "a/100");
  assert.is(heads.get(200, "first"), "first 102");
});

test.run();
