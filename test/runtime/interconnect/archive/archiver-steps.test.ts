// Continuous backup of an artificial log, step by step: its reports, retention and verification.
// Steps and time pass only under control of the test.

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planArchive } from "../../../../runtime/base/archive-config.js";
import { SvcError } from "../../../../runtime/base/errors.js";
import { Archiver, type ArchiverParts } from "../../../../runtime/interconnect/archive/archiver.js";
import { FolderStore } from "../../../../runtime/interconnect/archive/folder-store.js";
import { VERIFIED } from "../../../../runtime/interconnect/archive/manifest.js";
import type { DurableLog } from "../../../../runtime/interconnect/durable-log.js";
import type { SegmentLog } from "../../../../runtime/interconnect/log/segment-log.js";
import { InterruptibleSleep } from "../../../../runtime/interconnect/retry-loop.js";
import { SimulatedDisk } from "../support/simulated-disk.js";
import { makeTransaction, openUnits, ROOT, write } from "../support/unit-log.js";

const DAY = 86_400_000;
const WEEK = 7 * DAY;
const START = 1_000 * DAY;

interface Context {
  backup: string;
  now: number;
  disk: SimulatedDisk;
  log: SegmentLog;
  /** Of the log. */
  count: number;
  /** With their levels. */
  lines: string[];
  verified: AbortSignal[];
  open: (parts?: Partial<ArchiverParts>) => Promise<Archiver>;
  /** Makes the next step. */
  step: () => Promise<void>;
  stop: () => Promise<void>;
}

const test = suite<Context>("steps of an archiver");
const { now: realNow } = Date;
const { wait } = InterruptibleSleep.prototype;

test.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-archiver-"));
  const disk = new SimulatedDisk();
  Object.assign(context, { backup: join(folder, "backup"), now: START, count: 0 });
  Object.assign(context, { log: openUnits(disk), lines: [], verified: [] });
  Date.now = () => context.now;
  let go = (): void => undefined;
  let paused = (): void => undefined;
  InterruptibleSleep.prototype.wait = () =>
    new Promise((resolve) => {
      go = resolve;
      paused();
    });
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      paused = resolve;
    });
  let archiver: Archiver;
  context.open = async (parts = {}) => {
    const channel = {
      get log() {
        return context.log;
      },
    };
    const log = { disk, channel, settled: async () => true } as unknown as DurableLog;
    const waits = pause();
    archiver = new Archiver({
      ...{ plan: planArchive(context.backup), root: ROOT, isReplica: false, log },
      ...{ checkpoints: () => [], isReady: () => true },
      warn: (line, level) => context.lines.push(`${level ?? "none"}: ${line}`),
      verify: async (_place, signal) => void context.verified.push(signal),
      ...parts,
    });
    await waits;
    return archiver;
  };
  context.step = async () => {
    const waits = pause();
    go();
    await waits;
    await turn();
  };
  context.stop = async () => {
    const stopped = archiver.stop();
    go();
    await stopped;
  };
  Object.assign(context, { disk });
});

test.after.each(async (context) => {
  await context.stop();
  InterruptibleSleep.prototype.wait = wait;
  Date.now = realNow;
  context.log.close();
  rmSync(join(context.backup, ".."), { recursive: true });
});

function change(context: Context): void {
  write(context.log, makeTransaction({ before: context.count++, second: 7 }));
}

function record({ backup }: Context): unknown {
  return JSON.parse(readFileSync(join(backup, VERIFIED), "utf8"));
}

test("reports its age and its lag behind the current log", async (context) => {
  const archiver = await context.open();
  const summary = () => {
    const { place, ageMs, lagTransactions } = archiver.report();
    assert.is(place, context.backup);
    return [ageMs, lagTransactions, archiver.firstNeededSn];
  };
  context.now += 30;
  assert.equal(summary(), [30, 0, 1], "there is nothing to back up");
  assert.is(archiver.report().verifiedMs, 30, "since it began");
  await context.step();
  assert.equal(summary(), [0, 0, 1]);
  change(context);
  change(context);
  context.now += 20;
  assert.equal(summary(), [20, 2, 1]);
  await context.step();
  assert.equal(summary(), [0, 0, 3]);
  change(context);
  context.now += 10;
  assert.equal(summary(), [10, 1, 3]);
  context.now -= 50;
  assert.equal(summary(), [0, 1, 3], "the clock was set back");
  context.log = openUnits(new SimulatedDisk());
  assert.equal(summary(), [0, 0, 1], "another log");
});

test("adds the transactions that are durable when a step begins", async (context) => {
  let isWaiting = true;
  const settled = async (): Promise<boolean> => {
    if (isWaiting) change(context);
    isWaiting = false;
    return true;
  };
  const channel = { log: context.log };
  const log = { disk: context.disk, channel, settled } as unknown as DurableLog;
  const archiver = await context.open({ log });
  assert.is(archiver.firstNeededSn, 2);
});

test("logs a full backup, and whether changes before it are missing", async (context) => {
  change(context);
  await context.open();
  const full = `backup: ${context.backup}: full backup`;
  const gap = "; changes before it are missing";
  assert.equal(context.lines.splice(0), [`info: ${full} 1`]);
  change(context);
  await context.step();
  await context.step();
  assert.equal(context.lines.splice(0), []);
  renameSync(context.backup, `${context.backup}.lost`);
  await context.step();
  assert.equal(context.lines.splice(0), [`warn: ${full} 1${gap}`]);
  assert.equal(record(context), { time: START, isVerified: false }, "it begins again");
  context.now += DAY - 1;
  await context.step();
  assert.equal(context.lines.splice(0), []);
  // No verification is due.
  writeFileSync(join(context.backup, VERIFIED), JSON.stringify({ time: context.now }));
  await context.stop();
  context.now += 1;
  change(context);
  await context.open();
  assert.equal(context.lines.splice(0), [`info: ${full} 2`], "it continues");
  await context.stop();
  await context.open({ isReplica: true });
  assert.equal(context.lines.splice(0), [`warn: ${full} 3${gap}`], "its graphs may be others");
});

test("logs its recovery once after a failure", async (context) => {
  let isFailing = true;
  let failure = new Error("EIO");
  const isReady = (): boolean => {
    if (isFailing) throw failure;
    return true;
  };
  change(context);
  await context.open({ isReady });
  await context.step();
  assert.equal(context.lines.splice(0), ["error: SVC3422: backup: EIO"]);
  isFailing = false;
  for (let count = 0; count < 3; count++) await context.step();
  assert.equal(context.lines.splice(0).slice(1), [`none: backup: ${context.backup}: continues`]);
  isFailing = true;
  await context.step();
  failure = new SvcError("SVC2504", "denied");
  await context.step();
  const lines = ["error: SVC3422: backup: EIO", "error: SVC2504: backup: denied"];
  assert.equal(context.lines, lines, "it was the case again");
});

test("a backup counts although its expired parts cannot be removed", async (context) => {
  change(context);
  const times = { fullMs: 1000, keepMs: 1000, verifyMs: 6000 };
  const plan = { ...planArchive(context.backup), ...times };
  const archiver = await context.open({ plan });
  const { remove } = FolderStore.prototype;
  FolderStore.prototype.remove = () => Promise.reject(new Error("denied"));
  try {
    for (let full = 2; full <= 4; full++) {
      context.now += 2000;
      change(context);
      await context.step();
    }
    while (context.lines.length < 6) await turn();
    const text = `expired parts remain in ${context.backup}: denied`;
    assert.equal(
      [3, 4, 5].map((at) => context.lines[at]),
      [
        `info: backup: ${context.backup}: full backup 4`,
        `warn: SVC3422: backup: ${text}`,
        `info: backup: ${context.backup}: verified`,
      ],
    );
    assert.equal([archiver.report().ageMs, context.verified.length], [0, 1]);
    await context.step();
    assert.equal(context.lines.splice(6), [], "the backup never failed");
  } finally {
    FolderStore.prototype.remove = remove;
  }
});

test("verifies a day after its beginning, then each period", async (context) => {
  change(context);
  const archiver = await context.open();
  assert.equal(record(context), { time: START, isVerified: false });
  context.now = START + DAY - 1;
  await context.step();
  assert.equal([context.verified.length, archiver.report().verifiedMs], [0, DAY - 1]);
  context.now = START + DAY;
  await context.step();
  const verified = `info: backup: ${context.backup}: verified`;
  while (context.lines.at(-1) !== verified) await turn();
  assert.equal([context.verified.length, archiver.report().verifiedMs], [1, 0]);
  assert.equal(record(context), { time: START + DAY, isVerified: true });
  context.now = START + DAY + WEEK - 1;
  await context.step();
  assert.is(context.verified.length, 1);
  context.now = START + DAY + WEEK;
  await context.step();
  assert.is(context.verified.length, 2);
});

test("verifies after its period if that is less than a day", async (context) => {
  change(context);
  await context.open({ plan: { ...planArchive(context.backup), verifyMs: 1_000 } });
  context.now += 999;
  await context.step();
  assert.is(context.verified.length, 0);
  context.now += 1;
  await context.step();
  assert.is(context.verified.length, 1);
});

test("continues from a previous process's verification if readable", async (context) => {
  change(context);
  await context.open();
  for (const [content, at] of [
    [{ time: START - WEEK, isVerified: true }, START],
    [{ time: START - WEEK + 1, isVerified: true }, START + 1],
    [{ time: START, isVerified: true }, START + WEEK],
    [{ time: START - DAY, isVerified: false }, START],
    [{ time: START + 1, isVerified: true }, START + DAY],
    [{ time: `${START}`, isVerified: true }, START + DAY],
    [{}, START + DAY],
  ] as const) {
    await context.stop();
    writeFileSync(join(context.backup, VERIFIED), JSON.stringify(content));
    context.now = START;
    const archiver = await context.open();
    const { time = START } = content as { readonly time?: unknown };
    const isRead = typeof time === "number" && time <= START;
    assert.is(archiver.report().verifiedMs, isRead ? START - time : 0);
    for (const [now, count] of [
      [at - 1, 0],
      [at, 1],
    ] as const) {
      context.now = Math.max(START, now);
      await context.step();
      if (now >= START) assert.is(context.verified.length, count, JSON.stringify(content));
    }
    context.verified.length = 0;
  }
});

test("never verifies twice at once, and verifies again a day after a failure", async (context) => {
  let fail = (_error: Error): void => undefined;
  let tries = 0;
  const verify = (): Promise<void> => {
    tries++;
    return new Promise((_resolve, reject) => {
      fail = reject;
    });
  };
  change(context);
  const archiver = await context.open({ verify });
  const runAt = async (ms: number): Promise<number> => {
    context.now = START + ms;
    await context.step();
    return tries;
  };
  assert.equal([await runAt(DAY), await runAt(2 * DAY), await runAt(3 * DAY)], [1, 1, 1]);
  fail(new Error("damaged"));
  await turn();
  assert.is(context.lines.at(-1), `error: SVC3424: backup: ${context.backup}: damaged`);
  assert.is(archiver.report().verifiedMs, 3 * DAY);
  assert.is(await runAt(3 * DAY), 2, "more than a day after the last one began");
  fail(new Error("damaged"));
  await turn();
  assert.equal([await runAt(4 * DAY - 1), await runAt(4 * DAY)], [2, 3]);
  fail(new Error("damaged"));
});

test("a verification ends with its process, which begins no other", async (context) => {
  let isOver = false;
  let tries = 0;
  let abort = (): void => undefined;
  const verify = (_place: string, signal: AbortSignal): Promise<void> => {
    tries++;
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        abort = () => reject(new Error("aborted"));
      });
    });
  };
  change(context);
  const archiver = await context.open({ verify });
  context.now = START + DAY;
  await context.step();
  context.lines.length = 0;
  change(context);
  const stopped = context.stop().then(() => {
    isOver = true;
  });
  // The last change is added meanwhile.
  while (archiver.firstNeededSn < 3) await turn();
  for (let count = 0; count < 20; count++) await turn();
  assert.is(isOver, false);
  abort();
  await stopped;
  assert.equal(context.lines, []);
  await context.open({ verify });
  tries = 0;
  context.now = START + WEEK;
  const last = context.stop();
  abort();
  await last;
  assert.is(tries, 0);
});

test("a stop adds the last changes without waiting for the next step", async (context) => {
  const archiver = await context.open();
  change(context);
  InterruptibleSleep.prototype.wait = wait;
  void context.step();
  while (archiver.firstNeededSn < 2) await turn();
  change(context);
  await archiver.stop();
  assert.is(archiver.firstNeededSn, 3);
});

test("a stop does not wait for a step that hangs, and leaves no timer", async (context) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  change(context);
  await context.open();
  await context.stop();
  assert.is(timers(), before);
  const { setTimeout: realTimeout } = globalThis;
  const limits: number[] = [];
  let end = (_isFlushed: boolean): void => undefined;
  const hanging = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  let isHanging = false;
  const log = {
    ...{ disk: new SimulatedDisk(), channel: { log: context.log } },
    settled: () => (isHanging ? hanging : Promise.resolve(true)),
  } as unknown as DurableLog;
  await context.open({ log });
  isHanging = true;
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    limits.push(ms);
    return realTimeout(run, 0);
  }) as typeof setTimeout;
  try {
    await context.stop();
  } finally {
    globalThis.setTimeout = realTimeout;
    end(true);
  }
  assert.equal(limits, [5_000]);
});

test.run();
