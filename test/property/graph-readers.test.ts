// Reads during continuous writes by another thread: one side of a vertex is read as of one moment.
// READS=n is the duration of each kind of read in milliseconds.
// limit: 60 s

import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { ARC_WORDS, SIDE_WORDS, Side } from "../../runtime/graph/memory/layout.js";
import type { SideNumber } from "../../runtime/graph/memory/writer.js";
import { D_IN, D_OUT, F_VAL, M_INT, R_LIST, V_EQ } from "../../runtime/graph/model/constants.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { BundledThread } from "./support/bundled-thread.js";
import { SEED } from "./support/random.js";
import { arcsFor, FROM, TO, TYPES } from "./support/whole-graph.js";
import type { WholeWriterData } from "./support/whole-writer.js";

interface Context {
  store: GraphStore;
  graph: Graph;
  writer: Worker;
  control: Int32Array;
}

const test = suite<Context>("reads during writes");
const MILLISECONDS = Number(process.env.READS ?? 400);
const TIMEOUT_MS = 20_000;
const bundled = new BundledThread(new URL("support/whole-writer.ts", import.meta.url));

test.before.each(async (context) => {
  const store = GraphStore.create("test", TEST_THREAD);
  const control = new Int32Array(new SharedArrayBuffer(8));
  const data: WholeWriterData = { share: store.share, thread: 101, seed: SEED, control };
  Object.assign(context, { store, graph: openStore(store), control, writer: bundled.start(data) });
  while (Atomics.load(control, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
});

test.after.each(async ({ writer, control, store }) => {
  const ended = new Promise((resolve) => writer.once("exit", resolve));
  Atomics.store(control, 0, 1);
  await ended;
  checkStore(store);
});

/** Reads until the time is over; the writer must have written meanwhile. */
function often({ control }: Context, read: () => void): void {
  const end = performance.now() + MILLISECONDS;
  const numbers = new Set<number>();
  while (performance.now() < end || numbers.size < 3) {
    assert.ok(performance.now() < end + TIMEOUT_MS, "the writer goes on");
    numbers.add(Atomics.load(control, 1));
    read();
  }
}

/** Values of the arcs on one side, read like queries do, and their rank. */
function readSide(store: GraphStore, side: SideNumber, vertex: number): number[] {
  const { reader, memory } = store;
  const sides = side === 0 ? memory.out : memory.in;
  const arcs = side === 0 ? memory.outArcs : memory.inArcs;
  for (let attempt = 0; ; attempt++) {
    const start = reader.enter(side, vertex, attempt);
    const offset = vertex * SIDE_WORDS;
    const run = sides.words[offset + Side.Pointer]!;
    const degree = sides.words[offset + Side.Degree]!;
    const values: number[] = [];
    const end = run + degree * ARC_WORDS;
    if (end <= arcs.words.length) {
      for (let arc = run; arc < end; arc += ARC_WORDS) values.push(arcs.words[arc + 2]! | 0);
    }
    if (reader.leave(side, vertex, start)) return values;
  }
}

function expectWhole(values: readonly number[]): void {
  const [number] = values;
  assert.ok(number !== undefined && number >= 0, "what is undone is not seen");
  assert.is(values.length, arcsFor(number));
  assert.ok(
    values.every((value) => value === number),
    `values of one moment: ${[...new Set(values)]}`,
  );
}

test("see consistent runs of arcs from both sides", (context) => {
  const { store } = context;
  const [from, to] = [store.ids.find(FROM), store.ids.find(TO)];
  often(context, () => {
    expectWhole(readSide(store, 0, from));
    expectWhole(readSide(store, 1, to));
  });
});

test("see consistent arcs through their index", (context) => {
  const { store } = context;
  const { reader, outArcs } = store;
  const from = store.ids.find(FROM);
  const leaves = [0, 13, 39].map((leaf) => store.ids.find(`leaf ${leaf}`));
  const key = ((store.relationships.codeOf("to") << 16) | (M_INT << 8)) >>> 0;
  const valueFor = (leaf: number): number => {
    const position = outArcs.find(from, leaf, key);
    return position < 0 ? -1 : outArcs.valueAt(from, position);
  };
  often(context, () => {
    for (let attempt = 0; ; attempt++) {
      const start = reader.enter(0, from, attempt);
      const values = outArcs.covers(from) ? leaves.map(valueFor) : [];
      if (!reader.leave(0, from, start) || values.length === 0) continue;
      assert.ok(values[0]! >= 0, "the arc is always there");
      assert.equal(values, [values[0], values[0], values[0]]);
      return;
    }
  });
});

test("see consistent data of a vertex", (context) => {
  const { store } = context;
  const { reader, vertices, types } = store;
  const from = store.ids.find(FROM);
  often(context, () => {
    for (let attempt = 0; ; attempt++) {
      const start = reader.enter(0, from, attempt);
      const [c1, c0, type] = [vertices.c1(from), vertices.c0(from), vertices.typeOf(from)];
      const degree = vertices.outDegree(from);
      if (!reader.leave(0, from, start)) continue;
      assert.ok(c1 >= 0, "what is undone is not seen");
      // The writer defines the type before it sets it.
      assert.equal([c0, type, degree], [c1, types.codeOf(TYPES[c1 % 2]!), arcsFor(c1)]);
      return;
    }
  });
});

test("see consistent query results", (context) => {
  const { graph, control } = context;
  often(context, () => {
    for (const [id, direction] of [
      [FROM, D_OUT],
      [TO, D_IN],
    ] as const) {
      const options = { arc: ["to", direction], fields: F_VAL, result: R_LIST } as const;
      const rows: readonly unknown[] = graph.neighborhood(id, options);
      const values = new Set(rows.flat());
      assert.ok(values.size <= 1, `values of one moment: ${[...values]}`);
      assert.not.ok(values.has(-1), "what is undone is not seen");
      const number = Atomics.load(control, 1);
      const degree = graph.degree(id, ["to", direction, M_INT, V_EQ, number]);
      assert.ok([0, arcsFor(number)].includes(degree), `${degree} arcs of ${arcsFor(number)}`);
    }
  });
});

test.run();
