// A loss of power at any moment of a restore. Its folder is complete afterwards, or not served.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compress } from "../../../../runtime/base/async-calls.js";
import {
  objectName,
  type Piece,
  sha256,
} from "../../../../runtime/interconnect/archive/manifest.js";
import type { RestorePlan } from "../../../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../../../runtime/interconnect/archive/restore-root.js";
import { SEGMENT_HEADER_BYTES } from "../../../../runtime/interconnect/log/segment-format.js";
import { FOLDER } from "../../../property/support/interconnect/virtual-files.js";
import { VirtualWorld } from "../../../property/support/interconnect/virtual-world.js";
import { Random } from "../../../property/support/random.js";
import { dieAt } from "../support/death-at-step.js";
import { MemoryStore } from "../support/memory-store.js";
import { SimulatedDisk } from "../support/simulated-disk.js";
import { FOLDER as LOG, makeTransaction, openUnits, write } from "../support/unit-log.js";

const DISK = "one";
const ROOT = join(FOLDER, DISK, "root");
const MARKER = "_restoring";
const LIMIT_MS = 60_000;
const SEEDS = 8;
const SLOTS = {
  version: 3,
  map: { count: 16, runs: [[0, 0]] as const },
  groups: ["B1"],
  move: null,
};

const test = suite("restore without power");

/** A backup of a graph, its lineage, and a log of two segments. */
async function backup(): Promise<{ store: MemoryStore; plan: RestorePlan }> {
  const disk = new SimulatedDisk();
  const log = openUnits(disk);
  for (let before = 0; before < 3; before++)
    write(log, makeTransaction({ before, second: 5, words: 150 }));
  log.close();
  const store = new MemoryStore();
  const pieces: RestorePlan["pieces"][number][] = [];
  const add = async (path: string, content: Buffer, offset = 0): Promise<void> => {
    const stored = await compress(content, { level: 1 });
    const piece: Piece = { path, at: offset, bytes: content.length, object: sha256(stored) };
    await store.put(objectName(piece.object), stored);
    pieces.push({ ...piece, before: null });
  };
  await add("g/graph.snapshot", Buffer.alloc(1_500, "a"));
  await add("g/graph.snapshot", Buffer.from("end"), 1_500);
  await add("_lineage.json", Buffer.from('{"epoch":4,"ancestors":[]}'));
  for (const name of disk.names(LOG)) {
    if (name.endsWith(".seg")) await add(`_txlog/${name}`, disk.readContent(join(LOG, name)));
  }
  const point = { id: log.logId, sn: log.last, chain: log.chain, at: 5 };
  const target = { kind: "position", id: log.logId, sn: 2 } as const;
  const plan = { pieces, log: point, target, manifests: [], slots: null, after: null };
  return { store, plan };
}

/** Contents of a folder by path, without the new id of its log. */
function contents(): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    if (!fs.existsSync(folder)) return;
    for (const name of fs.readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (fs.statSync(path).isDirectory()) walk(path);
      else {
        const content = fs.readFileSync(path);
        const from = name.endsWith(".seg") ? SEGMENT_HEADER_BYTES : 0;
        files.set(relative(ROOT, path), content.subarray(from).toString("base64"));
      }
    }
  };
  walk(ROOT);
  return files;
}

/** Runs something to its end, or failure, in virtual time. */
async function inTime(world: VirtualWorld, work: () => Promise<unknown>): Promise<void> {
  const owner = { id: DISK, rate: 1, isAlive: true, pausedUntil: 0 };
  let outcome: { readonly error: unknown } | null = null;
  world.after(0, owner, () => {
    void work().then(
      () => (outcome = { error: null }),
      (error: unknown) => (outcome = { error }),
    );
  });
  await world.runUntil(world.time.now + LIMIT_MS, () => outcome !== null);
  assert.ok(outcome !== null, "it ends");
  const { error } = outcome as { readonly error: unknown };
  if (error !== null) throw error;
}

async function inWorld(
  seed: number,
  run: (world: VirtualWorld, restore: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { store, plan } = await backup();
  const world = new VirtualWorld(new Random(seed));
  world.install();
  try {
    await run(world, () => inTime(world, () => restoreRoot(store, plan, ROOT, SLOTS)));
  } finally {
    world.uninstall();
  }
}

test("is complete once it has ended", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    await inWorld(seed, async (world, restore) => {
      const disk = world.files.mount(DISK);
      await restore();
      const expected = contents();
      disk.losePower(world.random);
      assert.equal(contents(), expected, `seed ${seed}`);
      const names = [...expected.keys()].filter((path) => !path.startsWith("_txlog/"));
      assert.equal(names, ["_lineage.json", "_slots.json", "g/graph.snapshot"]);
      const read = (path: string): string => Buffer.from(expected.get(path)!, "base64").toString();
      const lineage = JSON.parse(read("_lineage.json")) as { epoch: number; ancestors: object[] };
      assert.equal([lineage.epoch, lineage.ancestors.length], [5, 1]);
      assert.match(read("_slots.json"), '"isRestored":true');
      assert.is(read("g/graph.snapshot"), `${"a".repeat(1_500)}end`);
    });
  }
});

test("is not served before, and begins again", async () => {
  await inWorld(1, async (world, restore) => {
    world.files.mount(DISK);
    await restore();
    const expected = contents();
    for (let step = 0, isDead = true; isDead; step++) {
      const disk = world.files.mount(DISK);
      isDead = await dieAt(step, () => world.files.away.add(DISK), restore);
      world.files.away.clear();
      disk.losePower(world.random);
      const left = contents();
      const isOpen = left.size > 0 && !left.has(MARKER);
      if (isOpen) assert.equal(left, expected, `step ${step}`);
      else {
        await restore();
        assert.equal(contents(), expected, `again after step ${step}`);
      }
    }
  });
});

async function inFolder(run: (root: string) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(join(tmpdir(), "svc-restore-"));
  try {
    await run(join(folder, "root"));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test("needs an empty folder, or one where a restore was interrupted", async () => {
  const { store, plan } = await backup();
  await inFolder(async (root) => {
    fs.mkdirSync(join(root, "g"), { recursive: true });
    fs.writeFileSync(join(root, "g/rest"), "");
    const refusal = await restoreRoot(store, plan, root).catch(({ message }: Error) => message);
    assert.is(refusal, `${root} is not empty: it has g`);
    assert.equal(fs.readdirSync(root), ["g"]);
    fs.writeFileSync(join(root, MARKER), "");
    await restoreRoot(store, plan, root);
    assert.equal(fs.readdirSync(root).sort(), ["_lineage.json", "_txlog", "g"]);
    assert.equal(fs.readdirSync(join(root, "g")), ["graph.snapshot"]);
    assert.is(fs.statSync(join(root, "_txlog")).mode & 0o777, 0o700, "as an instance makes it");
    assert.is.not(fs.statSync(join(root, "g")).mode & 0o777, 0o700);
  });
});

test("leaves an empty folder if an object is missing", async () => {
  const { store, plan } = await backup();
  await store.remove(objectName(plan.pieces.at(-1)!.object));
  await inFolder(async (root) => {
    const failure = await restoreRoot(store, plan, root).catch(({ message }: Error) => message);
    assert.match(String(failure), / is missing; /);
    assert.equal(fs.readdirSync(root), []);
  });
});

test.run();
