// Words of logged operations: files store them, so that they must never change without a new
// version. And rejections when reading them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { setReadonly } from "../../../../runtime/graph/changes/graph.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import {
  operationCountAfter,
  operationCountBefore,
  recordCount,
  transactionWords,
} from "../../../../runtime/graph/log/transaction-format.js";
import { TRANSACTION_HEAD_WORDS } from "../../../../runtime/graph/memory/commit-ring.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { M_CNT, M_FWDONLY, M_INT } from "../../../../runtime/graph/model/constants.js";
import { DataError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { PropertyKind } from "../../../../runtime/graph/store/property-values.js";
import { comparable } from "../../../property/support/comparable.js";
import { FakeClock } from "../../../property/support/fake-clock.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, makeUnit, packed, takeUnits } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  clock: FakeClock;
  store: GraphStore;
  graph: Graph;
}

const test = suite<Context>("log operations");

test.before.each((context) => {
  const clock = new FakeClock().start();
  const store = loggedStore();
  Object.assign(context, { clock, store, graph: openStore(store) });
});

test.after.each(({ clock }) => {
  clock.stop();
});

/** The second at which everything happens. */
const AT = 1_000_000_000;

/** Number of records and words of each transaction in hexadecimal, seconds as `at`. */
function readWords(store: GraphStore): string[] {
  return takeUnits(store).map((transaction) => {
    const words = [...transaction.subarray(TRANSACTION_HEAD_WORDS)];
    const texts = words.map((word) => (word === AT ? "at" : word.toString(16)));
    return `${recordCount(transaction, 0)}: ${texts.join(" ")}`;
  });
}

test("encode vertices and their contents", ({ graph, store }) => {
  graph.createVertex("é", { type: "node" });
  const vertex = graph.openVertex("é");
  vertex.setExpiration(0x7200_0000);
  vertex.setRank(0.5, 2);
  vertex.setType(null);
  vertex.setProperty("k", 7);
  vertex.setProperty("k", "texts");
  vertex.setProperty("k", null);
  vertex.removeProperty("k");
  vertex.removeProperties();
  vertex.close();
  graph.deleteVertex("é");
  assert.equal(readWords(store), [
    "2: 20010c at 4 65646f6e 200001 at 2 a9c3",
    "1: 4 at 72000000 2 a9c3",
    "1: 5 at 3f000000 40000000 2 a9c3",
    "1: 110003 at 2 a9c3",
    "2: 1020c at 1 6b 10206 at 2 a9c3 8 0 401c0000",
    "1: 10406 at 2 a9c3 5 74786574 73",
    "1: 10106 at 2 a9c3 0",
    "1: 10007 at 2 a9c3",
    "1: 8 at 2 a9c3",
    "1: 110002 at 2 a9c3",
  ]);
});

test("encode arcs and graphs", ({ graph, store }) => {
  graph.connect("a", ["to", M_INT, -2], "b");
  graph.count("a", "to", "b", 3);
  graph.count("a", "to", "b", 4);
  graph.connect("b", ["to", M_CNT | M_FWDONLY], "c");
  graph.disconnect("b", undefined, "c");
  graph.truncate("thing");
  graph.truncate();
  graph.enumKey("k", 9);
  graph.autoArcTimestamps(true);
  setReadonly(store, true);
  const [first, ...others] = readWords(store);
  assert.is(first, "2: 200000c at 2 6f74 2000509 at fffffffe 0 1 61 1 62");
  assert.equal(others, [
    "1: 2000809 at 3 0 1 61 1 62",
    "1: 2000809 at 7 0 1 61 1 62",
    "1: 2000809 at 1 1 1 62 1 63",
    "1: 200080a at 1 62 1 63",
    "1: b at",
    "1: 9820c at 1 6b",
    "1: 111 at",
    "1: 10d at",
  ]);
  checkStore(store);
});

test("carry the operation count before and after a transaction", ({ graph, store }) => {
  const count = store.operationCount;
  graph.connect("a", "to", "b");
  const [transaction] = takeUnits(store);
  assert.is(operationCountBefore(transaction!, 0), count);
  assert.is(operationCountAfter(transaction!, 0), count + 2);
  assert.is(transactionWords(transaction!, 0), transaction!.length);
  assert.is(transaction![3], 1);
  graph.connect("a", "to", "c");
  assert.is(takeUnits(store)[0]![3], 2);
  store.memory.header.words[Header.OperationCountHigh] = 0xfff;
  graph.connect("a", "to", "d");
  assert.is(operationCountBefore(takeUnits(store)[0]!, 0), 0xfff * 2 ** 32 + count + 3);
});

function replay(store: GraphStore, record: readonly number[]): void {
  applyTransaction(store, makeUnit(store.operationCount, record), 0);
}

test("tolerate deletions and disconnections that already happened", ({ store }) => {
  store.memory.log!.isOn = false;
  replay(store, [0x2, AT, ...packed("a")]);
  replay(store, [0xa, AT, ...packed("a"), ...packed("b")]);
  assert.is(store.order, 0);
  checkStore(store);
});

const [A, B, Z] = [packed("a"), packed("b"), packed("z")];
const FORWARD = packed("forward");
const TO = 0x0200_0000;

/** Records of a graph with arcs `to` from `a` to `b` and, forward only, to `forward`. */
const REFUSED: readonly (readonly [what: string, record: readonly number[]])[] = [
  ["empty record", []],
  ["unknown operation", [0xe, AT, ...A]],
  ["too short", [0x2, AT, 2]],
  ["too long", [0x2, AT, ...A, 0]],
  ["bytes after a string", [0x2, AT, 1, 0x6261]],
  ["length above the limit", [0x2, AT, 131_001, ...packed("a".repeat(131_001)).slice(1)]],
  ["empty id", [0x2, AT, 0]],
  ["invalid id", [0x2, AT, 1, 1]],
  ["control character at the end of an id", [0x2, AT, ...packed("abcdef\u001f")]],
  ["control character in the first word of an id", [0x2, AT, ...packed("a\0c defg")]],
  ["control character after a non-ASCII character", [0x2, AT, ...packed("é\n")]],
  ["id that is not UTF-8", [0x2, AT, 1, 0xff]],
  ["unknown vertex", [0x8, AT, ...Z]],
  ["unknown type", [0x50_0001, AT, ...A]],
  ["missing type", [0x3, AT, ...A]],
  ["unexpected property kind", [0x102, AT, ...A]],
  ["unknown type to truncate", [0x50_000b, AT]],
  ["property kind in a truncation", [0x10b, AT]],
  ["unknown key", [0x9_0007, AT, ...A]],
  ["unknown relationship", [0x303_0509, AT, 1, 0, ...A, ...B]],
  ["modifier without values", [TO | 0x9, AT, 1, 0, ...A, ...B]],
  ["result modifier", [TO | 0xa09, AT, 1, 0, ...A, ...B]],
  ["unknown modifier", [TO | 0x2109, AT, 1, 0, ...A, ...B]],
  ["unknown flags", [TO | 0x509, AT, 0, 2, ...A, ...B]],
  ["value of an arc without one", [TO | 0x109, AT, 2, 0, ...A, ...B]],
  ["value out of range", [TO | 0x1209, AT, 0x40c0_0000, 0, ...A, ...B]],
  ["NaN as a value", [TO | 0x1709, AT, 0xffff_ffff, 0, ...A, ...B]],
  ["regular arc next to forward-only ones", [TO | 0x109, AT, 1, 0, ...A, ...FORWARD]],
  ["name with another code", [0x205_000c, AT, ...packed("to")]],
  ["new name with a wrong code", [0x205_000c, AT, ...packed("new")]],
  ["name without a code", [0xc, AT, ...packed("new")]],
  ["invalid name", [0x201_000c, AT, ...packed("1")]],
  ["unknown kind of names", [0x201_030c, AT, ...packed("new")]],
  ["invalid readonly flag", [0x20d, AT]],
];

for (const [label, record] of REFUSED) {
  test(`rejects a record: ${label}`, ({ store, graph }) => {
    graph.connect("a", "to", "b");
    graph.connect("a", ["to", M_INT | M_FWDONLY], "forward");
    const operations = store.operationCount;
    assert.throws(
      () => replay(store, record),
      (error: unknown) => error instanceof DataError,
      label,
    );
    assert.is(store.operationCount, operations);
    checkStore(store);
  });
}

const ASCII = ["", "\0", "a", "abc\u007f", "abcd", "a\0\u001f\n", "x".repeat(999)];
const TEXTS = [...ASCII, "é", "abcdef…", "\ufeff𝄞"];

test("replicate strings exactly, through a chain of replicas", (context) => {
  const { store, graph } = context;
  const properties = Object.fromEntries(TEXTS.map((text, index) => [`p${index}`, text]));
  const ids = [" ", "a~", "\u007f", "abcd", "é", "a é", "\ufeff𝄞", "𝄞".repeat(99)];
  for (const id of ids) {
    graph.createVertex(id, { type: "thing", properties });
    graph.connect(id, "to", `${id}b`);
    graph.connect(`${id}c`, "to", `${id}c`);
  }
  const copy = loggedStore();
  const units = takeUnits(store);
  for (const transaction of units) applyTransaction(copy, transaction, 0);
  assert.equal(
    takeUnits(copy).map((transaction) => transaction.subarray(TRANSACTION_HEAD_WORDS)),
    units.map((transaction) => transaction.subarray(TRANSACTION_HEAD_WORDS)),
  );
  for (const graphStore of [store, copy]) checkStore(graphStore);
  assert.equal(comparable(copy), comparable(store));
  const opened = openStore(copy);
  for (const id of ids) {
    assert.equal(opened.getVertex(id).getProperties(), properties);
    assert.ok(opened.hasVertex(`${id}b`));
    assert.ok(opened.hasVertex(`${id}c`));
  }
});

test("reject invalid UTF-8 in a value", ({ store, graph }) => {
  graph.createVertex("a", { properties: { text: "é" } });
  const key = store.keys.codeOf("text");
  const record = (bytes: readonly number[]) => {
    return [0x6 | (PropertyKind.String << 8) | (key << 16), AT, ...packed("a"), ...packed(bytes)];
  };
  replay(store, record([...Buffer.from("œuvre")]));
  assert.is(graph.getVertex("a").getProperty("text"), "œuvre");
  assert.throws(() => replay(store, record([0x61, 0xc5])), /corrupt property value/);
  assert.throws(() => replay(store, record([0xed, 0xa0, 0x80])), /corrupt property value/);
  assert.is(graph.getVertex("a").getProperty("text"), "œuvre");
  checkStore(store);
});

test("apply records to the current vertex of an id within a transaction", ({ store, graph }) => {
  graph.createVertex("other");
  store.writer.mutate(() => {
    graph.createVertex("a", { properties: { text: "first" } });
    graph.deleteVertex("a");
    graph.createVertex("b", { properties: { text: "second" } });
    graph.createVertex("a", { properties: { text: "third" } });
    graph.connect("a", "to", "c");
    graph.disconnect("a", "to", "c");
    graph.createVertex("d", { properties: { text: "fourth" } });
    graph.connect("a", "to", "c");
    graph.createVertex("c", { properties: { text: "fifth" } });
  });
  const units = takeUnits(store);
  assert.equal(
    units.map((transaction) => recordCount(transaction, 0) > 9),
    [false, true],
  );
  const copy = GraphStore.create("test", TEST_THREAD);
  for (const transaction of units) applyTransaction(copy, transaction, 0);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
});

test("reject a transaction that is not the next one of its graph", ({ store, graph }) => {
  graph.connect("a", "to", "b");
  const [transaction] = takeUnits(store);
  const copy = GraphStore.create("test", TEST_THREAD);
  copy.writer.mutate(() => copy.writer.put(copy.memory.header, Header.OperationCount, 1));
  assert.throws(
    () => applyTransaction(copy, transaction!, 0),
    /continues at operation 0 of graph "test".* at 1/,
  );
  assert.is(copy.order, 0);
});

test.run();
