// When a job runs, by a fake clock: due, late, missed, made up for, never twice at once.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JobExchange } from "../../../../runtime/engine/jobs/job-exchange.js";
import { type StoredJob, soundJobs } from "../../../../runtime/engine/jobs/job-store.js";
import { loadCron } from "../../../../runtime/engine/jobs/job-times.js";
import { ScheduledJob } from "../../../../runtime/engine/jobs/scheduled-job.js";
import type { JobSchedule } from "../../../../runtime/plugin/contract/job-schedule.js";

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 0, 1);
const NIGHTLY: JobSchedule = { cron: "0 3 * * *", timeZone: "UTC" };
const THREE = MIDNIGHT + 3 * HOUR;
const DAY = 24 * HOUR;

const test = suite("scheduled job");

test.before(loadCron);

class Clock {
  now = MIDNIGHT;
  monotonic = 1000;
}

function setUp(schedule: JobSchedule, isCaughtUp = false, stored?: StoredJob) {
  const clock = new Clock();
  const route = { name: "work", number: 0, isJob: true as const };
  const make = (from?: StoredJob) =>
    new ScheduledJob(
      ...(["work", { schedule, isCaughtUp }, route, from] as const),
      () => clock.now,
      () => clock.monotonic,
    );
  return { clock, make, job: make(stored) };
}

test("is due once at its scheduled time", () => {
  const { clock, job } = setUp(NIGHTLY);
  assert.is(job.dueMs, THREE);
  assert.is(job.takeDue(THREE - 1, null), null);
  clock.now = THREE + 5;
  assert.is(job.takeDue(clock.now, null), THREE);
  assert.is(job.takeDue(clock.now, null), null);
  assert.is(job.dueMs, THREE + DAY);
});

test("does not start while it runs, and counts the missed run", () => {
  const { clock, job } = setUp(NIGHTLY);
  clock.now = THREE;
  job.recordStart(job.takeDue(THREE, null)!);
  clock.now = THREE + DAY;
  assert.is(job.takeDue(clock.now, null), null);
  assert.is(job.status(true).missed, 1);
  job.recordEnd("ok", "1");
  const [run] = job.status(true).runs;
  assert.equal(run, {
    scheduledMs: THREE,
    startedMs: THREE,
    durationMs: DAY,
    outcome: "ok",
    text: "1",
  });
});

test("knows the runs that it missed while the server was down", () => {
  const { clock, job, make } = setUp(NIGHTLY);
  clock.now = THREE;
  job.recordStart(job.takeDue(THREE, null)!);
  job.recordEnd("ok", "");
  clock.now = THREE + 3 * DAY + HOUR;
  const laterJob = make(JSON.parse(JSON.stringify(job.stored())));
  assert.is(laterJob.takeDue(clock.now, null), null);
  assert.is(laterJob.status(true).missed, 3);
  assert.is(laterJob.dueMs, THREE + 4 * DAY);
});

test("makes up for missed runs by one with @catchup, once it can run", () => {
  const { clock, job, make } = setUp(NIGHTLY, true);
  clock.now = THREE + 3 * DAY + HOUR;
  const laterJob = make({ ...job.stored(), handledMs: MIDNIGHT });
  assert.is(laterJob.takeDue(clock.now, "Service-OUT"), null);
  assert.is(laterJob.status(true).missed, 4);
  assert.is(laterJob.takeDue(clock.now, null), THREE + 3 * DAY);
  assert.is(laterJob.takeDue(clock.now, null), null);
});

test("misses its time while the instance is Service-OUT", () => {
  const { job } = setUp(NIGHTLY);
  assert.is(job.takeDue(THREE, "Service-OUT"), null);
  assert.is(job.status(true).missed, 1);
  assert.is(job.takeDue(THREE + 1, null), null);
});

test("records a run that the end of the process interrupted", () => {
  const { job, make } = setUp(NIGHTLY, true);
  job.recordStart(MIDNIGHT);
  const laterJob = make(job.stored());
  const { runs, counts } = laterJob.status(true);
  assert.is(runs[0]!.outcome, "interrupted");
  assert.is(counts.interrupted, 1);
  assert.is(laterJob.takeDue(MIDNIGHT, null), MIDNIGHT);
});

test("repeats at its interval and skips times while it runs", () => {
  const { clock, job } = setUp({ everyMs: 30_000 });
  assert.is(job.takeDue(MIDNIGHT + 29_999, null), null);
  clock.now = MIDNIGHT + 30_000;
  job.recordStart(job.takeDue(clock.now, null)!);
  assert.is(job.takeDue(MIDNIGHT + 60_000, null), null);
  job.recordEnd("failed", "Error: no");
  assert.is(job.takeDue(MIDNIGHT + 90_000, null), MIDNIGHT + 90_000);
  assert.is(job.status(true).missed, 0);
});

test("repeats once a run at an interval that a crash interrupted", () => {
  const run = { durationMs: 1, outcome: "ok" as const, text: "" };
  const runAt = (ms: number) => ({ scheduledMs: ms, startedMs: ms });
  const stored = (running: number) => ({
    handledMs: MIDNIGHT - 3 * HOUR,
    running: runAt(running),
    runs: [{ ...runAt(MIDNIGHT - 3 * HOUR), ...run }],
  });
  const earlyJob = setUp({ everyMs: HOUR }, true, stored(MIDNIGHT - HOUR / 2)).job;
  assert.is(earlyJob.takeDue(MIDNIGHT, null), MIDNIGHT);
  assert.is(earlyJob.dueMs, MIDNIGHT + HOUR / 2);
  const { clock, job: lateJob } = setUp({ everyMs: HOUR }, true, stored(MIDNIGHT - 2 * HOUR));
  lateJob.recordStart(lateJob.takeDue(MIDNIGHT, null)!);
  clock.now++;
  lateJob.recordEnd("ok", "");
  assert.is(lateJob.takeDue(clock.now, null), null);
});

test("keeps the last 20 runs with short texts", () => {
  const { job } = setUp({ everyMs: 1000 });
  for (let run = 0; run < 30; run++) {
    job.recordStart(run);
    job.recordEnd("ok", "x".repeat(10_000));
  }
  const { runs } = job.status(true);
  assert.is(runs.length, 20);
  assert.is(runs[0]!.scheduledMs, 29);
  assert.ok(runs.every(({ text }) => text.length <= 500));
});

test("adopts the schedule of a newer build", () => {
  const { job } = setUp(NIGHTLY);
  const route = { name: "work", number: 1, isJob: true as const };
  job.replace({ schedule: { everyMs: 1000 }, isCaughtUp: false }, route);
  assert.is(job.dueMs, MIDNIGHT + 1000);
});

test("waits for the run of another member, then goes on without it", () => {
  const { clock, job } = setUp(NIGHTLY, true);
  const running = { scheduledMs: THREE, startedMs: THREE, by: "B1" };
  const freeMs = clock.monotonic + 20_000;
  clock.now = THREE + 1000;
  job.takeOver({ handledMs: THREE, running, runs: [] }, { id: "S1", freeMs });
  assert.is(job.dueMs, clock.now + 20_000);
  assert.is(job.isRunning, true);
  assert.equal(job.stored().running, running);
  // The system's clock is put forward.
  clock.now += DAY / 2;
  clock.monotonic = freeMs - 1;
  assert.is(job.dueMs, clock.now + 1);
  assert.is(job.takeDue(clock.now, null), null);
  clock.monotonic = freeMs;
  assert.is(job.takeDue(clock.now, null), clock.now, "made up for");
  const [run] = job.status(true).runs;
  assert.equal([run!.outcome, run!.text], ["interrupted", "B1 did not complete the run"]);
});

test("continues its interval, and its run again once that has ended", () => {
  const { clock, job } = setUp({ everyMs: HOUR }, true);
  clock.now = MIDNIGHT + HOUR / 2;
  const running = { scheduledMs: MIDNIGHT, startedMs: MIDNIGHT, by: "B1" };
  const stored = { handledMs: MIDNIGHT, running: null, runs: [] };
  job.takeOver(stored, { id: "S1", freeMs: 0 });
  assert.is(job.dueMs, MIDNIGHT + HOUR);
  const freeMs = clock.monotonic + 20_000;
  job.takeOver({ ...stored, running }, { id: "S1", freeMs });
  job.applyRecordedEnd({ ...stored, running });
  assert.is(job.dueMs, clock.now + 20_000);
  job.applyRecordedEnd({ ...stored, running: { ...running, hasEnded: true } });
  assert.is(job.dueMs, 0, "made up for");
  assert.equal(
    job.status(true).runs.map(({ outcome }) => outcome),
    ["interrupted"],
  );
  job.takeOver({ ...stored, running: { ...running, hasEnded: true } }, { id: "S1", freeMs });
  assert.is(job.isRunning, false);
});

test("continues after the last run of the former leader, whose clock may be ahead", () => {
  const { clock, job } = setUp(NIGHTLY);
  const state = { running: null, runs: [] };
  const takeover = { id: "S1", freeMs: 0 };
  clock.now = THREE - 5000;
  job.takeOver({ ...state, handledMs: THREE + 10 }, takeover);
  assert.is(job.dueMs, THREE + DAY);
  job.takeOver({ ...state, handledMs: THREE + 30 * DAY }, takeover);
  assert.is(job.dueMs, THREE);
  clock.now = THREE + 10;
  job.takeOver({ ...state, handledMs: THREE - 10 }, takeover);
  assert.is(job.takeDue(clock.now, null), THREE, "nobody has run it");
});

test("keeps its own run when it leads again, and adds the runs of other members", () => {
  const { clock, job } = setUp(NIGHTLY);
  job.recordStart(MIDNIGHT);
  job.recordEnd("ok", "first");
  clock.now = THREE;
  job.recordStart(job.takeDue(THREE, null)!);
  const otherRun = { scheduledMs: 1, startedMs: THREE - 1, durationMs: 1, text: "" };
  const runs = [{ ...otherRun, outcome: "ok" as const }];
  const running = { scheduledMs: THREE, startedMs: THREE, by: "B1" };
  job.takeOver({ handledMs: MIDNIGHT, running, runs }, { id: "B1", freeMs: 0 });
  assert.is(job.isRunning, true);
  assert.is(job.dueMs, THREE + DAY);
  job.recordEnd("ok", "second");
  assert.equal(
    job.status(true).runs.map(({ text }) => text),
    ["second", "", "first"],
  );
  job.takeOver({ handledMs: THREE, running, runs: [] }, { id: "B1", freeMs: 0 });
  assert.is(job.status(true).runs[0]!.outcome, "interrupted", "of its previous process");
});

test("repeats only a run that has not begun", () => {
  const { job } = setUp({ everyMs: HOUR }, true);
  const running = { scheduledMs: MIDNIGHT, startedMs: MIDNIGHT };
  const stored = { handledMs: MIDNIGHT, running, runs: [] };
  const takeover = { id: "B1", freeMs: 0 };
  job.recordStart(MIDNIGHT);
  job.recordEnd("failed", "its start could not be stored");
  assert.is(job.endOf(running), undefined);
  job.takeOver(stored, takeover);
  assert.is(job.takeDue(MIDNIGHT, null), MIDNIGHT);
  job.recordStart(MIDNIGHT);
  job.recordSubmission(new JobExchange("work", MIDNIGHT, () => {}));
  job.recordEnd("ok", "1");
  job.takeOver(stored, takeover);
  assert.is(job.takeDue(MIDNIGHT, null), null);
  assert.is(job.status(true).runs[0]!.outcome, "ok");
  assert.is(job.stored().running, null);
  job.takeOver({ ...stored, running: { ...running, startedMs: MIDNIGHT - 1 } }, takeover);
  assert.is(job.takeDue(MIDNIGHT, null), MIDNIGHT, "of its previous process");
});

test("keeps its interval when the clock is set back", () => {
  const { job } = setUp({ everyMs: HOUR });
  assert.is(job.takeDue(MIDNIGHT - DAY, null), null);
  assert.is(job.takeDue(MIDNIGHT - DAY + HOUR, null), MIDNIGHT - DAY + HOUR);
});

test("ignores stored state that is not complete", () => {
  const run = { scheduledMs: 1, startedMs: 2 };
  const ended = { ...run, durationMs: 1, outcome: "ok" as const, text: "" };
  const good: StoredJob = { handledMs: 1, running: { ...run, by: "B1" }, runs: [ended] };
  const bad = [
    ...[null, [], "x", {}, { ...good, handledMs: "1" }, { ...good, handledMs: 1e300 }],
    ...[
      { ...good, handledMs: -1 },
      { ...good, removedMs: "1" },
      { ...good, running: 1 },
      { ...good, running: {} },
    ],
    ...[
      { ...good, runs: {} },
      { ...good, runs: [run] },
      { ...good, runs: [null] },
    ],
    ...[
      { ...ended, text: 1 },
      { ...ended, outcome: "good" },
    ].map((change) => ({
      ...good,
      runs: [change],
    })),
  ];
  const badJobs = Object.fromEntries(bad.map((job, index) => [`bad${index}`, job]));
  const removed = { ...good, removedMs: 1 };
  assert.equal(soundJobs({ ...badJobs, good, removed }), { good, removed });
});

test.run();
