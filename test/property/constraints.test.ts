// Constraints against a naive model: random changes, batches that fail, deletions and creations,
// replays and reopened snapshots. STEPS=n makes more changes, SEED=n the same again.
// limit: 120 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import type { Vertex } from "../../runtime/graph/api/vertex.js";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/manager/snapshot/save-graph.js";
import { ConstraintError } from "../../runtime/graph/model/errors.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { loggedStore, makeLog, replayTo } from "../runtime/graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { BundledThread } from "./support/bundled-thread.js";
import type { CreatorData } from "./support/creating-thread.js";
import { Random, SEED } from "./support/random.js";

const test = suite("constraints");
const STEPS = Number(process.env.STEPS ?? 800);
const IDS = Array.from({ length: 40 }, (_, index) => `v${index}`);
const TYPES = ["t", "u"];
const KEYS = ["a", "b"];
const VALUES = [null, 1, 2, 3, 1.5, "x", "y", "z", "long text that is not in a cell", [1, 2]];

type Value = (typeof VALUES)[number];
interface Rules {
  unique?: boolean;
  required?: boolean;
  value?: "string" | "number";
}

/** Vertices with their types and properties, and rules by type and key, in plain objects. */
class Model {
  vertices = new Map<string, { type: string | null; values: Map<string, Value> }>();
  readonly rules = new Map<string, Rules>();

  copy(): Map<string, { type: string | null; values: Map<string, Value> }> {
    const copies = [...this.vertices].map(([id, { type, values }]) => {
      return [id, { type, values: new Map(values) }] as const;
    });
    return new Map(copies);
  }

  isKept(): boolean {
    return [...this.rules].every(([name, rules]) => this.keeps(name, rules));
  }

  keeps(name: string, rules: Rules): boolean {
    const [type, key] = name.split(".") as [string, string];
    const uniqueValues = new Set<string>();
    for (const { type: vertexType, values } of this.vertices.values()) {
      if (vertexType !== type) continue;
      const value = values.get(key) ?? null;
      if (value === null) {
        if (rules.required === true) return false;
        continue;
      }
      if (rules.value !== undefined && typeof value !== rules.value) return false;
      const text = JSON.stringify(value);
      if (rules.unique === true && uniqueValues.has(text)) return false;
      uniqueValues.add(text);
    }
    return true;
  }
}

/** Changes one open vertex. */
type Write = (id: string, run: (vertex: Vertex) => void) => void;

function writeOpened(graph: Graph): Write {
  return (id, run) => {
    const vertex = graph.openVertex(id);
    try {
      run(vertex);
    } finally {
      vertex.close();
    }
  };
}

/** One random change; applies it to the model as if all of it were allowed. */
function makeChange(random: Random, graph: Graph, model: Model, write: Write): () => void {
  const id = random.of(IDS);
  const known = model.vertices.get(id);
  const [type, key, value] = [random.of(TYPES), random.of(KEYS), random.of(VALUES)];
  if (known === undefined) {
    const properties = Object.fromEntries(KEYS.map((each) => [each, random.of(VALUES)]));
    model.vertices.set(id, { type, values: new Map(Object.entries(properties)) });
    return () => graph.createVertex(id, { type, properties: properties as never });
  }
  switch (random.below(7)) {
    case 0:
      model.vertices.delete(id);
      return () => graph.deleteVertex(id);
    case 1:
      known.type = type;
      return () => write(id, (vertex) => vertex.setType(type));
    case 2:
      if (!known.values.delete(key)) return () => {};
      return () => write(id, (vertex) => vertex.removeProperty(key));
    case 3:
      known.values.clear();
      return () => write(id, (vertex) => vertex.removeProperties());
    default:
      known.values.set(key, value);
      return () => write(id, (vertex) => vertex.setProperty(key, value as never));
  }
}

/** Runs changes, as a batch if there are several; both sides accept or refuse them. */
function run(graph: Graph, model: Model, count: number, random: Random, isFailing: boolean): void {
  const before = model.copy();
  const isBatch = count > 1 || isFailing;
  const open = new Map<string, Vertex>();
  // A batch cannot open vertices.
  for (const id of isBatch ? model.vertices.keys() : []) open.set(id, graph.openVertex(id));
  const write: Write = isBatch
    ? (id, run) => {
        const vertex = open.get(id);
        if (vertex === undefined) throw new RangeError("created in this batch");
        run(vertex);
      }
    : writeOpened(graph);
  const changes = (): void => {
    for (let remaining = count; remaining > 0; remaining--)
      makeChange(random, graph, model, write)();
    if (isFailing) throw new RangeError("fails");
  };
  try {
    if (isBatch) graph.batch(changes);
    else changes();
  } catch (error) {
    const isRefused = error instanceof ConstraintError;
    if (!isRefused && !(error instanceof RangeError)) throw error;
    if (isRefused) assert.not(model.isKept(), "something is in the way");
    model.vertices = before;
    return;
  } finally {
    graph.closeAll();
  }
  assert.ok(model.isKept(), "all rules are kept");
}

function changeRules(random: Random, graph: Graph, model: Model): void {
  const [type, key] = [random.of(TYPES), random.of(KEYS)];
  const name = `${type}.${key}`;
  if (random.below(3) === 0) {
    assert.is(graph.dropConstraint({ type, key }), model.rules.delete(name));
    return;
  }
  const rules: Rules = { unique: random.below(3) > 0, required: random.below(4) === 0 };
  if (random.below(4) === 0) rules.value = random.of(["string", "number"] as const);
  if (!rules.unique && !rules.required && rules.value === undefined) return;
  try {
    graph.constrain({ type, key, ...rules });
  } catch (error) {
    assert.instance(error, ConstraintError);
    assert.not(model.keeps(name, rules), "the data break the rules");
    return;
  }
  assert.ok(model.keeps(name, rules), "the data keep the rules");
  model.rules.set(name, rules);
}

function checkSame(graph: Graph, model: Model): void {
  for (const id of IDS) {
    const known = model.vertices.get(id);
    assert.is(graph.hasVertex(id), known !== undefined, id);
    if (known === undefined) continue;
    const vertex = graph.getVertex(id);
    assert.is(vertex.type ?? null, known.type, `type of ${id}`);
    assert.equal(vertex.getProperties(), Object.fromEntries(known.values), `values of ${id}`);
  }
}

test("accept and reject the same changes as a naive model", () => {
  const random = new Random(SEED);
  const folder = mkdtempSync(join(tmpdir(), "svc-constraints-"));
  let store = loggedStore();
  let copy = GraphStore.create("test", TEST_THREAD);
  let graph = openStore(store);
  const model = new Model();
  for (let step = 0; step < STEPS; step++) {
    const kind = random.below(40);
    if (kind === 0) changeRules(random, graph, model);
    else if (kind < 8) run(graph, model, 1 + random.below(6), random, random.below(3) === 0);
    else run(graph, model, 1, random, false);
    if (kind === 1) {
      replayTo(store, copy);
      checkSame(openStore(copy), model);
      assert.equal(openStore(copy).constraints(), graph.constraints());
      checkStore(copy);
    }
    if (kind === 2 && random.below(8) === 0) {
      checkSame(graph, model);
      saveGraph(store, folder);
      const log = makeLog();
      const loadedStore = loadGraph("test", folder, TEST_THREAD, {
        warn: assert.unreachable,
        log,
      })!;
      loadedStore.memory.log!.isOn = true;
      checkStore(loadedStore);
      checkSame(openStore(loadedStore), model);
      // Continues with the stored graph, and a new replica of it.
      store = loadedStore;
      graph = openStore(store);
      copy = loadGraph("test", folder, TEST_THREAD, { warn: assert.unreachable })!;
    }
  }
  checkStore(store);
  checkSame(graph, model);
  rmSync(folder, { recursive: true });
});

test("exactly one of two threads creates a value", async () => {
  const store = loggedStore();
  const graph = openStore(store);
  graph.constrain({ type: "t", key: "a", unique: true });
  const values = 300;
  const bundled = new BundledThread(new URL("support/creating-thread.ts", import.meta.url));
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const result = await Promise.all(
    [1, 2].map((thread) => {
      const data: CreatorData = { share: store.share, thread, values, gate };
      const worker = bundled.start(data);
      return new Promise<number>((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
      });
    }),
  );
  assert.is(result[0]! + result[1]!, values);
  assert.is(graph.order, values);
  checkStore(store);
});

test.run();
