// Simulations in several processes: each seed runs once, and one that fails is named.
// limit: 120 s
// takes 4 s
// starts processes

import childProcess, { type ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { availableParallelism } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SEED } from "./support/random.js";
import { runEverywhere } from "./support/run-seeds.js";
import { type Chunk, runChunk, type Simulation, type Sums } from "./support/seed-chunk.js";

const CHUNK: Chunk = { simulation: "leadership", first: SEED, count: 47, mostFailures: 1 };

const test = suite("run seeds");

test("several processes together give the sums of a single one", async () => {
  const timeless = (sums: Sums): Sums => ({ ...sums, cpuMs: 0 });
  assert.equal(timeless(await runEverywhere(CHUNK)), timeless(await runChunk(CHUNK)));
});

test("a failing seed is reported, and ends the run", async () => {
  const simulation = "unknown" as Simulation;
  const { failures } = await runEverywhere({ ...CHUNK, count: 1000, simulation });
  const seeds = failures.map(({ seed }) => seed);
  assert.ok(seeds.includes(SEED) && seeds.length <= availableParallelism(), String(seeds));
  assert.match(failures[0]!.message, "not a function");
});

/** Runs one seed in a process to which something happens at once. */
async function runOneIn(happen: (child: ChildProcess) => void): Promise<Sums> {
  const { fork } = childProcess;
  childProcess.fork = ((...args: Parameters<typeof fork>) => {
    const child = fork(...args);
    happen(child);
    return child;
  }) as typeof fork;
  syncBuiltinESMExports();
  try {
    return await runEverywhere({ ...CHUNK, count: 1 });
  } finally {
    childProcess.fork = fork;
    syncBuiltinESMExports();
  }
}

test("a process that dies ends the run and reports its first seed", async () => {
  const isKilled = (child: ChildProcess): void => void child.kill("SIGKILL");
  // It is sent a seed after its end.
  const isGone = (child: ChildProcess): void => child.disconnect();
  for (const happen of [isKilled, isGone]) {
    const { failures } = await runOneIn(happen);
    assert.equal(
      failures.map(({ seed, message }) => [seed, /has died$/.test(message)]),
      [[SEED, true]],
    );
  }
});

test.run();
