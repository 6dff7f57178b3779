// Loss of a leader under load: three members of a group, each on its own machine, a dispatcher and
// nats-server on this one. Many times, the leader is killed or stopped, or loses its network or its
// power; sometimes all members lose power at once. Clients send changes, changes with a key that
// they repeat, and reads. No acknowledged change may be lost or executed twice, and all members
// must end with equal contents. Handovers must not fail any request.
//
//   node failover.mjs [--faults 100] [--handovers 40]
//
// Needs root, zram, iproute2, e2fsprogs, python3 and nats-server. Other work on the machine delays
// takeovers: give the session of the run priority with /proc/self/autogroup.

import { percentile, printTable, printTargets } from "./lib/figures.mjs";
import { IDS, withLedGroup } from "./lib/led-group.mjs";
import { losePower } from "./lib/machines.mjs";
import { readOptions } from "./lib/options.mjs";
import { importTestSupport } from "./lib/test-support.mjs";

const { faults, handovers } = readOptions({ faults: 100, handovers: 40 });
/** Minimum number of changes before and after a fault. */
const MIN_CHANGES = 20;
const PAUSE_MS = 10;
/** One in this number of faults is a power failure of all members. */
const ALL_FAIL_EVERY = 25;
const KINDS = {
  killed: kill,
  stopped: stop,
  "without network": disconnect,
  "without power": powerFailure,
};
const ALL = "all without power";
const HANDOVER = "handover";

const { Clients, during, hitcount, Load, Sales, until } = await importTestSupport(
  ...["change-clients", "system"],
);

/** Reads acknowledged changes. */
class Reads {
  count = 0;
  stale = 0;
  failures = [];

  constructor({ acknowledged }) {
    this.clients = new Clients(
      2,
      async () => {
        const id = acknowledged[Math.floor(Math.random() ** 4 * acknowledged.length)] ?? null;
        const answer = id === null ? null : await group.send(`/svc/plugin/has?id=${id}`);
        if (answer === null) return;
        this.count++;
        if (answer.status !== 200) this.failures.push(answer.text);
        else if (hitcount(answer) !== 1) this.stale++;
      },
      PAUSE_MS,
    );
  }
}

let group;
await withLedGroup((started) => {
  group = started;
  return measure();
});

async function measure() {
  const load = new Load(group.send, PAUSE_MS);
  const sales = new Sales(group.send, PAUSE_MS);
  const reads = new Reads(load);
  const gaps = new Map([...Object.keys(KINDS), ALL, HANDOVER].map((kind) => [kind, []]));
  let refused;
  await during([load.clients, sales.clients, reads.clients], async () => {
    for (let n = 0; n < handovers; n++) await timed(load, gaps, HANDOVER, handOver);
    refused = load.failures.length + reads.failures.length;
    for (let n = 1; n <= faults; n++) {
      const [kind, cause] =
        n % ALL_FAIL_EVERY === 0 ? [ALL, powerFailures] : Object.entries(KINDS)[n % 4];
      await timed(load, gaps, kind, cause);
      if (n % ALL_FAIL_EVERY === 0) printGaps(gaps);
    }
  });
  const lost = await countLost(load);
  const wrong = wrongCounts(sales);
  printGaps(gaps);
  report({ gaps, load, sales, reads, refused, lost, wrong });
}

/** Measures the longest time without an acknowledged change around a fault. */
async function timed(load, gaps, kind, cause) {
  await more(load);
  const leader = await group.leading();
  load.begin();
  const began = new Date().toISOString();
  const repair = await cause(leader);
  await more(load);
  gaps.get(kind).push(load.longestMs);
  if (load.longestMs > (kind === HANDOVER ? 150 : 3000))
    console.log(began, kind, leader, at([load.longestMs], 1));
  await repair?.();
}

function more(load) {
  const count = load.acknowledged.length;
  return until(async () => load.acknowledged.length > count + MIN_CHANGES);
}

function kill(leader) {
  group.machines.get(leader).process.signal("SIGKILL");
}

function stop(leader) {
  const { process: server } = group.machines.get(leader);
  server.signal("SIGSTOP");
  return () => server.signal("SIGCONT");
}

async function disconnect(leader) {
  await group.machines.get(leader).disconnect();
  return () => group.machines.get(leader).connect();
}

/** Its power is back once another member leads. */
async function powerFailure(leader) {
  const machine = group.machines.get(leader);
  await losePower([machine]);
  return () => machine.restorePower();
}

async function powerFailures() {
  const all = [...group.machines.values()];
  await losePower(all);
  await Promise.all(all.map((machine) => machine.restorePower()));
}

function handOver(from) {
  return group.handOver(from, IDS[(IDS.indexOf(from) + 1) % IDS.length]);
}

/** Counts acknowledged changes that are missing at the end; waits for equal contents. */
async function countLost({ acknowledged }) {
  const there = await group.contents(await group.leading());
  for (const id of IDS) {
    await until(async () => JSON.stringify(await group.contents(id)) === JSON.stringify(there));
  }
  const found = new Set(there);
  return acknowledged.filter((id) => !found.has(id)).length;
}

/** Failed keyed requests, counts missing in all responses, and counts in several responses. */
function wrongCounts({ answers, failures }) {
  const different = new Set(answers).size;
  const missing = answers.reduce((highest, count) => Math.max(highest, count), 0) - different;
  return failures.length + missing + answers.length - different;
}

function printGaps(gaps) {
  const rows = [...gaps].map(([kind, times]) => {
    const figures = times.length === 0 ? ["", "", ""] : [0.5, 0.99, 1].map((p) => at(times, p));
    return [kind, times.length, ...figures];
  });
  printTable(["ms until changes resume", "n", "p50", "p99", "max"], rows);
}

function at(times, p) {
  return Math.round(percentile(times, p));
}

function report({ gaps, load, sales, reads, refused, lost, wrong }) {
  const single = Object.keys(KINDS).flatMap((kind) => gaps.get(kind));
  const handed = gaps.get(HANDOVER);
  const statuses = [...load.statuses].map(([status, count]) => `${count} with ${status}`);
  console.log(`changes without a key: ${statuses.join(", ")}; keyed: ${sales.answers.length}`);
  console.log(`reads: ${reads.count}, ${reads.failures.length} failed, ${reads.stale} stale\n`);
  for (const text of [...sales.failures, ...load.failures].slice(0, 5)) console.log(text);
  const ms = { unit: "ms" };
  printTargets([
    { label: "acknowledged changes lost", value: lost, unit: "", atMost: 0 },
    { label: "wrong keyed responses", value: wrong, unit: "", atMost: 0 },
    { label: "loss of the leader, p50", value: percentile(single, 0.5), ...ms, atMost: 2300 },
    { label: "loss of the leader, p99", value: percentile(single, 0.99), ...ms, atMost: 3000 },
    { label: "handover, longest", value: Math.max(...handed), ...ms, atMost: 150 },
    { label: "failed requests of handovers", value: refused, unit: "", atMost: 0 },
  ]);
}
