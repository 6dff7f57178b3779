// Errors of backups and restores, and the remains of interrupted ones.
// limit: 60 s

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../../runtime/base/errors.js";
import { findSlotRecord, storeSlotRecord } from "../../../../runtime/base/kept-slots.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import { runTransaction } from "../../../../runtime/graph/changes/transaction.js";
import { GraphRoot } from "../../../../runtime/graph/manager/graph-root.js";
import { FolderStore } from "../../../../runtime/interconnect/archive/folder-store.js";
import {
  LATEST,
  MANIFESTS,
  type Manifest,
  objectName,
} from "../../../../runtime/interconnect/archive/manifest.js";
import type { RestoreTarget } from "../../../../runtime/interconnect/archive/restore-plan.js";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { readLineage } from "../../../../runtime/interconnect/lineage.js";
import { openStore } from "../../graph/support/make-graph.js";
import { describeFailure } from "../support/describe-failure.js";
import { type Instance, same } from "../support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "../support/instances.js";
import { ALWAYS, createWriter, DAY, folderStore, ONCE, restore, step } from "./support.js";

const test = suite<InstancesContext>("archive");
withInstances(test);

function fill(instance: Instance, prefix: string): void {
  for (let index = 0; index < 5; index++) instance.graph().createVertex(`${prefix}${index}`);
}

test("rejects moments that were not recorded, and names the nearest positions", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const { log, time } = (await step(instance, createWriter(context)))!;
  fill(instance, "b");
  const { log: last } = (await step(instance, createWriter(context)))!;
  const position = (sn: number, id = log.id): RestoreTarget => ({ kind: "position", id, sn });
  const beyond = await describeFailure(restore(context, "b", position(last.sn + 1)));
  assert.match(beyond, /^SVC3420: /);
  assert.match(beyond, `before: ${last.id}:${last.sn} (`);
  const tooEarly = await describeFailure(restore(context, "b", position(log.sn - 1)));
  assert.match(tooEarly, /^SVC3420: /);
  assert.match(tooEarly, `after: ${log.id}:${log.sn} (`);
  const foreign = position(log.sn, "0".repeat(32));
  assert.match(await describeFailure(restore(context, "b", foreign)), /^SVC3420: /);
  const future: RestoreTarget = { kind: "time", second: Math.floor(time / 1000) + 3600 };
  assert.match(await describeFailure(restore(context, "b", future)), /^SVC3420: .*before: /);
  const past: RestoreTarget = { kind: "time", second: log.at - 1 };
  assert.match(await describeFailure(restore(context, "b", past)), /^SVC3420: .*after: /);
  assert.not(existsSync(join(context.folder, "b")));
});

test("restores a whole second, also from several additions to the backup", async (context) => {
  const instance = await begin(context, "a");
  const writer = createWriter(context);
  const add = async (id: string): Promise<number> => {
    instance.graph().createVertex(id);
    return (await step(instance, writer))!.log.at;
  };
  let [round, second] = [0, await add("first")];
  // Until two additions fall in the same second.
  for (let before = -1; second !== before; round++) {
    before = second;
    second = await add(`v${round}`);
  }
  for (let next = second; next === second; ) next = await add(`later${round++}`);
  await restore(context, "b", { kind: "time", second });
  const restoredGraph = (await begin(context, "b")).graph();
  const ids = [...Array(round).keys()].flatMap((n) => [`v${n}`, `later${n}`]);
  const isRestored = (id: string): boolean => restoredGraph.hasVertex(id);
  assert.ok(ids.some(isRestored));
  assert.equal(
    ids.filter((id) => instance.graph().hasVertex(id) && !isRestored(id)),
    [`later${round - 1}`],
  );
});

test("begins again after a gap, and restores both sides of it", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const { log: before } = (await step(instance, createWriter(context)))!;
  await end(instance);
  // The log of another data folder takes its place.
  rmSync(join(context.folder, "a"), { recursive: true });
  const second = await begin(context, "a");
  fill(second, "other");
  const manifest = (await step(second, createWriter(context)))!;
  assert.equal([manifest.continues, manifest.number, manifest.full], [false, 2, 2]);
  assert.is(manifest.fulls.length, 1);
  await restore(context, "b", { kind: "position", id: before.id, sn: before.sn });
  const first = await begin(context, "b");
  assert.equal([first.graph().hasVertex("a4"), first.graph().hasVertex("other0")], [true, false]);
  await restore(context, "c");
  await same(second, await begin(context, "c"));
  const inGap: RestoreTarget = { kind: "position", id: before.id, sn: before.sn + 1 };
  const text = await describeFailure(restore(context, "d", inGap));
  assert.match(text, `before: ${before.id}:${before.sn} (`);
  assert.match(text, `after: ${manifest.log.id}:${manifest.log.sn} (`);
});

test("finds corrupt and missing objects, and leaves an empty folder", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const { log } = (await step(instance, createWriter(context)))!;
  fill(instance, "b");
  const { pieces } = (await step(instance, createWriter(context)))!;
  const file = join(context.folder, "backup", objectName(pieces[0]!.object));
  const intact = readFileSync(file);
  const flipped = Buffer.from(intact);
  flipped[20]! ^= 1;
  for (const damage of [flipped, intact.subarray(0, -1), null]) {
    rmSync(file);
    if (damage !== null) writeFileSync(file, damage);
    const text = await describeFailure(restore(context, "b"));
    assert.match(text, /^SVC3420: /);
    assert.match(text, `before: ${log.id}:${log.sn} (`);
    assert.equal(readdirSync(join(context.folder, "b")), []);
    assert.is(await rejectionCode(verifyBackup(folderStore(context), context.folder)), "SVC3420");
  }
  // Earlier positions do not need it.
  await restore(context, "b", { kind: "position", id: log.id, sn: log.sn });
  assert.ok((await begin(context, "b")).graph().hasVertex("a4"));
});

test("finds replaced and missing manifests", async (context) => {
  const instance = await begin(context, "a");
  for (const prefix of ["a", "b", "c"]) {
    fill(instance, prefix);
    await step(instance, createWriter(context));
  }
  const file = (number: number): string =>
    join(context.folder, "backup", MANIFESTS, `000000000${number}.json`);
  const intact = readFileSync(file(2), "utf8");
  writeFileSync(file(2), intact.replace('"format":1', '"format":2'));
  const refusal = await restore(context, "b").catch((error: SvcError) => error);
  assert.match(String(refusal), /0000000002.json: format 2 is of a later release/);
  for (const text of [intact.replace(/"time":\d/, '"time":2'), "{}", "", "[1]", null]) {
    rmSync(file(2));
    if (text !== null) writeFileSync(file(2), text);
    const code = await rejectionCode(restore(context, "b"));
    // Without the second manifest nothing says that there is more than the first one.
    assert.is(code, "SVC3420", String(text));
  }
});

test("finds intact objects and manifests in the place of others", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const { pieces, log } = (await step(instance, createWriter(context)))!;
  const folder = join(context.folder, "backup");
  const file = join(folder, objectName(pieces[0]!.object));
  const intact = readFileSync(file);
  const content = gunzipSync(intact);
  content[content.length - 1]! ^= 1;
  writeFileSync(file, gzipSync(content));
  assert.match(await describeFailure(restore(context, "b")), /^SVC3420: .*objects.*corrupt/);
  writeFileSync(file, intact);
  fill(instance, "b");
  await step(instance, createWriter(context, ALWAYS));
  const first = join(folder, MANIFESTS, "0000000001.json");
  writeFileSync(first, readFileSync(first, "utf8").replace(/"time":\d/, '"time":2'));
  const target: RestoreTarget = { kind: "position", id: log.id, sn: log.sn };
  assert.match(await describeFailure(restore(context, "b", target)), /^SVC3420: .*replaced/);
});

test("begins again where an older copy of the data folder took its place", async (context) => {
  const [root, copy] = [join(context.folder, "a"), join(context.folder, "copy")];
  const before = await begin(context, "a");
  fill(before, "a");
  await before.isFlushed();
  await end(before);
  cpSync(root, copy, { recursive: true });
  const instance = await begin(context, "a");
  fill(instance, "lost");
  const { log } = (await step(instance, createWriter(context)))!;
  await end(instance);
  const replace = (): void => {
    rmSync(root, { recursive: true });
    cpSync(copy, root, { recursive: true });
  };
  // With a shorter log, then with another history of the same length.
  replace();
  assert.is((await createWriter(context).step())!.continues, false);
  replace();
  const second = await begin(context, "a");
  fill(second, "lost");
  fill(second, "more");
  await step(second, createWriter(context));
  await end(second);
  replace();
  const restartedInstance = await begin(context, "a");
  fill(restartedInstance, "also");
  fill(restartedInstance, "kept");
  fill(restartedInstance, "rest");
  const last = (await step(restartedInstance, createWriter(context)))!;
  assert.equal([last.continues, last.log.id], [false, log.id]);
  await restore(context, "b");
  await same(restartedInstance, await begin(context, "b"));
});

test("finds contents that differ from those backed up", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  await instance.save();
  const manifest = (await step(instance, createWriter(context)))!;
  assert.is((await verifyBackup(folderStore(context), context.folder)).compared, 1);
  const graphs = manifest.graphs.map((graph) => ({ ...graph, digest: "0".repeat(32) }));
  const file = join(context.folder, "backup", MANIFESTS, "0000000001.json");
  writeFileSync(file, JSON.stringify({ ...manifest, graphs }));
  assert.is(await rejectionCode(verifyBackup(folderStore(context), context.folder)), "SVC3423");
  assert.equal(
    readdirSync(context.folder).filter((name) => name.startsWith("svc-")),
    [],
  );
});

test("rejects paths that leave the data folder", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const manifest = (await step(instance, createWriter(context)))!;
  const file = join(context.folder, "backup", MANIFESTS, "0000000001.json");
  const bad = ["../x", "/etc/x", "g/../../graph.snapshot", "a/b/c/d/e/graph.snapshot", "svc.lock"];
  for (const path of [...bad, "_txlog/x.seg", "graph.snapshot", "g/graph.snapshot/x", ""]) {
    const pieces = [{ ...manifest.pieces[0]!, path }];
    writeFileSync(file, JSON.stringify({ ...manifest, pieces }));
    assert.is(await rejectionCode(restore(context, "b")), "SVC3420", path);
  }
});

test("restores into empty folders only, and begins a new log and epoch", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const { log } = (await step(instance, createWriter(context)))!;
  mkdirSync(join(context.folder, "b"));
  writeFileSync(join(context.folder, "b", "x"), "");
  assert.match(await describeFailure(restore(context, "b")), /^SVC3420: .*not empty/);
  assert.equal(readdirSync(join(context.folder, "b")), ["x"]);
  await restore(context, "c");
  const { epoch, ancestors } = readLineage(join(context.folder, "c"));
  assert.equal([epoch, ancestors], [2, [{ id: log.id, sn: log.sn, chain: log.chain }]]);
  // A backup of the restored folder in the same place is another history.
  await end(instance);
  rmSync(join(context.folder, "a"), { recursive: true });
  await restore(context, "a");
  const restartedInstance = await begin(context, "a");
  fill(restartedInstance, "later");
  const manifest = (await step(restartedInstance, createWriter(context)))!;
  assert.is(manifest.continues, false);
  assert.is.not(manifest.log.id, log.id);
});

test("restores the slot map of the moment, and no moment at which slots moved", async (context) => {
  const instance = await begin(context, "a");
  const [root, writer] = [join(context.folder, "a"), createWriter(context)];
  const map = { count: 16, runs: [[0, 0]] as [number, number][] };
  const first: SlotRecord = { version: 1, map, groups: ["B1", "B2"], move: null };
  const move = { id: "m", version: 2, from: "B1", to: "B2", slots: [3], isGiven: false };
  const manifests: Manifest[] = [];
  const backUp = async (record: SlotRecord): Promise<void> => {
    fill(instance, `${manifests.length}`);
    storeSlotRecord(root, record);
    manifests.push((await step(instance, writer))!);
  };
  await backUp(first);
  await backUp(first);
  await backUp({ ...first, move });
  await backUp({ ...first, version: 2 });
  await backUp({ ...first, version: 2 });
  const targetAt = (index: number, back = 0): RestoreTarget => {
    const { id, sn } = manifests[index]!.log;
    return { kind: "position", id, sn: sn - back };
  };
  const restoredVersion = async (name: string, target: RestoreTarget) => {
    await restore(context, name, target);
    const { version, isRestored } = findSlotRecord(join(context.folder, name))!;
    return isRestored === true && version;
  };
  assert.is(await restoredVersion("b", targetAt(1, 1)), 1);
  assert.is(await restoredVersion("c", targetAt(1)), 1);
  assert.is(await restoredVersion("d", targetAt(3)), 2);
  assert.is(await restoredVersion("e", targetAt(4, 1)), 2);
  for (const target of [targetAt(2), targetAt(2, 1), targetAt(3, 1)]) {
    const text = await describeFailure(restore(context, "f", target));
    assert.match(text, /^SVC3420: slots were moving at .*; before: /);
    assert.match(text, `before: ${manifests[1]!.log.id}:${manifests[1]!.log.sn} (`);
  }
  // A cut that was undone brought contents of slots that were removed again.
  await backUp({ ...first, version: 2, undone: "m" });
  const inside = await describeFailure(restore(context, "f", targetAt(5, 1)));
  assert.match(inside, /^SVC3420: slots were moving at .*; before: .*, after: /);
  assert.is(await restoredVersion("h", targetAt(5)), 2);
  // Slots that change without a change of graphs are backed up, too.
  storeSlotRecord(root, { ...first, version: 3 });
  assert.equal((await writer.step())!.pieces, []);
  assert.is(await writer.step(), null);
  assert.is(await restoredVersion("g", { kind: "end" }), 3);
});

test("reports the operation that the disk rejects", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  await step(instance, createWriter(context));
  writeFileSync(join(context.folder, "file"), "");
  assert.is(await rejectionCode(restore(context, "file/root")), "SVC3345");
});

test("serves no folder whose restore was interrupted, and restores it again", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  await step(instance, createWriter(context));
  await restore(context, "b");
  const root = join(context.folder, "b");
  writeFileSync(join(root, "_restoring"), "");
  writeFileSync(join(root, "g.stale"), "");
  try {
    new GraphRoot(root, {}).release();
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3421");
  }
  await restore(context, "b");
  assert.not(existsSync(join(root, "g.stale")));
  new GraphRoot(root, {}).release();
  await same(instance, await begin(context, "b"));
});

/** A location that fails at the n-th write. */
class FailingStore extends FolderStore {
  constructor(
    folder: string,
    public left: number,
  ) {
    super(folder);
  }

  override async put(name: string, content: Uint8Array): Promise<void> {
    if (--this.left < 0) throw new SvcError("SVC3422", "no more");
    await super.put(name, content);
  }

  override async putNew(name: string, content: Uint8Array): Promise<boolean> {
    if (--this.left < 0) throw new SvcError("SVC3422", "no more");
    return super.putNew(name, content);
  }
}

test("a backup interrupted at any write stays valid, and continues", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  await instance.save();
  const folder = join(context.folder, "backup");
  let isComplete = false;
  for (let writes = 0; !isComplete; writes++) {
    fill(instance, `w${writes}-`);
    const writer = createWriter(context, ALWAYS, new FailingStore(folder, writes));
    const code = await rejectionCode(step(instance, writer));
    isComplete = code === "none";
    if (!isComplete) assert.is(code, "SVC3422");
    if (!existsSync(join(folder, MANIFESTS))) continue;
    await verifyBackup(folderStore(context), context.folder);
  }
  await restore(context, "b");
  await same(instance, await begin(context, "b"));
});

test("a writer continues where it was after a failed write", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const store = new FailingStore(join(context.folder, "backup"), 100);
  const writer = createWriter(context, ONCE, store);
  await step(instance, writer);
  fill(instance, "b");
  store.left = 1;
  assert.is(await rejectionCode(step(instance, writer)), "SVC3422");
  store.left = 100;
  fill(instance, "c");
  await step(instance, writer);
  await restore(context, "b");
  await same(instance, await begin(context, "b"));
});

test("a new writer lists the stored objects", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  await instance.save();
  await step(instance, createWriter(context, ALWAYS));
  const store = new FailingStore(join(context.folder, "backup"), 100);
  await step(instance, createWriter(context, ALWAYS, store));
  assert.is(100 - store.left, 2, "only a manifest and its name were written");
});

test("a second writer does not mix its manifests in", async (context) => {
  const instance = await begin(context, "a");
  fill(instance, "a");
  const [writer, second] = [createWriter(context), createWriter(context)];
  await step(instance, writer);
  await second.step();
  fill(instance, "b");
  await step(instance, writer);
  fill(instance, "c");
  assert.is(await rejectionCode(step(instance, second)), "SVC3422");
  await verifyBackup(folderStore(context), context.folder);
});

/** Stores an object that no manifest names. */
function putOrphan({ folder }: InstancesContext, name: string, ageMs: number): void {
  const file = join(folder, "backup", objectName(name));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  const second = (Date.now() - ageMs) / 1000;
  utimesSync(file, second, second);
}

test("restores graphs of one transaction together", async (context) => {
  const instance = await begin(context, "a");
  const names = ["g", "h"];
  const parts = names.map((name) => ({ store: instance.store(name), isLocal: false }));
  const graphs = parts.map(({ store }) => openStore(store));
  for (const graph of graphs) graph.createVertex("before");
  const { log } = (await step(instance, createWriter(context)))!;
  runTransaction(parts, () => {
    for (const graph of graphs) graph.createVertex("joint");
  });
  const { log: last } = (await step(instance, createWriter(context)))!;
  assert.is(last.sn, log.sn + 2);
  for (let sn = log.sn; sn <= last.sn; sn++) {
    await restore(context, `${sn}`, { kind: "position", id: log.id, sn });
    const restoredInstance = await begin(context, `${sn}`);
    const hasJoint = names.map((name) => restoredInstance.graph(name).hasVertex("joint"));
    assert.equal(hasJoint, sn === last.sn ? [true, true] : [false, false], `${sn}`);
  }
});

test("removes objects older than the period, unless newer moments need them", async (context) => {
  const instance = await begin(context, "a");
  const keep = { fullMs: 0, keepMs: 1 };
  const orphans = [
    ["0".repeat(64), DAY / 2],
    ["1".repeat(64), 2 * DAY],
  ] as const;
  for (let index = 0; index < 4; index++) {
    fill(instance, `v${index}-`);
    if (index === 3) for (const [name, ms] of orphans) putOrphan(context, name, ms);
    await step(instance, createWriter(context, index === 3 ? keep : { fullMs: 0, keepMs: DAY }));
  }
  // The young one may belong to a manifest that is still to be written.
  assert.equal(
    orphans.map(([name]) => existsSync(join(context.folder, "backup", objectName(name)))),
    [true, false],
  );
  const names = readdirSync(join(context.folder, "backup", MANIFESTS)).sort();
  assert.equal(names, ["0000000002.json", "0000000003.json", "0000000004.json"]);
  // Without the file that names the last manifest, the last one is found all the same.
  rmSync(join(context.folder, "backup", LATEST));
  await verifyBackup(folderStore(context), context.folder);
  await restore(context, "b");
  await same(instance, await begin(context, "b"));
});

test.run();
