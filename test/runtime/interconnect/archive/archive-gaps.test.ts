// Steps of a backup whose log, location or disk changes in between.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { storeSlotRecord } from "../../../../runtime/base/kept-slots.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import {
  type Manifest,
  MOVING,
  objectName,
} from "../../../../runtime/interconnect/archive/manifest.js";
import {
  change,
  createWriter,
  FULL_MS,
  type MadeUpArchive,
  manifestKind,
  setTime,
  withArchive,
} from "../support/made-up-archive.js";
import type { MemoryStore } from "../support/memory-store.js";
import { FOLDER, ROOT } from "../support/unit-log.js";

const test = suite<MadeUpArchive>("archive across gaps");
withArchive(test);
const DAY = 86_400_000;

/** Whether each object that a manifest names is there. */
function isWhole(store: MemoryStore, manifest: Manifest | null): boolean {
  return manifest!.pieces.every(({ object }) => store.objects.has(objectName(object)));
}

test("a single read error of the disk begins no full backup", async (c) => {
  change(c, 2);
  await c.writer.step();
  change(c);
  let failures = 1;
  c.disk.faults.unreadable = () => {
    if (failures-- > 0) throw new Error("EIO");
  };
  const failure = await c.writer.step().catch(({ message }: Error) => message);
  assert.is(failure, "EIO");
  assert.equal(manifestKind(await c.writer.step()), [2, 1, true, 3, 1, ""]);
});

test("a full backup after a gap has the log once", async (c) => {
  change(c, 2, 200);
  await c.writer.step();
  change(c, 4, 200);
  c.count += 5;
  change(c, 2, 200);
  const manifest = (await c.writer.step())!;
  assert.equal([manifest.full, manifest.continues], [2, false]);
  const places = manifest.pieces.map(({ path, at: startsAt }) => `${path} ${startsAt}`);
  assert.equal([...new Set(places)], places);
  const bytes = manifest.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const sizes = c.log.segments.map(({ name }) => c.disk.readContent(join(FOLDER, name)).length);
  assert.is(
    bytes,
    sizes.reduce((sum, size) => sum + size, 0),
  );
});

test("a full backup has the changes that were made while files were copied", async (c) => {
  const writer = createWriter(c, { settle: async () => change(c) });
  change(c);
  assert.is((await writer.step())!.log.sn, 2);
});

test("everything is stored again in a location that was emptied", async (c) => {
  change(c);
  await c.writer.step();
  const putsBefore = c.puts.length;
  c.store.objects.clear();
  const manifest = await c.writer.step();
  assert.ok(isWhole(c.store, manifest));
  assert.is(c.puts.length, 2 * putsBefore);
});

test("only the name of the last manifest is read while idle", async (c) => {
  change(c);
  await c.writer.step();
  const read: string[] = [];
  const get = c.store.get.bind(c.store);
  c.store.get = (name) => {
    read.push(name);
    return get(name);
  };
  await c.writer.step();
  assert.equal(read, ["latest.json"]);
});

test("the first full backup is removed once no moment of it is kept", async (c) => {
  const start = 100 * DAY;
  const step = async (time: number): Promise<Manifest> => {
    setTime(start + time);
    change(c);
    return (await c.writer.step())!;
  };
  await step(0);
  const second = await step(5 * FULL_MS);
  const thirdManifest = await step(16 * FULL_MS);
  assert.equal(manifestKind(thirdManifest), [3, 3, true, 3, 3, "1,2"]);
  const fourthManifest = await step(17 * FULL_MS);
  assert.equal(manifestKind(fourthManifest), [4, 4, true, 4, 4, "2,3"]);
  assert.is(c.store.objects.has("manifests/0000000001.json"), false);
  assert.ok(isWhole(c.store, second) && isWhole(c.store, thirdManifest));
  assert.ok(isWhole(c.store, fourthManifest));
});

/** Runs with a real data folder, whose log is the made-up one. */
async function inFolder(
  c: MadeUpArchive,
  run: (root: string, disk: MadeUpArchive["disk"]) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "svc-archive-"));
  const inside = (path: string) => path.replace(root, ROOT);
  const disk = Object.assign(Object.create(c.disk) as MadeUpArchive["disk"], {
    names: (folder: string) => c.disk.names(inside(folder)),
    open: (path: string) => c.disk.open(inside(path)),
  });
  try {
    await run(root, disk);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("files that did not change are stored once, and again after they were removed", async (c) => {
  await inFolder(c, async (root, disk) => {
    const writer = createWriter(c, { root, disk });
    let time = 100 * DAY;
    /** Returns how many objects a full backup stores. */
    const full = async (text: string, archiveWriter = writer): Promise<number> => {
      writeFileSync(join(root, "_lineage.json"), text);
      // Twice as long as each is kept.
      time += 20 * FULL_MS;
      setTime(time);
      c.puts.length = 0;
      assert.ok(isWhole(c.store, await archiveWriter.step()));
      return c.puts.length;
    };
    change(c);
    assert.equal([await full("one"), await full("one")], [2, 0]);
    assert.equal([await full("other"), await full("other"), await full("other")], [1, 0, 0]);
    assert.is(await full("one"), 1);
    assert.is(await full("one", createWriter(c, { root, disk })), 0, "another process");
  });
});

test("slots are those of the log, or moving", async (c) => {
  await inFolder(c, async (root, disk) => {
    const map = { count: 16, runs: [[0, 0]] as [number, number][] };
    const record = (version: number): SlotRecord => {
      return { version, map, groups: ["B1", "B2"], move: null };
    };
    let settle = (): void => undefined;
    const writer = createWriter(c, { root, disk, settle: async () => settle() });
    change(c);
    settle = () => storeSlotRecord(root, record(1));
    assert.is((await writer.step())!.slots, MOVING, "they changed meanwhile");
    const next = await writer.step();
    assert.equal([next!.slots, next!.pieces], [record(1), []]);
    assert.is(await writer.step(), null);
    const move = { id: "m", version: 2, from: "B1", to: "B2", slots: [3], isGiven: false };
    storeSlotRecord(root, { ...record(1), move });
    assert.is((await writer.step())!.slots, MOVING);
    assert.is(await writer.step(), null);
  });
});

test.run();
