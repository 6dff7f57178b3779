// Steps of a backup whose log, location or disk changes in between.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Manifest, objectName } from "../../../../runtime/interconnect/archive/manifest.js";
import {
  at,
  change,
  FULL_MS,
  kindOf,
  type MadeUpArchive,
  withArchive,
  writerOf,
} from "../support/made-up-archive.js";
import type { MemoryStore } from "../support/memory-store.js";
import { FOLDER } from "../support/unit-log.js";

const test = suite<MadeUpArchive>("archive across gaps");
withArchive(test);
const DAY = 86_400_000;

/** Whether each object that a manifest names is there. */
function isWhole(store: MemoryStore, manifest: Manifest | null): boolean {
  return manifest!.pieces.every(({ object }) => store.objects.has(objectName(object)));
}

test("a disk that cannot be read once begins no full backup", async (c) => {
  change(c, 2);
  await c.writer.step();
  change(c);
  c.disk.faults.unreadable = () => {
    throw new Error("EIO");
  };
  const failure = await c.writer.step().catch(({ message }: Error) => message);
  assert.is(failure, "EIO");
  c.disk.faults.unreadable = () => undefined;
  assert.equal(kindOf(await c.writer.step()), [2, 1, true, 3, 1, ""]);
});

test("a full backup after a gap has the log once", async (c) => {
  change(c, 2, 200);
  await c.writer.step();
  change(c, 4, 200);
  c.count += 5;
  change(c, 2, 200);
  const manifest = (await c.writer.step())!;
  assert.equal([manifest.full, manifest.continues], [2, false]);
  const places = manifest.pieces.map(({ path, at: place }) => `${path} ${place}`);
  assert.equal([...new Set(places)], places);
  const bytes = manifest.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const sizes = c.log.segments.map(({ name }) => c.disk.contentOf(join(FOLDER, name)).length);
  assert.is(
    bytes,
    sizes.reduce((sum, size) => sum + size, 0),
  );
});

test("a full backup has the changes that were made while files were copied", async (c) => {
  const writer = writerOf(c, { settle: async () => change(c) });
  change(c);
  assert.is((await writer.step())!.log.sn, 2);
});

test("everything is stored again in a location that was emptied", async (c) => {
  change(c);
  await c.writer.step();
  const former = c.puts.length;
  c.store.objects.clear();
  const manifest = await c.writer.step();
  assert.ok(isWhole(c.store, manifest));
  assert.is(c.puts.length, 2 * former);
});

test("only the name of the last manifest is read while nothing changes", async (c) => {
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
    at(start + time);
    change(c);
    return (await c.writer.step())!;
  };
  await step(0);
  const second = await step(5 * FULL_MS);
  const third = await step(16 * FULL_MS);
  assert.equal(kindOf(third), [3, 3, true, 3, 3, "2"]);
  assert.is(c.store.objects.has("manifests/0000000001.json"), false);
  assert.ok(isWhole(c.store, second) && isWhole(c.store, third));
});

test("files that did not change are stored once by each writer and its followers", async (c) => {
  const root = mkdtempSync(join(tmpdir(), "svc-archive-"));
  const write = (text: string): void => writeFileSync(join(root, "_lineage.json"), text);
  try {
    // Its log is that of the other folder.
    const disk = Object.assign(Object.create(c.disk) as typeof c.disk, {
      names: (folder: string) => c.disk.names(folder.replace(root, join(FOLDER, ".."))),
      open: (path: string, mode: "read" | "write") =>
        c.disk.open(path.replace(root, join(FOLDER, "..")), mode),
    });
    const writer = writerOf(c, { root, disk });
    const puts: number[] = [];
    let time = 100 * DAY;
    const full = async (text: string, one = writer): Promise<boolean> => {
      write(text);
      time += FULL_MS;
      at(time);
      const manifest = await one.step();
      puts.push(c.puts.splice(0).length);
      return isWhole(c.store, manifest);
    };
    change(c);
    assert.ok(await full("{}"));
    assert.ok(await full("{}"));
    assert.ok(await full("{}", writerOf(c, { root, disk })));
    assert.equal(puts, [2, 0, 0]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.run();
