// Expressions during continuous writes of properties by another thread: all values read from a
// vertex existed at one moment, in closures and in loops. ROUNDS=n for more than the default.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ArcProgram } from "../../runtime/graph/evaluate/arc-program.js";
import { BoundProgram } from "../../runtime/graph/evaluate/bound-program.js";
import { QueryExecution } from "../../runtime/graph/evaluate/context.js";
import { compileExpression } from "../../runtime/graph/evaluate/program.js";
import { UNTYPED } from "../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { startWorker, waitForExit } from "../support/start-worker.js";
import { SEED } from "./support/random.js";

const test = suite("expressions during writes");
const ROUNDS = rounds(1);
const VERTICES = 40;
const REAL = 1;
const TRAIL = {
  ...{ tail: 1, level: 1, side: 0 },
  ...{ prev: 1, prevWord1: 0, prevBits: 0, prevSide: 0 },
};

/** A condition that never holds for any vertex, and whether it is compiled to a loop. */
const NEVER: readonly (readonly [text: string, hasLoop: boolean])[] = [
  ["next['a'] < 0", true],
  ["('a' in next) != ('c' in next)", true],
  ["('b' in next) && next['a'] == null", false],
  ["'a' in next && sum(next['c']) != next['a'] * 2", false],
  ["next['b'] != 'text ' + next['a'] && 'a' in next", false],
];

/** A store of vertices from handle 1 on, without properties. */
function makeStore(): GraphStore {
  const store = GraphStore.create("test", TEST_THREAD);
  store.writer.mutate(() => {
    for (let index = 0; index < VERTICES; index++) {
      store.vertices.setMeta(store.vertices.allocate(), UNTYPED, REAL);
    }
    for (const name of ["a", "b", "c"]) store.keys.define(name);
  });
  return store;
}

test("never see a partial change", async () => {
  const store = makeStore();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const keys = ["a", "b", "c"].map((name) => store.keys.codeOf(name));
  const task = { share: store.share, thread: TEST_THREAD + 1, vertices: VERTICES, done, keys };
  const run = new QueryExecution(store, null);
  const programs = NEVER.flatMap(([text, hasLoop]) => {
    const cold = new BoundProgram(store, compileExpression(`${text} `), run);
    const hot = new BoundProgram(store, compileExpression(`${text};0;${text}`), run);
    const loop = new BoundProgram(store, compileExpression(`(${text})`), run);
    assert.is(loop.program.loop("filter", 1e6) !== null, hasLoop, text);
    return [cold, hot, loop].map((bound) => ({ text, program: new ArcProgram(bound) }));
  });
  const worker = startWorker(new URL("./support/property-writer.ts", import.meta.url), {
    ...{ ...task, rounds: 60_000 * ROUNDS, seed: SEED },
  });
  const ended = waitForExit(worker);
  const words = Uint32Array.from({ length: VERTICES * 3 }, (_, index) =>
    index % 3 === 0 ? 1 + index / 3 : 0,
  );
  let looks = 0;
  while (Atomics.load(done, 0) === 0) {
    for (const { text, program } of programs) {
      assert.is(program.filter(TRAIL, words.slice(), 0, words.length), 0, `SEED=${SEED}: ${text}`);
      looks += VERTICES;
    }
    // Receives messages of the thread, such as its failure.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  assert.ok(looks > 10_000, `${looks}`);
});

test.run();
