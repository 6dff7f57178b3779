// Constraints: rejected changes, snapshots, replicas, and states after errors.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { graphStatus } from "../../../../runtime/graph/api/status/graph-status.js";
import { clear } from "../../../../runtime/graph/changes/graph.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { V_GT } from "../../../../runtime/graph/model/constants.js";
import { ConstraintError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, makeUnit, replayTo, takeUnits } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
}

const test = suite<Context>("constraints");
const EMAIL_PROPERTY = { type: "person", key: "email" } as const;
const EMAIL = { ...EMAIL_PROPERTY, unique: true } as const;

test.before.each((context) => {
  context.store = loggedStore();
  context.graph = openStore(context.store);
});

test("the status of a graph counts its constraints", ({ graph, store }) => {
  assert.is(graphStatus(store, null).constraints, undefined);
  graph.constrain(EMAIL);
  graph.constrain({ type: "person", key: "age", value: "integer" });
  assert.equal(graphStatus(store, null).constraints, { count: 2 });
  graph.dropConstraint({ type: "person", key: "age" });
  assert.equal(graphStatus(store, null).constraints, { count: 1 });
});

test.after.each(({ store }) => checkStore(store));

function addPerson(graph: Graph, id: string, properties: Record<string, unknown>): number {
  return graph.createVertex(id, { type: "person", properties: properties as never });
}

/** The message of the constraint that a change breaks. */
function refusal(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    assert.instance(error, ConstraintError);
    assert.is((error as ConstraintError).code, "SVC2415");
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

test("a duplicate of a unique value is rejected with the vertex that has it", ({ graph }) => {
  graph.constrain(EMAIL);
  addPerson(graph, "ann", { email: "a@x" });
  const message = refusal(() => addPerson(graph, "bert", { email: "a@x" }));
  assert.is(message, "constraint of person.email: 'bert' has the same value as 'ann'");
  assert.is(graph.hasVertex("bert"), false);
  addPerson(graph, "bert", { email: "b@x" });
  graph.createVertex("shop", { type: "company", properties: { email: "a@x" } });
  graph.createVertex("nobody", { properties: { email: "a@x" } });
  using bert = graph.openVertex("bert");
  refusal(() => bert.setProperty("email", "a@x"));
  assert.is(bert.getProperty("email"), "b@x");
  bert.setProperty("email", "b@x");
  graph.deleteVertex("ann");
  bert.setProperty("email", "a@x");
});

test("equal numbers are one value, while nulls and NaN do not count", ({ graph }) => {
  graph.constrain({ type: "person", key: "no", unique: true });
  addPerson(graph, "one", { no: 1 });
  refusal(() => addPerson(graph, "float", { no: new Float(1) }));
  addPerson(graph, "text", { no: "1" });
  addPerson(graph, "zero", { no: 0 });
  refusal(() => addPerson(graph, "minus", { no: -0 }));
  for (const id of ["a", "b"]) addPerson(graph, id, { no: null });
  for (const id of ["c", "d"]) addPerson(graph, id, { no: Number.NaN });
  addPerson(graph, "list", { no: [1, 2] });
  refusal(() => addPerson(graph, "same", { no: [1, 2] }));
  addPerson(graph, "other", { no: [1, 3] });
});

test("a vertex is rejected if a required value is missing or null", ({ graph }) => {
  graph.constrain({ type: "person", key: "name", required: true });
  const missing = "constraint of person.name: 'ann' has no value";
  assert.is(
    refusal(() => graph.createVertex("ann", { type: "person" })),
    missing,
  );
  assert.is(
    refusal(() => addPerson(graph, "ann", { name: null })),
    missing,
  );
  graph.createVertex("ann");
  using ann = graph.openVertex("ann");
  refusal(() => ann.setType("person"));
  ann.setProperty("name", "Ann");
  ann.setType("person");
  refusal(() => ann.removeProperty("name"));
  refusal(() => ann.removeProperties());
  assert.is(ann.getProperty("name"), "Ann");
});

test("a virtual vertex that becomes real needs its required values", ({ graph }) => {
  graph.constrain({ type: "person", key: "name", required: true });
  addPerson(graph, "ann", { name: "Ann" });
  graph.connect("bert", "knows", "ann");
  graph.deleteVertex("ann");
  assert.is(
    refusal(() => graph.openVertex("ann").setProperty("age", 3)),
    "constraint of person.name: 'ann' has no value",
  );
  graph.closeAll();
});

test("each kind of value accepts its own values only", ({ graph }) => {
  const integers = [2, -3];
  const booleans = [1, true, false];
  const numbers = [1.5, new Float(2), ...integers, ...booleans];
  const others = {
    string: ["", "a"],
    list: [[1, 2], [0.5]],
    map: [new Map([[1, 2]])],
    bytes: [Buffer.from("a")],
    object: [{ a: 1 }, ["a"]],
  };
  const fitting = {
    number: numbers,
    integer: [...integers, ...booleans],
    boolean: booleans,
    ...others,
  };
  const candidates = [...numbers, ...Object.values(others).flat()];
  for (const [kind, values] of Object.entries(fitting)) {
    graph.constrain({ type: "person", key: "v", value: kind as "number" });
    for (const value of candidates) {
      const add = () => addPerson(graph, "v", { v: value });
      if ((values as readonly unknown[]).includes(value)) add();
      else refusal(add);
    }
    addPerson(graph, "v", { v: null });
  }
  const text = refusal(() => {
    graph.constrain({ type: "person", key: "v", value: "integer" });
    addPerson(graph, "v", { v: "x" });
  });
  assert.is(text, "constraint of person.v: value of 'v' is string, expected integer");
});

test("a batch is checked at its end, and all of it is rolled back", ({ graph }) => {
  graph.constrain({ ...EMAIL, required: true });
  addPerson(graph, "ann", { email: "a" });
  addPerson(graph, "bert", { email: "b" });
  const [ann, bert] = graph.openVertices(["ann", "bert"]);
  graph.batch(() => {
    ann!.setProperty("email", "b");
    bert!.setProperty("email", "a");
    graph.createVertex("cleo", { type: "person" });
    graph.createVertex("cleo", { properties: { email: "c" } });
  });
  assert.equal([ann!.getProperty("email"), bert!.getProperty("email")], ["b", "a"]);
  refusal(() =>
    graph.batch(() => {
      bert!.setProperty("email", "d");
      ann!.setProperty("email", "d");
    }),
  );
  assert.equal([ann!.getProperty("email"), bert!.getProperty("email")], ["b", "a"]);
  const twins = Array.from({ length: 50 }, (_, index) => ({
    id: `twin${index}`,
    type: "person",
    properties: { email: "same" },
  }));
  refusal(() => graph.createVertices(twins));
  assert.is(graph.order, 3);
  graph.closeAll();
});

test("changes that a nested error rolls back do not count", ({ graph }) => {
  graph.constrain(EMAIL);
  addPerson(graph, "ann", { email: "a" });
  graph.batch(() => {
    assert.throws(() =>
      graph.batch(() => {
        addPerson(graph, "bert", { email: "a" });
        throw new Error("undo");
      }),
    );
  });
  assert.is(graph.hasVertex("bert"), false);
});

test("a constraint that existing data violate is rejected with the first hundred violations", ({
  graph,
}) => {
  for (let index = 0; index < 250; index++)
    addPerson(graph, `p${index}`, { email: `e${index % 200}` });
  let violation: ConstraintError | null = null;
  try {
    graph.constrain(EMAIL);
  } catch (error) {
    violation = error as ConstraintError;
  }
  assert.is(violation!.violations.length, 50);
  const sameValue = (id: string): number => Number(id.slice(1)) % 200;
  for (const { id, rule, other } of violation!.violations) {
    assert.is(rule, "unique");
    assert.is(sameValue(id), sameValue(other!));
  }
  assert.equal(graph.constraints(), []);
  try {
    graph.constrain({ type: "person", key: "email", value: "number" });
  } catch (error) {
    violation = error as ConstraintError;
  }
  assert.is(violation!.violations.length, 100);
  assert.equal(graph.constraints(), []);
  addPerson(graph, "free", { email: "e1" });
});

test("is replaced, listed and dropped", ({ graph }) => {
  assert.is(graph.constrain(EMAIL), true);
  assert.is(graph.constrain(EMAIL), false);
  assert.is(graph.constrain({ ...EMAIL, value: "string" }), true);
  graph.constrain({ type: "person", key: "age", required: true, value: "integer" });
  assert.equal(graph.constraints(), [
    { type: "person", key: "age", required: true, value: "integer" },
    { type: "person", key: "email", unique: true, value: "string" },
  ]);
  assert.is(graph.dropConstraint({ type: "person", key: "age" }), true);
  assert.is(graph.dropConstraint({ type: "person", key: "age" }), false);
  assert.is(graph.dropConstraint({ type: "none", key: "none" }), false);
  addPerson(graph, "ann", { email: "a" });
  graph.constrain({ type: "person", key: "email", value: "string" });
  addPerson(graph, "bert", { email: "a" });
});

test("rejects invalid rules", ({ graph }) => {
  const invalid = [
    [{ type: "person", key: "a" }, /`unique`, `required` or `value`/],
    [{ type: "person", key: "a", unique: 1 }, /true or false/],
    [{ type: "person", key: "a", value: "text" }, /number, integer/],
    [{ type: "person", key: 1, unique: true }, /invalid constraint/],
    [{ type: "", key: "a", unique: true }, /invalid constraint/],
    [{ type: "person", key: "1", unique: true }, /invalid property key/],
    [{ type: "person", key: "a", unik: true }, /unik/],
  ] as const;
  for (const [constraint, message] of invalid) {
    assert.throws(() => graph.constrain(constraint as never), message);
  }
  for (let index = 0; index < 64; index++)
    graph.constrain({ type: `t${index}`, key: "a", unique: true });
  assert.throws(() => graph.constrain(EMAIL), /too many constraints of a graph: 64/);
  graph.setGraphReadonly();
  assert.throws(() => graph.dropConstraint({ type: "t1", key: "a" }), /read-?only/i);
  graph.clearGraphReadonly();
});

test("a vertex moves its values to its new type", ({ graph }) => {
  for (const type of ["person", "company"]) graph.constrain({ type, key: "email", unique: true });
  addPerson(graph, "ann", { email: "a" });
  graph.createVertex("shop", { type: "company", properties: { email: "a" } });
  const ann = graph.openVertex("ann");
  refusal(() => ann.setType("company"));
  ann.setType("other");
  addPerson(graph, "bert", { email: "a" });
  refusal(() => ann.setType("person"));
  graph.closeAll();
});

test("truncating keeps constraints, and the names they need", ({ graph }) => {
  graph.constrain({ ...EMAIL, required: true });
  addPerson(graph, "ann", { email: "a" });
  graph.connect("ann", "knows", "bert");
  assert.is(graph.truncate(), 2);
  assert.equal([graph.order, graph.size], [0, 0]);
  for (let index = 0; index < 300; index++) {
    graph.createVertex("v", { type: `t${index}` });
    graph.deleteVertex("v");
  }
  refusal(() => addPerson(graph, "ann", {}));
  addPerson(graph, "ann", { email: "a" });
  refusal(() => addPerson(graph, "bert", { email: "a" }));
  assert.is(graph.truncate("person"), 1);
  addPerson(graph, "bert", { email: "a" });
});

test("erasing drops constraints, and then empties the graph as a whole", ({ graph, store }) => {
  for (const type of ["person", "company"]) graph.constrain({ type, key: "email", unique: true });
  addPerson(graph, "ann", { email: "a" });
  const copy = GraphStore.create("copy", TEST_THREAD);
  const access = { store, session: new Session(store) };
  const ann = graph.openVertex("ann");
  assert.throws(() => clear(access), /ann/);
  ann.close();
  assert.is(graph.constraints().length, 2);
  clear(access);
  replayTo(store, copy);
  for (const each of [store, copy]) {
    assert.equal([each.order, each.vertices.end, each.constraints.count], [0, 1, 0]);
  }
  checkStore(copy);
});

test("texts that occur once need no table, and share it with others later", ({ graph, store }) => {
  const hasTable = () => store.memory.header.words[Header.UniqueSegments] !== 0;
  const NAME = { type: "person", key: "name", unique: true } as const;
  graph.constrain(EMAIL);
  graph.constrain(NAME);
  for (const id of ["ann", "bob"]) addPerson(graph, id, { email: `${id}@x`, name: `${id}@y` });
  assert.not(hasTable());
  refusal(() => addPerson(graph, "eve", { email: "ann@x" }));
  // Two properties of one vertex share the value: one keeps it when the other loses it.
  addPerson(graph, "dan", { email: "dan", name: "dan" });
  assert.ok(hasTable());
  const dan = graph.openVertex("dan");
  dan.removeProperty("name");
  refusal(() => addPerson(graph, "eve", { email: "dan" }));
  dan.close();
  // Also in a property without a constraint.
  addPerson(graph, "eve", { note: "ann@x", email: "eve", name: "dan" });
  refusal(() => addPerson(graph, "joe", { email: "ann@x" }));
  graph.deleteVertex("ann");
  assert.is(addPerson(graph, "joe", { email: "ann@x" }), 1);
  refusal(() => addPerson(graph, "kim", { email: "ann@x" }));
});

test("a constraint that is declared again ignores previous owners of texts", ({ graph }) => {
  graph.constrain(EMAIL);
  addPerson(graph, "ann", { email: "a" });
  graph.dropConstraint(EMAIL_PROPERTY);
  const ann = graph.openVertex("ann");
  ann.removeProperty("email");
  addPerson(graph, "bob", { email: "b", note: "a" });
  graph.constrain(EMAIL);
  ann.setProperty("email", "a");
  refusal(() => addPerson(graph, "eve", { email: "a" }));
  ann.setProperty("email", "c");
  ann.close();
  assert.is(addPerson(graph, "eve", { email: "a" }), 1);
});

test("a dropped table of unique values comes back with a rollback", ({ graph, store }) => {
  const table = () => store.memory.header.words[Header.UniqueSegments];
  graph.constrain(EMAIL);
  for (let index = 0; index < 5000; index++) addPerson(graph, `p${index}`, { email: index });
  const before = table();
  const drop = () => {
    graph.dropConstraint(EMAIL_PROPERTY);
    addPerson(graph, "other", { email: 7 });
    assert.is(table(), 0);
    throw new RangeError("no");
  };
  assert.throws(() => graph.batch(drop), /no/);
  assert.is(table(), before);
  refusal(() => addPerson(graph, "other", { email: 7 }));
  graph.dropConstraint(EMAIL_PROPERTY);
  assert.is(addPerson(graph, "other", { email: 7 }), 1);
});

test("a unique value finds its vertex without a scan", ({ graph }) => {
  graph.constrain(EMAIL);
  for (let index = 0; index < 1000; index++)
    addPerson(graph, `p${index}`, { email: `e${index}`, no: index });
  const query = (property: object) => {
    const condition = { type: "person", property } as never;
    const { explain } = graph.vertices({ condition, explain: true }) as never as {
      explain: { plan: string[]; looked: number };
    };
    return [graph.vertices({ condition }), explain.looked, explain.plan[0]];
  };
  const expectedPlan = "index: unique email: 1 candidates";
  assert.equal(query({ email: "e7" }), [["p7"], 1, expectedPlan]);
  assert.equal(query({ email: "e7", no: 8 }), [[], 1, expectedPlan]);
  assert.equal(query({ email: "none" }), [[], 0, "index: unique email: 0 candidates"]);
  graph.constrain({ type: "person", key: "no", unique: true });
  assert.equal(query({ no: 12 }), [["p12"], 1, "index: unique no: 1 candidates"]);
  assert.equal(query({ no: [V_GT, 998] }).slice(0, 2), [["p999"], 1000]);
});

test("a snapshot keeps constraints", ({ graph, store }) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-constraints-"));
  graph.constrain({ ...EMAIL, required: true });
  addPerson(graph, "ann", { email: "a" });
  saveGraph(store, folder);
  const loadedStore = loadGraph("test", folder, TEST_THREAD, { warn: assert.unreachable })!;
  checkStore(loadedStore);
  const copy = openStore(loadedStore);
  assert.equal(copy.constraints(), graph.constraints());
  refusal(() => addPerson(copy, "bert", { email: "a" }));
  refusal(() => addPerson(copy, "bert", {}));
  rmSync(folder, { recursive: true });
});

test("a replica keeps constraints, and rejects nothing that its provider accepted", (context) => {
  const { graph, store } = context;
  const copy = GraphStore.create("test", TEST_THREAD);
  graph.constrain({ ...EMAIL, required: true });
  addPerson(graph, "ann", { email: "a" });
  replayTo(store, copy);
  assert.equal(openStore(copy).constraints(), graph.constraints());
  // Differs from its provider, as after a repair that is still under way.
  addPerson(openStore(copy), "bert", { email: "b" });
  const units = takeUnits(store);
  assert.is(units.length, 0);
  addPerson(graph, "cleo", { email: "b" });
  const [transaction] = takeUnits(store);
  transaction![1] = copy.operationCount + 2;
  applyTransaction(copy, transaction!, 0);
  assert.is(openStore(copy).vertices({ condition: { property: { email: "b" } } }).length, 2);
  checkStore(copy);
  openStore(copy).deleteVertex("bert");
  refusal(() => addPerson(openStore(copy), "dora", { email: "b" }));
  checkStore(copy);
});

test("rejects a corrupt record of a constraint", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  openStore(store).constrain(EMAIL);
  const before = store.operationCount;
  const [type, key] = [store.types.codeOf("person"), store.keys.codeOf("email")];
  const record = (rules: number, of: number, time: number) => [
    21 | (rules << 8) | (of << 16),
    0,
    time,
  ];
  for (const invalidRecord of [
    record(99, key, type),
    record(1, key + 1, type),
    record(1, key, type + 1),
  ]) {
    assert.throws(
      () => applyTransaction(store, makeUnit(before, invalidRecord), 0),
      /record|unknown/,
    );
  }
  applyTransaction(store, makeUnit(before, record(0, key, type)), 0);
  assert.equal(openStore(store).constraints(), []);
});

test.run();
