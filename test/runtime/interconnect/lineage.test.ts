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
} from "../../../runtime/interconnect/lineage.js";
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
  for (const [what, write] of DAMAGED) {
    const file = join(root, "_fenced.json");
    write(file);
    assert.is(fencedBy(root), 2, what);
    promote(root, false);
    assert.is(fencedBy(root), 2, `${what}, after a start`);
    rmSync(file, { recursive: true });
  }
  assert.is(fencedBy(root), null);
});

test("fences by an epoch above its own", ({ root }) => {
  writeFence(root, 5);
  assert.equal([promote(root, true).epoch, promote(root, false).epoch], [6, 6]);
});

test("keeps how far each graph was where it continues a log", ({ root }) => {
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

test("keeps what was found first about the end of a log", ({ root }) => {
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

test("starts readonly and provides nothing while its fence cannot be read", async ({ root }) => {
  for (const [what, write] of DAMAGED) {
    const folder = join(root, what);
    mkdirSync(folder);
    write(join(folder, "_fenced.json"));
    const instance = await Instance.start(folder, { attach: ["127.0.0.1:1"] });
    assert.match(instance.log, /SVC2535/, what);
    assert.throws(() => instance.graph().createVertex("lost"), /readonly/, what);
    assert.equal(await instance.control({ do: "attached" }), []);
    await instance.stop();
  }
});

test.run();
