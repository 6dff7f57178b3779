// Messages of other instances that are no positions, offers, snapshots or states are refused before
// anything is done with them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_GRAPHS } from "../../../runtime/base/limits.js";
import { SYSTEM_GRAPH } from "../../../runtime/graph/manager/system-graph.js";
import {
  MAX_ANCESTORS,
  parseOffer,
  parsePositions,
  parseSnapshotHead,
  parseStart,
  parseStatus,
} from "../../../runtime/interconnect/wire/positions.js";

const test = suite("messages about positions");

const ID = "0123456789abcdef".repeat(2);
const OTHER = "f".repeat(32);
const NO_IDENTITY = [
  undefined,
  null,
  1,
  "",
  [ID],
  ID.slice(1),
  `${ID}0`,
  ID.toUpperCase(),
  `${ID}\n`,
];
const NO_COUNT = [undefined, null, -1, 0.5, "1", 2 ** 53];
const NO_LIST = [undefined, null, {}, "", 1];

type Cases = Readonly<Record<string, readonly unknown[]>>;

/** Each of the values, in place of a field, makes a message invalid. */
function assertRefused(parse: (value: unknown) => unknown, valid: object, cases: Cases): void {
  for (const value of [undefined, null, 1, "text", []])
    assert.throws(() => parse(value), isRefused);
  for (const [field, values] of Object.entries(cases)) {
    for (const value of values) {
      const label = `${field}: ${JSON.stringify(value)}`;
      assert.throws(() => parse({ ...valid, [field]: value }), isRefused, label);
    }
  }
}

function isRefused({ code }: { readonly code?: string }): boolean {
  return code === "SVC2531";
}

function many<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

const POSITION = { identity: ID, count: 0, digest: null };
const NO_POSITIONS = [
  ...NO_LIST,
  many(MAX_GRAPHS + 1, POSITION),
  ...NO_IDENTITY.map((identity) => [POSITION, { ...POSITION, identity }]),
  ...NO_COUNT.map((count) => [{ ...POSITION, count }]),
  [{ ...POSITION, digest: "" }],
  [null],
];

test("the positions of a subscriber", () => {
  const log = { id: ID, sn: 0, chain: 0 };
  const valid = { log, origin: OTHER, epoch: 0, graphs: [POSITION], diverged: [ID, OTHER] };
  assert.equal(parsePositions({ ...valid, more: 1 }), { ...valid, member: null });
  const member = ["S1", OTHER] as const;
  const smallest = { log: null, epoch: 1, graphs: [{ ...POSITION, digest: OTHER }], diverged: [] };
  assert.equal(parsePositions({ ...smallest, member }), { ...smallest, origin: null, member });
  const largest = { graphs: many(MAX_GRAPHS, POSITION), diverged: many(MAX_GRAPHS, ID) };
  assert.is(parsePositions({ ...valid, ...largest }).diverged.length, MAX_GRAPHS);
  assertRefused(parsePositions, valid, {
    log: [
      ...[undefined, 1, {}],
      ...NO_IDENTITY.map((id) => ({ ...log, id })),
      ...NO_COUNT.flatMap((count) => [
        { ...log, sn: count },
        { ...log, chain: count },
      ]),
    ],
    origin: NO_IDENTITY.filter((identity) => identity != null),
    epoch: NO_COUNT,
    graphs: NO_POSITIONS,
    diverged: [
      ...NO_LIST,
      many(MAX_GRAPHS + 1, ID),
      ...NO_IDENTITY.map((identity) => [ID, identity]),
    ],
    member: [1, [], ["S1"], ["S1", "1"], [1, ID]],
  });
});

const GRAPH = { number: 0, identity: ID, name: "g", path: "g" };
const NO_GRAPH = [
  ...[undefined, null, 1, {}],
  ...NO_IDENTITY.map((identity) => ({ ...GRAPH, identity })),
  ...NO_COUNT.map((number) => ({ ...GRAPH, number })),
  ...[undefined, 1, "", "../g", SYSTEM_GRAPH].map((name) => ({ ...GRAPH, name })),
  ...[undefined, 1].map((path) => ({ ...GRAPH, path })),
];

test("the offer of a provider", () => {
  const valid = {
    ...{ logId: ID, isRoot: true, origin: OTHER, epoch: 0, graphs: [GRAPH], lastNumber: 0 },
    ...{ erased: [ID], goal: 0 },
  };
  assert.equal(parseOffer({ ...valid, more: 1 }), { ...valid, ancestors: [] });
  const ancestor = { id: ID, sn: 0, chain: 0 };
  const counted = { ...ancestor, counts: { [ID]: 0 } };
  const ancestors = [counted, ...many(MAX_ANCESTORS - 1, ancestor)];
  const replica = { ...valid, isRoot: false, goal: null, ancestors };
  assert.equal(parseOffer(replica), replica);
  assertRefused(parseOffer, valid, {
    logId: NO_IDENTITY,
    isRoot: [undefined, null, 1],
    origin: NO_IDENTITY,
    epoch: NO_COUNT,
    graphs: [...NO_LIST, ...NO_GRAPH.map((graph) => [GRAPH, graph])],
    lastNumber: NO_COUNT,
    erased: [...NO_LIST, ...NO_IDENTITY.map((identity) => [ID, identity])],
    goal: NO_COUNT.filter((count) => count !== null),
    ancestors: [
      ...[null, 1, {}, many(MAX_ANCESTORS + 1, ancestor), [null], [{ ...ancestor, sn: -1 }]],
      ...[1, null, { a: 1 }, { [ID]: -1 }].map((counts) => [{ ...ancestor, counts }]),
    ],
  });
});

test("the counts of a past log are bounded", () => {
  const ids = Array.from({ length: MAX_GRAPHS + 1 }, (_, n) => n.toString(16).padStart(32, "0"));
  const withCounts = (count: number) => {
    const counts = Object.fromEntries(ids.slice(0, count).map((id) => [id, 1]));
    const offer = { logId: ID, isRoot: true, origin: ID, epoch: 1, graphs: [], lastNumber: 1 };
    const ancestors = [{ id: ID, sn: 1, chain: 1, counts }];
    return parseOffer({ ...offer, erased: [], goal: null, ancestors });
  };
  assert.ok(withCounts(MAX_GRAPHS));
  assert.throws(() => withCounts(MAX_GRAPHS + 1), isRefused);
});

test("the head of a snapshot, and the start of a log", () => {
  const head = { ...GRAPH, bytes: 0, count: 0 };
  assert.equal(parseSnapshotHead(head), head);
  assert.equal(parseSnapshotHead({ ...head, values: 1 }), { ...head, values: 1 });
  assertRefused(parseSnapshotHead, head, {
    ...{ bytes: NO_COUNT, count: NO_COUNT, name: [""], identity: NO_IDENTITY },
    values: NO_COUNT.filter((count) => count != null),
  });
  assert.equal(parseStart({ sn: 0, chain: 1, more: 1 }), { sn: 0, chain: 1 });
  assertRefused(parseStart, { sn: 0, chain: 0 }, { sn: NO_COUNT, chain: NO_COUNT });
});

test("the status of a peer", () => {
  const valid = {
    ...{ at: 0, host: "127.0.0.1", adminPort: 65535, serial: 0, digest: ID, graphs: [POSITION] },
    goal: 1,
  };
  assert.equal(parseStatus({ ...valid, more: 1 }), valid);
  assert.is(parseStatus({ ...valid, host: "", goal: null }).goal, null);
  assertRefused(parseStatus, valid, {
    ...{ at: NO_COUNT, serial: NO_COUNT, digest: NO_IDENTITY, graphs: NO_POSITIONS },
    host: [undefined, null, 1, "a b", "<", "a".repeat(256)],
    adminPort: [...NO_COUNT, 65536],
    goal: NO_COUNT.filter((count) => count !== null),
  });
});

test.run();
