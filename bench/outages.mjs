// Outages of minutes in a group with leadership: first its consensus engine is unreachable, then
// the disk of its leader is full. Clients send changes and reads. Without the engine, all must
// succeed. With a full disk, all reads must succeed, and changes must succeed again soon
// afterwards.
//
//   node outages.mjs [--away 600] [--full 60]     seconds without the engine, and of a full disk
//
// Needs root, zram, iproute2, e2fsprogs, python3 and nats-server.

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { printTargets } from "./lib/figures.mjs";
import { withLedGroup } from "./lib/led-group.mjs";
import { readOptions } from "./lib/options.mjs";
import { importTestSupport } from "./lib/test-support.mjs";

const { away, full } = readOptions({ away: 600, full: 60 });
const PAUSE_MS = 100;
const MIN_CHANGES = 20;
const { Clients, during, Load, until } = await importTestSupport("change-clients", "system");

await withLedGroup(async (group) =>
  report(await watch(group, engineAway), await watch(group, diskFull)),
);

/** Records the responses during an outage. */
async function watch(group, outage) {
  const load = new Load(group.send, PAUSE_MS);
  const reads = { count: 0, failures: [] };
  const readers = new Clients(
    2,
    async () => {
      const { status, text } = await group.send("/svc/plugin/has?id=sold");
      reads.count++;
      if (status !== 200) reads.failures.push(`${status} ${text}`);
    },
    PAUSE_MS,
  );
  const leader = await group.leading();
  let againMs;
  await during([load.clients, readers], async () => {
    await changed(load);
    await outage(group, group.machines.get(leader));
    const endedMs = performance.now();
    await changed(load, 1);
    againMs = performance.now() - endedMs;
    await changed(load);
  });
  const there = new Set(await group.contents(await group.leading()));
  const lost = load.acknowledged.filter((id) => !there.has(id)).length;
  return { load, reads, againMs, lost, isLeader: (await group.leading()) === leader };
}

function changed(load, more = MIN_CHANGES) {
  const count = load.acknowledged.length;
  return until(async () => load.acknowledged.length >= count + more);
}

async function engineAway({ engine }) {
  await engine.end();
  await delay(away * 1000);
  engine.begin();
}

async function diskFull(_group, { disk }) {
  const filler = join(disk, "filler");
  const untilMs = performance.now() + full * 1000;
  // Space that becomes free is filled again.
  for (; performance.now() < untilMs; await delay(100)) fill(filler);
  rmSync(filler);
}

function fill(path) {
  const file = openSync(path, "a");
  try {
    for (const bytes of [2 ** 20, 2 ** 12]) write(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

/** Writes until the disk is full. */
function write(file, chunk) {
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    if (error.code !== "ENOSPC") throw error;
  }
}

function report(engine, disk) {
  for (const [name, { load, reads, isLeader }] of Object.entries({ engine, disk })) {
    const statuses = [...load.statuses].map(([status, count]) => `${count} with ${status}`);
    const leader = isLeader ? "the leader stayed" : "another member leads";
    console.log(`${name}: changes: ${statuses.join(", ")}; reads: ${reads.count}; ${leader}`);
  }
  for (const text of [...engine.load.failures, ...engine.reads.failures].slice(0, 3)) {
    console.log(text);
  }
  for (const text of disk.reads.failures.slice(0, 3)) console.log(text);
  const none = { unit: "", atMost: 0 };
  printTargets([
    { label: "engine away: failed changes", value: engine.load.failures.length, ...none },
    { label: "engine away: failed reads", value: engine.reads.failures.length, ...none },
    { label: "disk full: failed reads", value: disk.reads.failures.length, ...none },
    { label: "disk full: changes resume after", value: disk.againMs / 1000, unit: "s", atMost: 2 },
    { label: "acknowledged changes lost", value: engine.lost + disk.lost, ...none },
  ]);
}
