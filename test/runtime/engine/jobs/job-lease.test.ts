// Jobs of a group: they run on the member that leads, and go on where the previous one stopped.

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RESULT_TEXT } from "../../../../runtime/base/wire/batch.js";
import type { JobExchange } from "../../../../runtime/engine/jobs/job-exchange.js";
import { JobLease } from "../../../../runtime/engine/jobs/job-lease.js";
import { JobRunner } from "../../../../runtime/engine/jobs/job-runner.js";
import type { StoredJobs } from "../../../../runtime/engine/jobs/job-store.js";
import { loadCron } from "../../../../runtime/engine/jobs/job-times.js";
import type { PluginCall } from "../../../../runtime/engine/plugin-call.js";
import type { JobFacts } from "../../../../runtime/plugin/contract/job-schedule.js";
import { MemoryEngine } from "../../interconnect/support/memory-engine.js";

const TTL_MS = 20;
/** More than a member waits for the run of another one. */
const LATER_MS = 60_000;
const OFTEN: JobFacts = { schedule: { everyMs: 5 }, isCaughtUp: false };
const NIGHTLY: JobFacts = { schedule: { cron: "0 3 * * *", timeZone: "UTC" }, isCaughtUp: false };

const test = suite("jobs of a group");

test.before(loadCron);

/** One member; its runs go on until they are ended. */
class Member {
  readonly runs: { readonly name: string; readonly exchange: JobExchange }[] = [];
  epoch: number | null = null;
  isReadonly = false;
  readonly jobs: JobRunner;
  readonly lease: JobLease;
  readonly #routes: ReadonlyMap<string, { readonly name: string; readonly number: 0; isJob: true }>;

  constructor(engine: MemoryEngine, id: string, facts: Readonly<Record<string, JobFacts>>) {
    const open = () => engine.open(id);
    const leads = () => this.epoch;
    this.lease = new JobLease({ id, ttlMs: TTL_MS, timeoutMs: 1000, leads, open });
    const names = Object.keys(facts);
    this.#routes = new Map(names.map((name) => [name, { name, number: 0, isJob: true }]));
    this.jobs = new JobRunner({
      ...{ file: "/nowhere", location: this.lease, canRun: () => true },
      isReadonly: () => this.isReadonly,
      submit: (exchange, { name }) => void this.runs.push({ name, exchange }),
    });
    this.build(facts);
  }

  /** Takes the jobs of a build. */
  build(facts: Readonly<Record<string, JobFacts>>): void {
    const routes = Object.keys(facts).map((name) => [
      name,
      { route: this.#routes.get(name)!, facts: facts[name]! },
    ]);
    this.jobs.setJobs(new Map(routes as [string, { route: never; facts: JobFacts }][]));
  }

  /** Ends the oldest run. */
  end(): void {
    const { name, exchange } = this.runs.shift()!;
    const call = { exchange, plugin: this.#routes.get(name)! } as unknown as PluginCall;
    this.jobs.intercept({} as never).result(call, 0, 200, RESULT_TEXT, "1");
  }

  status(name: string) {
    return this.jobs.status().find((job) => job.name === name)!;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1);
}

test("run on the leader only, and on the next one once it leads", async () => {
  const engine = new MemoryEngine();
  const [builder, search] = [
    new Member(engine, "B1", { often: OFTEN }),
    new Member(engine, "S1", { often: OFTEN }),
  ];
  builder.epoch = 1;
  await until(() => builder.runs.length === 1);
  builder.end();
  await until(() => builder.runs.length === 1);
  builder.end();
  builder.epoch = null;
  search.epoch = 2;
  await until(() => search.runs.length === 1);
  await until(() => builder.status("often").next === null);
  assert.is(builder.runs.length, 0);
  assert.ok(search.status("often").runs.length >= 2, "knows the previous runs");
  assert.throws(() => builder.jobs.runNow("often"), /does not lead its group/);
  for (const { jobs } of [builder, search]) jobs.stop();
});

test("do not start while too few members respond, also not by hand", async () => {
  const engine = new MemoryEngine();
  const firstMember = new Member(engine, "B1", { often: OFTEN, nightly: NIGHTLY });
  firstMember.isReadonly = true;
  firstMember.epoch = 1;
  await until(() => firstMember.status("often").next !== null);
  const first = firstMember.status("often").next!;
  await until(() => firstMember.status("often").next! > first);
  assert.throws(() => firstMember.jobs.runNow("nightly"), /too few members of the group respond/);
  assert.is(firstMember.runs.length, 0);
  firstMember.isReadonly = false;
  await until(() => firstMember.runs.length === 1);
  firstMember.jobs.stop();
});

test("that run while their member loses the lease are cancelled", async () => {
  const engine = new MemoryEngine();
  const [builder, search] = [
    new Member(engine, "B1", { often: OFTEN, second: OFTEN }),
    new Member(engine, "S1", { often: OFTEN, second: OFTEN }),
  ];
  builder.epoch = 1;
  await until(() => builder.runs.length === 2);
  builder.end();
  builder.epoch = null;
  await until(() => builder.runs.every(({ exchange }) => exchange.aborted));
  const [held] = builder.runs;
  search.epoch = 2;
  await until(() => search.runs.length > 0);
  search.end();
  await until(() => search.runs.length > 0);
  assert.ok(search.runs.every(({ name }) => name !== held?.name));
  assert.ok(search.status(held!.name).running! > 0);
  assert.throws(() => search.jobs.runNow(held!.name), /is running/);
  for (const { jobs } of [builder, search]) jobs.stop();
});

test("start on the next leader once the previous one has ended its run", async () => {
  const engine = new MemoryEngine();
  const facts = { often: OFTEN, second: OFTEN };
  const [builder, search] = [new Member(engine, "B1", facts), new Member(engine, "S1", facts)];
  builder.epoch = 1;
  await until(() => builder.runs.length === 2);
  builder.epoch = null;
  search.epoch = 2;
  await until(() => search.status("second").running !== null);
  assert.is(search.runs.length, 0);
  const [ended, held] = builder.runs.map(({ name }) => name);
  builder.end();
  await until(() => search.runs.length > 0);
  assert.ok(search.runs.every(({ name }) => name === ended));
  assert.equal(
    search.status(ended!).runs.map(({ outcome }) => outcome),
    ["ok"],
    "with the outcome",
  );
  assert.throws(() => search.jobs.runNow(held!), /is running/);
  for (const { jobs } of [builder, search]) jobs.stop();
});

test("start once the process that ran them has gone, and its member is back", async () => {
  for (const isBackFirst of [false, true]) {
    const engine = new MemoryEngine();
    const previousMember = new Member(engine, "B1", { often: OFTEN });
    previousMember.epoch = 1;
    await until(() => previousMember.runs.length === 1);
    previousMember.jobs.stop();
    const next = new Member(engine, "S1", { often: OFTEN });
    const backAgain = () => new Member(engine, "B1", { often: OFTEN });
    const first = isBackFirst ? backAgain() : null;
    await until(() => !isBackFirst || engine.text!.includes("hasEnded"));
    next.epoch = 2;
    if (!isBackFirst) await until(() => next.status("often").running !== null);
    const back = first ?? backAgain();
    await until(() => next.runs.length === 1);
    const [run] = next.status("often").runs;
    assert.equal([run!.outcome, run!.text], ["interrupted", "the process ended during the run"]);
    for (const { jobs } of [back, next]) jobs.stop();
  }
});

test("start without a message from the former leader, regardless of the system clock", async () => {
  const engine = new MemoryEngine();
  const previousMember = new Member(engine, "B1", { often: OFTEN });
  previousMember.epoch = 1;
  await until(() => previousMember.runs.length === 1);
  previousMember.jobs.stop();
  const next = new Member(engine, "S1", { often: OFTEN });
  next.epoch = 2;
  await until(() => next.status("often").running !== null);
  const { now } = performance;
  try {
    performance.now = () => now.call(performance) + LATER_MS;
    await until(() => next.runs.length === 1);
  } finally {
    performance.now = now;
  }
  next.jobs.stop();
});

test("keep the lease when another member reports the end of its runs", async () => {
  const engine = new MemoryEngine();
  const open = (id: string) => () => engine.open(id);
  const common = { ttlMs: TTL_MS, timeoutMs: 1000 };
  const previousLease = new JobLease({ ...common, id: "B1", leads: () => 1, open: open("B1") });
  const running = { scheduledMs: 1, startedMs: 2 };
  await previousLease.take();
  await previousLease.write({ work: { handledMs: 1, running, runs: [] } });
  const next = new JobLease({ ...common, id: "S1", leads: () => 2, open: open("S1") });
  const jobs = await next.take();
  const { work } = jobs!;
  assert.equal(work!.running, { ...running, by: "B1" });
  assert.is(await previousLease.write({}), false, "a lost lease");
  await previousLease.release(() => "running");
  assert.equal(await next.read(), jobs);
  const run = { ...running, durationMs: 1, outcome: "ok" as const, text: "1" };
  await previousLease.release(() => run);
  // It has not read that yet.
  assert.is(await next.write({ ...jobs, second: { ...work!, running: null } }), true);
  const recorded = await next.read();
  assert.equal(recorded!.work, { handledMs: 1, running: null, runs: [run] });
  assert.ok(recorded!.second);
  await new JobLease({ ...common, id: "S2", leads: () => 3, open: open("S2") }).take();
  assert.is(await next.read(), null);
  assert.is(await next.write(jobs!), false);
});

test("start no run that the engine has not stored", async () => {
  const engine = new MemoryEngine();
  const builder = new Member(engine, "B1", { often: OFTEN });
  builder.epoch = 1;
  await until(() => builder.runs.length === 1);
  engine.unreachableFor.add("B1");
  builder.end();
  await until(() => builder.status("often").next === null);
  assert.is(builder.runs.length, 0);
  engine.unreachableFor.clear();
  await until(() => builder.runs.length === 1);
  builder.jobs.stop();
});

test("of a later release are not replaced", async () => {
  const engine = new MemoryEngine();
  const later = JSON.stringify({ format: 2, epoch: 1, jobs: {} });
  engine.store(later);
  const open = () => engine.open("B1");
  const lease = new JobLease({ id: "B1", ttlMs: 1, timeoutMs: 1000, leads: () => 2, open });
  const outcome = await lease.take().catch(({ message }: Error) => message);
  assert.match(String(outcome), /format 2 is of a later release, this one reads up to 1/);
  assert.is(engine.text, later);
});

test("continue and stay listed after a build has removed them", async () => {
  const engine = new MemoryEngine();
  const facts = { often: OFTEN, second: OFTEN };
  const [builder, search] = [new Member(engine, "B1", facts), new Member(engine, "S1", facts)];
  builder.epoch = 1;
  await until(() => builder.runs.length === 2);
  builder.build({});
  builder.build(facts);
  assert.throws(() => builder.jobs.runNow("often"), /is running/);
  builder.build({ second: OFTEN });
  const { name } = builder.runs[0]!;
  builder.end();
  builder.build(facts);
  assert.is(builder.status(name).runs[0]!.outcome, "ok");
  await until(() => builder.runs.length === 2);
  builder.build({});
  builder.epoch = null;
  search.epoch = 2;
  builder.end();
  await until(() => search.runs.length === 1);
  assert.ok(search.status(search.runs[0]!.name).runs.length > 0);
  for (const { jobs } of [builder, search]) jobs.stop();
});

test("are forgotten a month after the first build without them", async () => {
  const engine = new MemoryEngine();
  const ago = (days: number): number => Date.now() - days * 86_400_000;
  const jobs = {
    gone: { handledMs: ago(31), running: null, runs: [], removedMs: ago(31) },
    recent: { handledMs: ago(31), running: null, runs: [], removedMs: ago(29) },
    // The clock has been put back since.
    later: { handledMs: ago(31), running: null, runs: [], removedMs: ago(-400) },
    // It runs once a year.
    yearly: { handledMs: ago(200), running: null, runs: [] },
    nightly: { handledMs: ago(31), running: null, runs: [], removedMs: ago(31) },
  };
  engine.store(JSON.stringify({ format: 1, epoch: 1, jobs }));
  const builder = new Member(engine, "B1", { often: OFTEN, nightly: NIGHTLY });
  builder.epoch = 2;
  await until(() => builder.runs.length === 1);
  const stored = (): StoredJobs => JSON.parse(engine.text!).jobs;
  assert.equal(Object.keys(stored()).sort(), ["later", "nightly", "often", "recent", "yearly"]);
  assert.ok(stored().later!.removedMs! <= Date.now());
  assert.is(stored().nightly!.removedMs, undefined, "there again");
  const { handledMs, removedMs } = stored().yearly!;
  assert.is(handledMs, jobs.yearly.handledMs);
  builder.end();
  await until(() => builder.runs.length === 1);
  assert.is(stored().yearly!.removedMs, removedMs, "the first time counts");
  builder.build({ often: OFTEN });
  await until(() => stored().nightly!.removedMs !== undefined);
  const first = stored().nightly!.removedMs;
  builder.end();
  await until(() => builder.runs.length === 1);
  assert.is(stored().nightly!.removedMs, first);
  builder.build({ often: OFTEN, nightly: NIGHTLY });
  await until(() => stored().nightly!.removedMs === undefined);
  builder.jobs.stop();
});

test("start although the record is corrupt", async () => {
  const engine = new MemoryEngine();
  engine.store(JSON.stringify({ format: 1, epoch: 1, jobs: { often: null, gone: { runs: 1 } } }));
  const builder = new Member(engine, "B1", { often: OFTEN });
  builder.epoch = 2;
  await until(() => builder.runs.length === 1);
  builder.jobs.stop();
});

test("of a former leader do not start once another member has taken over", async () => {
  const engine = new MemoryEngine();
  const builder = new Member(engine, "B1", { nightly: NIGHTLY });
  builder.epoch = 1;
  await until(() => builder.status("nightly").next !== null);
  const next = new Member(engine, "S1", { nightly: NIGHTLY });
  next.epoch = 2;
  await until(() => next.status("nightly").next !== null);
  // It has not noticed yet that it does not lead any more.
  builder.jobs.runNow("nightly");
  await until(() => builder.status("nightly").running === null);
  assert.is(builder.runs.length, 0);
  assert.match(builder.status("nightly").runs[0]!.text, /could not be stored/);
  assert.is(await builder.lease.take(), null, "an older epoch takes nothing");
  for (const { jobs } of [builder, next]) jobs.stop();
});

test("have a record of bounded size", async () => {
  const engine = new MemoryEngine();
  const lease = new JobLease({
    ...{ id: "B1", ttlMs: TTL_MS, timeoutMs: 1000, leads: () => 1 },
    open: () => engine.open("B1"),
  });
  await lease.take();
  const run = { scheduledMs: 1, startedMs: 1, durationMs: 1, outcome: "ok", text: "x".repeat(500) };
  const job = { handledMs: 1, running: null, runs: Array.from({ length: 20 }, () => run) };
  const storedJobs = (count: number): StoredJobs =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`job${index}`, job as never]));
  for (const [count, expectedCount] of [
    [10, 5],
    [500, 1],
    [2000, 0],
  ] as const) {
    assert.is(await lease.write(storedJobs(count)), true);
    const { text } = await engine.open("B1").read();
    assert.ok(text!.length <= 200_000);
    assert.is(JSON.parse(text!).jobs.job0.runs.length, expectedCount);
  }
  assert.is(await lease.write(storedJobs(10_000)), false);
});

test.run();
