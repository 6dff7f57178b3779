// Number and duration of queries for the status services.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";

const test = suite("query meter");

test("carries time beyond one word into the next, and resets both", () => {
  const store = GraphStore.create("metered", 1);
  const { words } = store.memory.header;
  words[Header.QueryTimeUs] = 0xffff_ffff;
  const begun = performance.now() - 2;
  store.meter.begin();
  store.meter.end(begun);
  assert.is(words[Header.QueryCount], 1);
  assert.ok(store.meter.timeUs >= 2 ** 32 - 1 + 2000);
  store.meter.reset();
  assert.is(words[Header.QueryCount], 0);
  assert.is(store.meter.timeUs, 0);
});

test.run();
