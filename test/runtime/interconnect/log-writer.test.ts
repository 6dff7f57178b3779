// The loop that writes and flushes the logs: when it writes, the changes that it confirms, and
// failures.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import type { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { LogWriter } from "../../../runtime/interconnect/log/log-writer.js";
import type { SpaceReserve } from "../../../runtime/interconnect/log/space-reserve.js";
import { until } from "./support/instance.js";

const LOW_BYTES = 2 ** 29;
const BATCH_BYTES = 2 ** 18;
const ATTEMPT_BYTES = 2 ** 24;
const HOUR_MS = 3_600_000;

/** A log whose frames are numbers of bytes. */
class Frames {
  readonly waiting: number[] = [];
  readonly steps: string[] = [];
  /** Thrown by flushes; null: they succeed. */
  error: Error | null = null;
  hasFailed = false;
  last = 0;
  durableSn = 0;

  get channel(): LogChannel {
    return this as unknown as LogChannel;
  }

  get log() {
    return this;
  }

  get waitingBytes(): number {
    return this.waiting.reduce((sum, bytes) => sum + bytes, 0);
  }

  get hasMore(): boolean {
    return this.waiting.length > 0;
  }

  write(): number {
    const bytes = this.waiting.shift() ?? 0;
    if (bytes > 0) {
      this.last++;
      this.steps.push(`write ${bytes}`);
    }
    return bytes;
  }

  release(): void {
    this.steps.push("release");
  }

  async flush(): Promise<void> {
    this.flushNow();
  }

  flushNow(): void {
    if (this.error !== null) {
      const { error } = this;
      this.hasFailed ||= (error as { code?: string }).code !== "ENOSPC";
      throw error;
    }
    if (this.durableSn < this.last) this.steps.push("flush");
    this.durableSn = this.last;
  }

  reopen(): void {
    this.hasFailed = false;
    this.steps.push("reopen");
  }

  readBack(from: number): void {
    this.steps.push(`read back from ${from}`);
  }
}

class Context {
  readonly clock = new CommitClock();
  readonly frames = new Frames();
  readonly otherFrames = new Frames();
  readonly logLines: string[] = [];
  readonly confirmed: number[] = [];
  readonly pauses: number[] = [];
  /** Waits between attempts to write again. */
  readonly waits: number[] = [];
  /** Attempts to create the reserve. */
  attempts = 0;
  releases = 0;
  hasSpace = true;
  freeBytes = Number.POSITIVE_INFINITY;
  flushes = 0;
  now = 1000;
  readonly writer: LogWriter;

  constructor() {
    const { clock } = this;
    const confirm = clock.confirm.bind(clock);
    clock.confirm = (flush) => {
      this.confirmed.push(flush);
      confirm(flush);
    };
    clock.pause = async (ms) => void this.pauses.push(ms);
    const reserve = {
      create: () => {
        this.attempts++;
        return this.hasSpace;
      },
      release: () => this.releases++,
    };
    const channels = [this.frames.channel, this.otherFrames.channel];
    const record = ({ code, message }: SvcError): number =>
      this.logLines.push(`${code}: ${message}`);
    this.writer = new LogWriter(
      clock,
      channels,
      reserve as unknown as SpaceReserve,
      () => this.freeBytes,
      {
        onFailure: record,
        onRecovery: (text) => this.logLines.push(text),
        low: (bytes) => this.logLines.push(`low ${bytes}`),
      },
      (ms) => {
        this.waits.push(ms);
        return new Promise((resolve) => setImmediate(resolve));
      },
    );
    this.writer.onFlushed(() => this.flushes++);
  }

  /** Commits frames; resolves when all are written. */
  async commit(...bytes: readonly number[]): Promise<void> {
    const { flushes } = this;
    this.frames.waiting.push(...bytes);
    this.clock.wake();
    await this.until(() => this.flushes > flushes);
  }

  until(holds: () => boolean): Promise<void> {
    return until(holds, () => [...this.logLines, ...this.frames.steps].join("\n"));
  }

  /** Number of the last flush. */
  get flush(): number {
    return this.clock.nextFlush - 1;
  }
}

const test = suite<{ log: Context }>("log writer");
const { now } = performance;

test.before.each((context) => {
  context.log = new Context();
  performance.now = () => context.log.now;
});

test.after.each(async ({ log }) => {
  performance.now = now;
  log.frames.error = null;
  await log.writer.stop();
});

test("confirms flushes up to the last replicated transaction", async ({ log }) => {
  const { writer, confirmed } = log;
  writer.start();
  await log.commit(1);
  const first = log.flush;
  assert.equal(confirmed, [first], "at once, while no other is asked");
  let limit = 1;
  writer.confirmUpTo(() => limit);
  await log.commit(1);
  const second = log.flush;
  await log.commit(1);
  const third = log.flush;
  assert.equal(confirmed, [first]);
  limit = 2;
  writer.confirm();
  writer.confirm();
  assert.equal(confirmed, [first, second]);
  assert.ok(await log.clock.wait(log.clock.nextFlush));
  const again = log.flush;
  assert.ok(again > third);
  limit = 3;
  writer.confirm();
  assert.equal(confirmed, [first, second, again], "of the same transaction, the last flush");
});

test("discarded changes are not confirmed later", async ({ log }) => {
  const { writer, confirmed, clock } = log;
  writer.start();
  writer.confirmUpTo(() => 0);
  await log.commit(1);
  const outcome = clock.waitConfirmed(log.flush);
  writer.confirmUpTo(null);
  assert.is(await outcome, false);
  writer.confirm();
  assert.equal(confirmed, []);
  await log.commit(1);
  assert.equal(confirmed, [log.flush]);
});

test("reports the growth of the logs by a number of bytes", async ({ log }) => {
  let growths = 0;
  log.writer.onGrown(100, () => growths++);
  log.writer.start();
  const after: number[] = [];
  for (const bytes of [60, 39, 1, 99, 1]) {
    await log.commit(bytes);
    after.push(growths);
  }
  assert.equal(after, [0, 0, 1, 1, 2]);
});

test("publishes the durable position of each log from the start", async () => {
  const clock = new CommitClock();
  const [first, second] = [new Frames(), new Frames()];
  [first.durableSn, second.durableSn] = [7, 8];
  const channels = [first.channel, second.channel];
  const nothing = (): void => undefined;
  const events = { onFailure: nothing, onRecovery: nothing, low: nothing };
  const reserve = { create: () => true } as unknown as SpaceReserve;
  const writer = new LogWriter(clock, channels, reserve, () => 0, events);
  assert.equal([clock.durableSn(0), clock.durableSn(1)], [7, 8]);
  first.last = 9;
  first.waiting.push(5, 5);
  writer.flushNow();
  assert.equal(
    [clock.durableSn(0), first.steps.filter((step) => step !== "release")],
    [11, ["flush", "write 5", "flush", "write 5", "flush"]],
  );
});

test("a flush ends once all frames are written, each after the flush of the last", async (c) => {
  const { log } = c;
  log.writer.start();
  await log.commit(3, 4);
  assert.equal(log.frames.steps.slice(0, 6), [
    ...["write 3", "release", "flush", "write 4", "release", "flush"],
  ]);
  assert.equal([log.clock.durableSn(0), log.flushes], [2, 1]);
  await log.writer.stop();
  assert.is(log.writer.flushes.count, 2);
});

test("writes 8 ms apart, but a large batch at once", async ({ log }) => {
  const { pauses } = log;
  log.writer.start();
  await log.commit(1);
  assert.equal(pauses, []);
  log.now += 3;
  await log.commit(1);
  assert.equal(pauses, [5]);
  log.now += 8;
  await log.commit(1);
  assert.equal(pauses, [5]);
  await log.commit(BATCH_BYTES);
  assert.equal(pauses, [5]);
  await log.commit(BATCH_BYTES - 1);
  assert.equal(pauses, [5, 8]);
});

test("reports little space once, until there is more", ({ log }) => {
  const { writer, clock, logLines } = log;
  const measured: boolean[] = [];
  for (const free of [LOW_BYTES, LOW_BYTES - 1, LOW_BYTES - 2, LOW_BYTES, 5]) {
    log.freeBytes = free;
    measured.push(writer.measureSpace());
    assert.is(clock.isLow, measured.at(-1));
  }
  assert.equal(measured, [false, true, true, false, true]);
  assert.equal(logLines, [`low ${LOW_BYTES - 1}`, "low 5"]);
});

test("measures the space from the start to the end", async ({ log }) => {
  const { setInterval: every, clearInterval: end } = globalThis;
  const timers: (() => void)[] = [];
  const ended: unknown[] = [];
  const timer = { unref: () => timer };
  globalThis.setInterval = ((tick: () => void) => {
    timers.push(tick);
    return timer;
  }) as unknown as typeof setInterval;
  globalThis.clearInterval = (timer) => void ended.push(timer);
  try {
    log.freeBytes = 1;
    log.writer.start();
    assert.equal(log.logLines, ["low 1"]);
    log.freeBytes = LOW_BYTES;
    timers[0]!();
    assert.is(log.clock.isLow, false);
    await log.writer.stop();
    assert.equal(ended, [timer]);
  } finally {
    [globalThis.setInterval, globalThis.clearInterval] = [every, end];
  }
});

test("tries to reserve space at first, and then after many bytes", async ({ log }) => {
  log.hasSpace = false;
  log.writer.start();
  const after: number[] = [];
  for (const bytes of [1, ATTEMPT_BYTES - 1, 1, ATTEMPT_BYTES]) {
    await log.commit(bytes);
    after.push(log.attempts);
    log.hasSpace = after.length === 3;
  }
  assert.equal(after, [1, 1, 2, 3]);
  log.hasSpace = true;
  for (let remaining = 3; remaining > 0; remaining--) await log.commit(ATTEMPT_BYTES);
  assert.is(log.attempts, 3);
});

test("a full disk refuses changes until they are written and space is reserved", async (c) => {
  const { log } = c;
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const text = "SVC2505: disk of the transaction log is full, all graphs are read-only: ENOSPC";
  log.frames.error = full;
  log.frames.waiting.push(1);
  const fails = (): unknown => {
    try {
      return log.writer.flushNow();
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  assert.equal([fails(), fails()], ["SVC2505", "SVC2505"]);
  assert.equal([log.logLines, log.releases, log.clock.isFull], [[text], 2, true]);
  log.frames.error = null;
  log.hasSpace = false;
  log.writer.start();
  await log.until(() => log.attempts > 1);
  assert.equal([...new Set(log.waits)], [1000], "between attempts");
  assert.equal([log.clock.isFull, log.clock.hasFailed, log.clock.durableSn(0)], [true, false, 1]);
  log.hasSpace = true;
  await log.until(() => !log.clock.refusesChanges);
  assert.equal(log.logLines, [text, "log: disk has space again, graphs accept changes"]);
  assert.not(log.frames.steps.includes("reopen"));
  await log.commit(1);
  assert.is(log.clock.durableSn(0), 2);
});

test("another failure on a full disk counts as a failure", async ({ log }) => {
  log.clock.fill();
  log.frames.error = new Error("EIO");
  log.writer.start();
  await log.until(() => log.logLines.length > 0);
  assert.match(log.logLines[0]!, /^SVC2501: transaction log failed, all graphs are read-only: EIO/);
  assert.is(log.clock.hasFailed, true);
});

/** The next flush fails once; resolves when the log is good again, or has failed for ever. */
async function failOnce(log: Context): Promise<void> {
  const { length } = log.logLines;
  log.frames.error = new Error("EIO");
  log.frames.waiting.push(1);
  log.clock.wake();
  const fail = log.clock.fail.bind(log.clock);
  log.clock.fail = () => {
    log.frames.error = null;
    fail();
  };
  await log.until(() => log.logLines.length > length);
  const isOver = log.logLines.at(-1)!.includes("until the restart");
  if (!isOver) await log.until(() => !log.clock.refusesChanges);
}

test("continues in a new segment, which it reads back, until the third failure", async (c) => {
  const { log } = c;
  log.writer.start();
  await log.commit(1);
  log.frames.steps.length = 0;
  await failOnce(log);
  const steps = log.frames.steps.filter((step) => step !== "release");
  assert.equal(steps, ["write 1", "reopen", "flush", "read back from 3"]);
  const good = "log: continues in a new segment, graphs accept changes";
  const failed = "SVC2501: transaction log failed, all graphs are read-only: EIO";
  assert.equal(log.logLines, [failed, good]);
  log.now += 10;
  await failOnce(log);
  log.now += HOUR_MS - 10;
  // The first one does not count any more.
  await failOnce(log);
  assert.equal(log.logLines, [failed, good, failed, good, failed, good]);
  log.now += 9;
  await failOnce(log);
  const forever = failed.replace("read-only", "read-only until the restart");
  assert.is(log.logLines.at(-1), forever);
  await log.writer.stop();
  assert.is(log.clock.hasFailed, true);
  log.frames.waiting.push(1);
  log.writer.flushNow();
  assert.equal(log.frames.waiting, [1], "nothing is written");
});

test("does not sleep while work is pending or requested", async ({ log }) => {
  const { clock, frames, writer } = log;
  const { sleep } = clock;
  let hasWork: (() => boolean) | null = null;
  clock.sleep = (sleepMs) => {
    hasWork ??= sleepMs;
    return sleep.call(clock, sleepMs);
  };
  writer.start();
  await log.until(() => hasWork !== null);
  const workStates = [hasWork!()];
  frames.waiting.push(1);
  workStates.push(hasWork!());
  frames.waiting.length = 0;
  const flushed = clock.wait(clock.nextFlush);
  workStates.push(hasWork!());
  assert.equal(workStates, [false, true, true]);
  assert.is(await flushed, true);
});

test("the flush that was requested last is done before it ends", async ({ log }) => {
  log.writer.start();
  await log.commit(1);
  const flushed = log.clock.wait(log.clock.nextFlush);
  assert.is(log.clock.isRequested, true);
  await log.writer.stop();
  assert.is(log.clock.isRequested, false);
  assert.is(await flushed, true);
});

test("pending frames are written before it ends", async ({ log }) => {
  log.writer.start();
  await log.commit(1);
  log.otherFrames.waiting.push(2);
  await log.writer.stop();
  assert.equal([log.otherFrames.waiting, log.clock.durableSn(1)], [[], 1]);
});

test.run();
