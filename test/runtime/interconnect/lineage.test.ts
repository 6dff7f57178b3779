// The files that a promotion writes: a fence that cannot be read still fences.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  demote,
  fencedBy,
  isReplicaRoot,
  promote,
  readLineage,
  writeFence,
  writeReplicaMarker,
} from "../../../runtime/interconnect/lineage.js";
import type { Ancestor } from "../../../runtime/interconnect/wire/positions.js";
import { FOLDER } from "../../property/support/interconnect/virtual-files.js";
import { VirtualWorld } from "../../property/support/interconnect/virtual-world.js";
import { Random } from "../../property/support/random.js";
import { Instance } from "./support/instance.js";

interface Context {
  root: string;
}

const test = suite<Context>("lineage");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-lineage-"));
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

const DAMAGED: readonly [string, (file: string) => void][] = [
  ["empty", (file) => writeFileSync(file, "")],
  ["torn", (file) => writeFileSync(file, '{"epo')],
  ["zeros", (file) => writeFileSync(file, Buffer.alloc(512))],
  ["no object", (file) => writeFileSync(file, "null")],
  ["without epoch", (file) => writeFileSync(file, "{}")],
  ["an epoch of another type", (file) => writeFileSync(file, '{"epoch":"9"}')],
  ["a fraction", (file) => writeFileSync(file, '{"epoch":9.5}')],
  ["a folder", (file) => mkdirSync(file)],
  ["a file that cannot be opened", (file) => symlinkSync(file, file)],
];

test("fences by the epoch of the fence", ({ root }) => {
  assert.is(fencedBy(root), null);
  writeFence(root, 7);
  assert.is(fencedBy(root), 7);
});

test("fences a data folder whose fence cannot be read", ({ root }) => {
  for (const [label, write] of DAMAGED) {
    const file = join(root, "_fenced.json");
    write(file);
    assert.is(fencedBy(root), 2, label);
    promote(root, false);
    assert.is(fencedBy(root), 2, `${label}, after a start`);
    rmSync(file, { recursive: true });
  }
  assert.is(fencedBy(root), null);
});

test("fences by an epoch above its own", ({ root }) => {
  writeFence(root, 5);
  assert.equal([promote(root, true).epoch, promote(root, false).epoch], [6, 6]);
});

test("stores the position of each graph at which it continues a log", ({ root }) => {
  const end = { id: "a".repeat(32), sn: 7, chain: 1 };
  const counts = { ["b".repeat(32)]: 12 };
  demote(root, end, 3);
  promote(root, true, 0, counts);
  assert.equal(readLineage(root), { epoch: 4, ancestors: [{ ...end, counts }] });
  for (const damaged of [{ x: 1 }, { ["b".repeat(32)]: -1 }, null, 7]) {
    const ancestors = [{ ...end, counts: damaged }];
    writeFileSync(join(root, "_lineage.json"), JSON.stringify({ epoch: 4, ancestors }));
    assert.equal(readLineage(root), { epoch: 1, ancestors: [] });
  }
});

test("a promotion survives a loss of power", () => {
  const random = new Random(1);
  const world = new VirtualWorld(random);
  world.install();
  try {
    for (const name of ["a", "b", "c", "d", "e"]) {
      const disk = world.files.mount(name);
      const root = `${FOLDER}/${name}`;
      demote(root, null, 3);
      promote(root, true);
      disk.losePower(random);
      assert.equal([isReplicaRoot(root), readLineage(root).epoch], [false, 4]);
    }
  } finally {
    world.uninstall();
  }
});

test("keeps the first known end of a log", ({ root }) => {
  const end = { id: "a".repeat(32), sn: 7, chain: 1 };
  const promoteAt = (sn: number, count: number) => {
    demote(root, { ...end, sn }, 3);
    const [only] = promote(root, true, 0, { ["b".repeat(32)]: count }).ancestors;
    return [only!.sn, only!.counts!["b".repeat(32)]];
  };
  assert.equal(
    [promoteAt(7, 12), promoteAt(7, 20), promoteAt(9, 30)],
    [
      [7, 12],
      [7, 12],
      [9, 30],
    ],
  );
});

const [LOG, OTHER] = ["a".repeat(32), "c".repeat(32)] as const;
const [GRAPH, CREATED] = ["b".repeat(32), "d".repeat(32)] as const;

/** Promotes a replica of a log with its provider's ancestors, and returns its own. */
function promoteReplica(
  root: string,
  log: Ancestor,
  ancestors: readonly Ancestor[],
  count: number,
) {
  const state = { isCaughtUp: true, isFetching: false };
  writeReplicaMarker(root, { log, origin: log.id, epoch: 4, ancestors, ...state });
  return promote(root, true, 0, { [GRAPH]: count }).ancestors;
}

test("a log ends at the position of a replica that leads before it caught up", ({ root }) => {
  const ancestor = { id: LOG, sn: 57, chain: 1, counts: { [GRAPH]: 80 } };
  const log = { id: LOG, sn: 50, chain: 2 };
  const ownLog = { ...log, counts: { [GRAPH]: 70 } };
  assert.equal(promoteReplica(root, log, [ancestor], 70), [ownLog]);
  const withMore = { ...ancestor, counts: { [GRAPH]: 70, [CREATED]: 5 } };
  assert.equal(promoteReplica(root, log, [withMore], 70), [ownLog]);
  // A marker can be older than the graphs.
  assert.equal(promoteReplica(root, log, [ancestor], 80), [ancestor]);
});

test("no log ends after the position of the replica that leads", ({ root }) => {
  const counts = { [GRAPH]: 60, [CREATED]: 5 };
  const ancestor = { id: OTHER, sn: 30, chain: 1, counts };
  const unknown = { id: "e".repeat(32), sn: 9, chain: 1 };
  const log = { id: LOG, sn: 0, chain: 0 };
  assert.equal(promoteReplica(root, log, [unknown, ancestor], 50), [
    unknown,
    { ...ancestor, counts: { [GRAPH]: 50 } },
    { ...log, counts: { [GRAPH]: 50 } },
  ]);
});

test("a replica uses the log ends of its last provider, not of previous ones", ({ root }) => {
  const previousPosition = { id: OTHER, sn: 57, chain: 1 };
  promoteReplica(root, previousPosition, [], 80);
  const ancestor = { id: OTHER, sn: 50, chain: 2, counts: { [GRAPH]: 70 } };
  const log = { id: LOG, sn: 5, chain: 3 };
  const ownLog = { ...log, counts: { [GRAPH]: 90 } };
  assert.equal(promoteReplica(root, log, [ancestor], 90), [ancestor, ownLog]);
});

test("keeps the logs that were continued last, regardless of their start", ({ root }) => {
  const [first, ...others] = Array.from({ length: 20 }, (_, n) => {
    return { id: `${n}`.padStart(32, "0"), sn: 9, chain: 1 };
  });
  const ancestors = promoteReplica(root, first!, [first!, ...others], 70);
  assert.equal(
    ancestors.map(({ id }) => id),
    [...others.slice(-15), first!].map(({ id }) => id),
  );
});

test("starts readonly and provides nothing while its fence cannot be read", async ({ root }) => {
  for (const [label, write] of DAMAGED) {
    const folder = join(root, label);
    mkdirSync(folder);
    write(join(folder, "_fenced.json"));
    const instance = await Instance.start(folder, { attach: ["127.0.0.1:1"] });
    assert.match(instance.log, /SVC2535/, label);
    assert.throws(() => instance.graph().createVertex("lost"), /readonly/, label);
    assert.equal(await instance.control({ do: "attached" }), []);
    await instance.stop();
  }
});

test.run();
