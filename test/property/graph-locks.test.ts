// limit: 60 s
// Random opening, closing, escalating and deleting by several sessions of two threads, against a
// model of plain objects. ROUNDS=n runs more, SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import type { Vertex } from "../../runtime/graph/api/vertex.js";
import { Header } from "../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { openStore } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { LockModel, type ModelHold } from "./support/lock-model.js";
import { Random, SEED } from "./support/random.js";

const test = suite("graph locks");
const ROUNDS = rounds(1);
const STEPS = 20_000 * ROUNDS;
const THREADS = [100, 101];
const SESSIONS = 5;
const IDS = ["A", "B", "C", "D", "E"];
/** Number of handles that are kept, most of them closed or invalid. */
const MAX_HANDLES = 40;

/** A handle of the graph, and its counterpart in the model. */
interface Handle {
  readonly vertex: Vertex;
  readonly hold: ModelHold;
  isClosed: boolean;
}

class Comparison {
  readonly #random = new Random();
  readonly #model = new LockModel();
  readonly #stores: GraphStore[];
  readonly #graphs: Graph[];
  #handles: Handle[] = [];

  constructor() {
    const first = GraphStore.create("test", THREADS[0]!);
    this.#stores = [first, GraphStore.attach(first.share, THREADS[1]!)];
    this.#graphs = Array.from({ length: SESSIONS }, (_, session) =>
      openStore(this.#stores[session % 2]!),
    );
  }

  step(): void {
    const random = this.#random;
    const session = random.below(SESSIONS);
    const graph = this.#graphs[session]!;
    const id = random.of(IDS);
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        return this.#open(session, [id], random.of(["r", "a", "w"] as const));
      case 3:
        return this.#open(session, this.#someIds(), random.of(["r", "a"] as const));
      case 4:
      case 5:
        return this.#close();
      case 6:
        if (random.below(4) > 0) return this.#escalateOrRelax();
        return assert.is(graph.closeAll(), this.#model.closeAll(session));
      case 7:
        return this.#same(() => graph.deleteVertex(id), this.#model.delete(session, id));
      case 8:
        return this.#same(() => graph.createVertex(id), this.#model.create(session, id));
      default:
        return this.#escalateOrRelax();
    }
  }

  /** All observable state of locks, in both threads. */
  check(): void {
    const { holds, vertices } = this.#model;
    for (const [index, store] of this.#stores.entries()) {
      const graph = this.#graphs[index]!;
      assert.equal(
        graph
          .getOpenVertices()
          .map(([id, , mode]) => `${id} ${mode}`)
          .sort(),
        holds.map((hold) => `${hold.id} ${hold.isWritable ? "WL" : "RO"}`).sort(),
      );
      assert.is(store.memory.header.words[Header.LocksHeld], holds.length);
      for (const id of IDS) assert.is(graph.hasVertex(id), vertices.has(id), id);
      assert.is(store.order, vertices.size);
    }
    for (const { vertex, hold, isClosed } of this.#handles) {
      const isAlive = !isClosed && hold.count > 0;
      assert.equal(
        [vertex.readable(), vertex.writable(), vertex.readonly()],
        [isAlive, isAlive && hold.isWritable, isAlive && !hold.isWritable],
      );
      if (isAlive && hold.isWritable) assert.is(vertex.xrecursion, hold.count);
      if (isAlive) assert.is(vertex.virtual, !vertices.get(hold.id));
    }
  }

  #open(session: number, ids: string[], mode: "r" | "a" | "w"): void {
    const graph = this.#graphs[session]!;
    const expected = this.#model.open(session, ids, mode);
    const isOne = ids.length === 1;
    const open = () =>
      isOne ? [graph.openVertex(ids[0]!, mode)] : graph.openVertices(ids, mode as "r" | "a");
    if (typeof expected === "string") {
      // The error of a missing vertex differs between opening one and several.
      return throws(open, expected === "No" && isOne ? "Object does not exist" : expected);
    }
    const opened = open().map((vertex, index) => {
      return { vertex, hold: expected[index]!, isClosed: false };
    });
    this.#handles = [...opened, ...this.#handles].slice(0, MAX_HANDLES);
  }

  #close(): void {
    if (this.#handles.length === 0) return;
    const handle = this.#random.of(this.#handles);
    const isOpen = !handle.isClosed && this.#model.close(handle.hold);
    assert.is(handle.vertex.close(), isOpen);
    handle.isClosed ||= isOpen;
  }

  #escalateOrRelax(): void {
    if (this.#handles.length === 0) return;
    const { vertex, hold, isClosed } = this.#random.of(this.#handles);
    if (isClosed) return throws(() => vertex.relax(), "cannot be accessed");
    if (this.#random.below(2) === 0) this.#same(() => vertex.relax(), this.#model.relax(hold));
    else {
      const refusal = this.#model.escalate(hold);
      if (refusal === "") vertex.escalate();
      else throws(() => vertex.escalate(), refusal);
    }
  }

  /** An expected string is that of an error. */
  #same(act: () => unknown, expected: unknown): void {
    if (typeof expected === "string") throws(act, expected);
    else assert.is(act(), expected);
  }

  /** Two to five ids, without repetition. */
  #someIds(): string[] {
    const start = this.#random.below(IDS.length - 1);
    const from = this.#random.below(IDS.length);
    const rotated = [...IDS.slice(from), ...IDS.slice(0, from)];
    return rotated.slice(0, start + 2);
  }
}

function throws(act: () => unknown, message: string): void {
  assert.throws(act, (error: Error) => error.message.includes(message), message);
}

test("match a model of plain objects", () => {
  const comparison = new Comparison();
  for (let step = 0; step < STEPS; step++) {
    try {
      comparison.step();
      comparison.check();
    } catch (error) {
      console.log(`SEED=${SEED}, step ${step}`);
      throw error;
    }
  }
});

test.run();
