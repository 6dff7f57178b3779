// Continuous backup of a running instance: a provider, and a replica that had to fetch its graphs.
// limit: 60 s

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planArchive } from "../../../../runtime/base/archive-config.js";
import { SvcError } from "../../../../runtime/base/errors.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { Archiver, type ArchiverParts } from "../../../../runtime/interconnect/archive/archiver.js";
import { LATEST, OBJECTS, VERIFIED } from "../../../../runtime/interconnect/archive/manifest.js";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { DurableLog } from "../../../../runtime/interconnect/durable-log.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { InterruptibleSleep } from "../../../../runtime/interconnect/retry-loop.js";
import { freePort, same, until } from "../support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "../support/instances.js";
import { createWriter, DAY, folderStore, restore, step } from "./support.js";

const test = suite<InstancesContext>("archiver");
withInstances(test);

test("backs up a running instance, and its last changes when it stops", async (context) => {
  const archive = join(context.folder, "backup");
  const instance = await begin(context, "a", { archive });
  instance.graph().createVertex("first");
  // It may not be in the log yet.
  await end(instance);
  await restore(context, "b");
  assert.ok((await begin(context, "b")).graph().hasVertex("first"));
  const restartedInstance = await begin(context, "a", { archive });
  restartedInstance.graph().createVertex("second");
  await end(restartedInstance);
  await restore(context, "c");
  const restoredInstance = await begin(context, "c");
  assert.ok(restoredInstance.graph().hasVertex("second"));
  const { fulls, compared } = await verifyBackup(folderStore(context), context.folder);
  assert.is(fulls, 1);
  // Positions of the running graph are recorded, too.
  assert.ok(compared > 0);
});

test("lacks only changes of the period since its last step, 10 s by default", async (context) => {
  assert.is(planArchive("backup").everyMs, 10_000);
  const [backup, copy] = ["backup", "copy"].map((name) => join(context.folder, name));
  const instance = await begin(context, "a", { archive: { to: backup!, every: "1s" } });
  const latest = (folder: string): { readonly number: number; readonly time: number } => {
    const file = join(folder, LATEST);
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { number: 0, time: 0 };
  };
  const durable: [id: string, at: number][] = [];
  let count = 0;
  await until(
    () => {
      const id = `v${count++}`;
      instance.graph().createVertex(id);
      void instance.isFlushed().then(() => durable.push([id, Date.now()]));
      return latest(backup!).number >= 3;
    },
    () => instance.log,
  );
  // The instance and its disk are lost.
  cpSync(backup!, copy!, { recursive: true });
  await end(instance);
  rmSync(backup!, { recursive: true });
  renameSync(copy!, backup!);
  const { time } = latest(backup!);
  await restore(context, "b");
  const restoredGraph = (await begin(context, "b")).graph();
  const restorable = durable.filter(([, durableTime]) => durableTime <= time);
  assert.ok(restorable.length > 1);
  assert.equal(
    restorable.filter(([id]) => !restoredGraph.hasVertex(id)),
    [],
  );
});

test("reports a backup that cannot be written, and keeps the log", async (context) => {
  const archive = join(context.folder, "backup");
  writeFileSync(archive, "");
  const instance = await begin(context, "a", { archive });
  instance.graph().createVertex("x");
  await until(
    () => instance.log.includes("SVC3422"),
    () => instance.log,
  );
  await until(
    () => (instance.shown.archive?.lagTransactions ?? 0) > 0,
    () => JSON.stringify(instance.shown.archive),
  );
  await end(instance);
  // Inside the data folder it would become part of itself.
  const second = await begin(context, "b", { archive: join(context.folder, "b", "backup") });
  second.graph().createVertex("x");
  await until(
    () => second.log.includes("SVC3422"),
    () => second.log,
  );
  assert.not(existsSync(join(context.folder, "b", "backup")));
});

test("reports each failure and its recovery once", async (context) => {
  let failure: Error | null = new SvcError("SVC2504", "denied");
  let tries = 0;
  const isReady = (): boolean => {
    tries++;
    if (failure !== null) throw failure;
    return true;
  };
  const verify = async (): Promise<void> => undefined;
  const { lines, stop } = await createArchiver(context, { isReady, verify });
  const tried = async (times: number): Promise<void> => {
    const end = tries + times;
    await until(
      () => tries >= end,
      () => lines.join("\n"),
    );
  };
  await tried(3);
  failure = new Error("EIO");
  await tried(3);
  failure = null;
  await until(
    () => lines.length >= 4,
    () => lines.join("\n"),
  );
  const folder = join(context.folder, "backup");
  assert.equal(lines.slice(0, 4), [
    ...["SVC2504: backup: denied", "SVC3422: backup: EIO"],
    ...[`backup: ${folder}: full backup 1`, `backup: ${folder}: continues`],
  ]);
  await stop();
});

/** An archiver of the stopped instance `a`, which steps at once. */
async function createArchiver(context: InstancesContext, parts: Partial<ArchiverParts> = {}) {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  await instance.isFlushed();
  await end(instance);
  return archiverOfRoot(context, parts);
}

function archiverOfRoot(context: InstancesContext, parts: Partial<ArchiverParts> = {}) {
  const root = join(context.folder, "a");
  const lines: string[] = [];
  const warn = (line: string): number => lines.push(line);
  const clock = new CommitClock();
  const log = new DurableLog({ root, mode: "async", clock, warn, disk: realDisk });
  const plan = { ...planArchive(join(context.folder, "backup")), everyMs: 1, verifyMs: 0 };
  const archiver = new Archiver({
    ...{ plan, root, log, warn, isReplica: false, checkpoints: () => [], isReady: () => true },
    ...parts,
  });
  const stop = async (): Promise<void> => {
    await archiver.stop();
    await log.close();
  };
  const ends = (): readonly [first: number, safe: number] => {
    return [log.channel.log.first, log.channel.log.durableSn];
  };
  return { archiver, lines, ends, stop };
}

test("begins early enough to end within the period, and never without a pause", async (context) => {
  const plan = { ...planArchive(join(context.folder, "backup")), everyMs: 10_000 };
  const took = [0, 2000, 4600, 9000];
  let passedMs = 0;
  const isReady = (): boolean => {
    passedMs += took.shift() ?? 0;
    return true;
  };
  const pauses: number[] = [];
  let paused = (): void => undefined;
  const isDone = new Promise<void>((resolve) => {
    paused = resolve;
  });
  const { now } = performance;
  const { wait } = InterruptibleSleep.prototype;
  performance.now = () => passedMs;
  InterruptibleSleep.prototype.wait = function (ms) {
    pauses.push(ms);
    if (took.length > 0) return Promise.resolve();
    paused();
    return wait.call(this, ms);
  };
  try {
    const { stop } = await createArchiver(context, { plan, isReady });
    await isDone;
    await stop();
  } finally {
    performance.now = now;
    InterruptibleSleep.prototype.wait = wait;
  }
  assert.equal(pauses, [10_000, 6000, 1000, 1000]);
});

test("makes a new unverified full backup after its location was lost", async (context) => {
  const backup = join(context.folder, "backup");
  const plan = { ...planArchive(backup), everyMs: 1 };
  const { lines, stop } = await createArchiver(context, { plan });
  const logged = (text: string) =>
    until(
      () => lines.some((line) => line.endsWith(text)),
      () => lines.join(),
    );
  await logged(": full backup 1");
  await until(
    () => existsSync(join(backup, VERIFIED)),
    () => lines.join(),
  );
  renameSync(backup, join(context.folder, "lost"));
  await logged(": full backup 1; changes before it are missing");
  await until(
    () => existsSync(join(backup, VERIFIED)),
    () => lines.join(),
  );
  await stop();
});

test("is as recent as its last step while there is nothing to back up", async (context) => {
  const startedAt = Date.now();
  const { archiver, stop } = archiverOfRoot(context);
  await until(
    () => archiver.report().ageMs + 20 < Date.now() - startedAt,
    () => `${archiver.report().ageMs} ms`,
  );
  await stop();
});

test("makes no backup while its graphs are not complete", async (context) => {
  let calls = 0;
  const isReady = (): boolean => ++calls > 3;
  const verify = async (): Promise<void> => undefined;
  const { stop } = await createArchiver(context, {
    verify,
    isReady: () => {
      assert.not(existsSync(join(context.folder, "backup")));
      return isReady();
    },
  });
  await until(
    () => calls > 3,
    () => `${calls}`,
  );
  await stop();
  await verifyBackup(folderStore(context), context.folder);
});

test("retains the whole log before its first step, then the rest", async (context) => {
  let isReady = false;
  const { archiver, ends, stop } = await createArchiver(context, { isReady: () => isReady });
  const [first, safe] = ends();
  assert.ok(safe >= first);
  assert.is(archiver.firstNeededSn, first);
  isReady = true;
  await until(
    () => archiver.firstNeededSn === safe + 1,
    () => `${archiver.firstNeededSn}`,
  );
  await stop();
});

test("verifies the backup, and reports one that cannot be restored", async (context) => {
  const store = folderStore(context);
  const verify = async (): Promise<void> => void (await verifyBackup(store, context.folder));
  const { archiver, lines, stop } = await createArchiver(context, { verify });
  const logged = (text: string) =>
    until(
      () => lines.some((line) => line.includes(text)),
      () => lines.join(),
    );
  await logged("backup: verified");
  const { time, isVerified } = JSON.parse(`${await store.get(VERIFIED, 100)}`);
  assert.is(isVerified, true);
  assert.ok(archiver.report().verifiedMs <= Date.now() - time);
  for await (const { name } of store.list(OBJECTS)) await store.remove(name);
  await logged("SVC3424: backup: ");
  assert.match(lines.at(-1)!, /is missing/);
  const last = archiver.report().verifiedMs;
  await until(
    () => archiver.report().verifiedMs > last,
    () => `${last}`,
  );
  await stop();
});

test("verifies again after a period, also if a previous process did it last", async (context) => {
  const done: number[] = [];
  const verify = async (): Promise<void> => void done.push(Date.now());
  const plan = { ...planArchive(join(context.folder, "backup")), everyMs: 1 };
  const record = (ageMs: number, isVerified: boolean) =>
    folderStore(context).put(
      VERIFIED,
      Buffer.from(JSON.stringify({ time: Date.now() - ageMs, isVerified })),
    );
  for (const [ageMs, isVerified, count] of [
    [6 * DAY, true, 0],
    [8 * DAY, true, 1],
    [DAY / 2, false, 0],
    [2 * DAY, false, 1],
  ] as const) {
    await record(ageMs, isVerified);
    let steps = 0;
    const isReady = (): boolean => ++steps > 0;
    const { stop } = await createArchiver(context, { verify, plan, isReady });
    await until(
      () => steps > 3,
      () => `${steps}`,
    );
    await stop();
    assert.is(done.splice(0).length, count, `${ageMs} ${isVerified}`);
  }
});

test("verifies again a day after a verification that failed", async (context) => {
  let [tries, steps, passedMs] = [0, 0, 0];
  const verify = async (): Promise<void> => {
    tries++;
    throw new Error("damaged");
  };
  const isReady = (): boolean => ++steps > 0;
  const plan = { ...planArchive(join(context.folder, "backup")), everyMs: 1 };
  const { now } = Date;
  Date.now = () => now() + passedMs;
  const time = now() - 8 * DAY;
  await folderStore(context).put(VERIFIED, Buffer.from(JSON.stringify({ time, isVerified: true })));
  const { lines, stop } = await createArchiver(context, { verify, plan, isReady });
  const after = async (days: number): Promise<number> => {
    passedMs += days * DAY;
    const end = steps + 3;
    await until(
      () => steps > end,
      () => `${steps}`,
    );
    return tries;
  };
  try {
    assert.equal([await after(0), await after(0.9), await after(0.2)], [1, 1, 2]);
    assert.match(lines.join(), /SVC3424: .*: damaged/);
  } finally {
    Date.now = now;
    await stop();
  }
});

test("refuses a backup without a transaction log", async (context) => {
  const archive = join(context.folder, "backup");
  const started = begin(context, "a", { archive, durability: "off" });
  assert.is(await rejectionCode(started), "SVC2530");
});

test("backs up a replica with the graphs that it fetched", async (context) => {
  const archive = join(context.folder, "backup");
  const txPort = await freePort();
  const provider = await begin(context, "p");
  provider.graph().createVertex("early");
  await provider.save();
  await provider.save();
  const replica = await begin(context, "a", { txPort, archive });
  await provider.control({ do: "attach", uri: `127.0.0.1:${txPort}` });
  await same(provider, replica);
  provider.graph().createVertex("late");
  await same(provider, replica);
  await replica.isFlushed();
  await end(replica);
  await restore(context, "b");
  const restoredInstance = await begin(context, "b");
  assert.equal(
    ["early", "late"].map((id) => restoredInstance.graph().hasVertex(id)),
    [true, true],
  );
  // A restored folder provides: it does not follow the former provider.
  restoredInstance.graph().createVertex("own");
});

test("begins a new full backup after a graph was replaced", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  await instance.save();
  const writer = createWriter(context);
  await step(instance, writer);
  await end(instance);
  // Changes that no log has.
  const unlogged = await begin(context, "a", { durability: "off" });
  unlogged.graph().createVertex("unlogged");
  await unlogged.save();
  await end(unlogged);
  const two = await begin(context, "a");
  two.graph().createVertex("y");
  const manifest = (await step(two, writer))!;
  assert.is(manifest.continues, false);
  await restore(context, "b");
  assert.ok((await begin(context, "b")).graph().hasVertex("unlogged"));
});

test("a second instance does not take a backup over", async (context) => {
  const [a, b] = [await begin(context, "a"), await begin(context, "c")];
  a.graph().createVertex("x");
  b.graph().createVertex("x");
  const first = createWriter(context);
  await step(a, first);
  const second = createWriter(context, undefined, undefined, "c");
  await step(b, second);
  a.graph().createVertex("y");
  assert.is(await rejectionCode(step(a, first)), "SVC3422");
  assert.is(await rejectionCode(step(a, first)), "SVC3422");
  await verifyBackup(folderStore(context), context.folder);
  mkdirSync(join(context.folder, "d"));
  await restore(context, "d");
  await same(b, await begin(context, "d"));
  rmSync(join(context.folder, "backup"), { recursive: true });
});

test.run();
