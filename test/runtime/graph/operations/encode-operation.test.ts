// The bytes of the records of operations, which others keep: they must never change without a new
// version. And what reading refuses.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { M_CNT, M_FWDONLY, M_INT } from "../../../../runtime/graph/model/constants.js";
import { DataError } from "../../../../runtime/graph/model/errors.js";
import { apply } from "../../../../runtime/graph/operations/apply.js";
import { decodeOperation } from "../../../../runtime/graph/operations/encode-operation.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
  /** In hexadecimal digits, the second at which it happened as dots. */
  records: string[];
}

const test = suite<Context>("encode operations");

test.before.each((context) => {
  const store = GraphStore.make("test", TEST_THREAD);
  const records: string[] = [];
  store.recorder = (record) => {
    const hex = Buffer.from(record).toString("hex");
    records.push(`${hex.slice(0, 4)}........${hex.slice(12)}`);
  };
  Object.assign(context, { store, graph: openStore(store), records });
});

function replay(store: GraphStore, hex: string): number {
  const record = Buffer.from(hex.replace("........", "00ca9a3b"), "hex");
  return store.writer.mutate(() => {
    decodeOperation(store, record, store.operation);
    return apply(store, store.operation);
  });
}

test("vertices and what they have", ({ graph, records }) => {
  graph.createVertex("é", { type: "node" });
  const vertex = graph.openVertex("é");
  vertex.setExpiration(0x7000_0000);
  vertex.setRank(0.5, 2);
  vertex.setType(null);
  vertex.setProperty("k", 7);
  vertex.setProperty("k", "text");
  vertex.removeProperty("k");
  vertex.removeProperties();
  vertex.close();
  graph.deleteVertex("é");
  assert.equal(records, [
    "010c........01" + "2000" + "046e6f6465",
    "0101........" + "02c3a9" + "20",
    "0104........" + "02c3a9" + "00000070",
    "0105........" + "02c3a9" + "0000003f" + "00000040",
    "0103........" + "02c3a9" + "11",
    "010c........02" + "0100" + "016b",
    "0106........" + "02c3a9" + "0100" + "02" + "0000000000001c40",
    "0106........" + "02c3a9" + "0100" + "04" + "74657874",
    "0107........" + "02c3a9" + "0100",
    "0108........" + "02c3a9",
    "0102........" + "02c3a9",
  ]);
});

test("arcs and graphs", ({ graph, store, records }) => {
  graph.connect("a", ["to", M_INT, -2], "b");
  graph.count("a", "to", "b", 3);
  graph.count("a", "to", "b", 4);
  graph.connect("b", ["to", M_CNT | M_FWDONLY], "c");
  graph.disconnect("b", undefined, "c");
  graph.truncate("thing");
  graph.truncate();
  assert.equal(records, [
    "010c........00" + "0002" + "02746f",
    "0109........" + "0161" + "0162" + "0002" + "05" + "00" + "feffffff",
    "0109........" + "0161" + "0162" + "0002" + "08" + "00" + "03000000",
    "0109........" + "0161" + "0162" + "0002" + "08" + "00" + "07000000",
    "0109........" + "0162" + "0163" + "0002" + "08" + "01" + "01000000",
    "010a........" + "0162" + "0163" + "0002" + "08",
    "010b........" + "00",
  ]);
  checkStore(store);
});

test("lengths take as many bytes as they need", ({ graph, records }) => {
  const lengths = [127, 128, 16_383, 16_384, 131_000];
  for (const length of lengths) graph.createVertex("v".repeat(length));
  assert.equal(
    records.map((record) => record.slice(12, 18)),
    ["7f7676", "800176", "ff7f76", "808001", "b8ff07"],
  );
});

test("what is deleted or disconnected already stays so", ({ store }) => {
  assert.is(replay(store, "0102........0161"), 0);
  assert.is(replay(store, "010a........01610162000000"), 0);
  checkStore(store);
});

test("what a store cannot have got is refused", ({ store, graph }) => {
  graph.connect("a", "to", "b");
  graph.connect("a", ["to", M_INT | M_FWDONLY], "forward");
  const refused = [
    ["no record", ""],
    ["other version", "0202........0161"],
    ["no such operation", "010e........0161"],
    ["too short", "0102........0261"],
    ["too long", "0102........016100"],
    ["length in more bytes than it needs", "0102........810061"],
    ["length above the limit", "0102........b9ff07"],
    ["length in four bytes", "0102........ffffff7f"],
    ["no id", "0102........00"],
    ["id that none can have", "0102........0101"],
    ["id that is not UTF-8", "0102........01ff"],
    ["unknown vertex", "0108........017a"],
    ["unknown type", "0101........016150"],
    ["no type", "0103........016100"],
    ["unknown type to truncate", "010b........50"],
    ["unknown key", "0107........01610900"],
    ["unknown relationship", "0109........0161016203020500feffffff"],
    ["modifier without values", "0109........0161016200020000feffffff"],
    ["modifier of results", "0109........0161016200020a0001000000"],
    ["unknown modifier", "0109........016101620002210001000000"],
    ["unknown flags", "0109........016101620002050200000000"],
    ["value of an arc without one", "0109........016101620002010002000000"],
    ["value out of range", "0109........01610162000212000000c040"],
    ["value that is no number", "0109........0161016200021700ffffffff"],
    ["regular arc beside forward-only ones", "0109........016107666f72776172640002010001000000"],
    ["name that has another code", "010c........00050202746f"],
    ["new name with a wrong code", "010c........000502036e6577"],
    ["name without a code", "010c........000000036e6577"],
    ["name that none can have", "010c........0001020131"],
    ["unknown kind of names", "010c........030102036e6577"],
    ["neither readonly nor not", "010d........02"],
  ] as const;
  const operations = store.operationCount;
  for (const [what, hex] of refused) {
    assert.throws(
      () => replay(store, hex),
      (error: unknown) => error instanceof DataError,
      what,
    );
  }
  assert.is(store.operationCount, operations);
  checkStore(store);
});

test.run();
