// Manifests of a backup that are corrupt, or of another backup, are refused as a whole.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  encodeManifest,
  type Manifest,
  MOVING,
  parseLatest,
  parseManifest,
} from "../../../../runtime/interconnect/archive/manifest.js";

const test = suite("manifests");

const [ID, HASH] = ["a".repeat(32), "b".repeat(64)];
const LOG = { id: ID, sn: 3, chain: 4, at: 5 };
const PIECE = { path: "g/graph.snapshot", at: 0, bytes: 2 ** 25, object: HASH };
const GRAPH = { identity: ID, count: 0, digest: ID };
const FULL = { number: 1, hash: HASH, log: LOG, time: 1 };
const VALID: Manifest = {
  ...{ format: 1, number: 7, previous: HASH, time: 0, full: 2, continues: false, log: LOG },
  ...{ pieces: [PIECE], graphs: [GRAPH], fulls: [FULL] },
};

const NO_COUNT = [undefined, null, -1, 0.5, "1"];
const NO_HASH = [undefined, 1, "", ID, HASH.toUpperCase(), [HASH]];
const NO_LIST = [undefined, null, {}, "", [null], [1]];
const NO_LOG = [
  ...[undefined, null, {}, { ...LOG, id: HASH }],
  ...["sn", "chain", "at"].flatMap((field) =>
    NO_COUNT.map((value) => ({ ...LOG, [field]: value })),
  ),
];

function parse(manifest: object, number = 7): Manifest {
  return parseManifest(Buffer.from(JSON.stringify(manifest)), number);
}

function isCorrupt({ message }: Error): boolean {
  return /^manifests\/0000000007\.json is corrupt$/.test(message);
}

test("are read as they were written", () => {
  assert.equal(parseManifest(encodeManifest(VALID), 7), VALID);
  const map = { count: 16, runs: [[0, 0]] };
  for (const slots of [MOVING, { version: 1, map, groups: ["a"], move: null }]) {
    const first = { ...VALID, previous: null, continues: true, slots, fulls: [] };
    assert.equal(parse(first), first);
  }
  assert.throws(() => parse({ ...VALID, format: 2 }), /format 2 is of a later release/);
});

test("name files of a data folder only", () => {
  const segment = `${"0".repeat(15)}1.seg`;
  const value = `.values/ab/${"c".repeat(62)}`;
  const long = (length: number) =>
    `${"g".repeat(length - "/graph.snapshot".length)}/graph.snapshot`;
  const parsed = (path: unknown) => parse({ ...VALID, pieces: [{ ...PIECE, path }] });
  for (const path of [
    ...["_lineage.json", `_txlog/${segment}`, `_txlog/local/${segment}`, "g/graph.snapshot"],
    ...["a/b/c/d/graph.snapshot", `g/${value}`, `a/b/c/d/${value}`, long(4096)],
  ]) {
    assert.is(parsed(path).pieces[0]!.path, path);
  }
  for (const path of [
    ...[`_txlog/x/${segment}`, "_txlog/1.seg", "_txlog/graph.snapshot", "_member.json", value],
    ...["a/b/c/d/e/graph.snapshot", `a/b/c/d/e/${value}`, ".g/graph.snapshot", long(4097)],
    ...["a/../graph.snapshot", "g/.values/ab/c", `g/.values/../${"c".repeat(62)}`],
    ...[["g/graph.snapshot"], ["_lineage.json"]],
  ]) {
    assert.throws(() => parsed(path), isCorrupt, `${path}`);
  }
});

test("are rejected with a corrupt field", () => {
  const cases: Readonly<Record<string, readonly unknown[]>> = {
    format: [undefined, 0, "1"],
    number: [6, undefined, "7"],
    previous: NO_HASH,
    time: NO_COUNT,
    full: NO_COUNT,
    continues: [undefined, 1, "true"],
    log: NO_LOG,
    pieces: [
      ...NO_LIST,
      ...["/g", "../graph.snapshot", "g/other", "graph.snapshot", 1].map((path) => [
        { ...PIECE, path },
      ]),
      ...NO_COUNT.flatMap((count) => [[{ ...PIECE, at: count }], [{ ...PIECE, bytes: count }]]),
      [{ ...PIECE, bytes: 2 ** 25 + 1 }],
      ...NO_HASH.map((object) => [PIECE, { ...PIECE, object }]),
    ],
    graphs: [
      ...NO_LIST,
      ...[{ identity: HASH }, { count: -1 }, { digest: "" }].map((change) => [
        { ...GRAPH, ...change },
      ]),
    ],
    fulls: [
      ...NO_LIST,
      ...NO_COUNT.flatMap((value) => [[{ ...FULL, number: value }], [{ ...FULL, time: value }]]),
      ...NO_HASH.map((hash) => [{ ...FULL, hash }]),
      ...NO_LOG.map((log) => [{ ...FULL, log }]),
    ],
    slots: [null, "moved", {}],
  };
  for (const [field, values] of Object.entries(cases)) {
    for (const value of values) {
      const label = `${field}: ${JSON.stringify(value)}`;
      assert.throws(() => parse({ ...VALID, [field]: value }), isCorrupt, label);
    }
  }
  assert.throws(() => parseManifest(Buffer.from("no JSON"), 7), isCorrupt);
});

test("the name of the last one is only a hint", () => {
  const latest = (content: object) => parseLatest(Buffer.from(JSON.stringify(content)));
  assert.equal(latest({ number: 0, time: 1, more: 1 }), { number: 0, time: 1 });
  for (const value of NO_COUNT) {
    assert.is(latest({ number: value, time: 1 }), null);
    assert.is(latest({ number: 1, time: value }), null);
  }
});

test.run();
