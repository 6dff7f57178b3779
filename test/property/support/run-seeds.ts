// Runs a simulation under many seeds, and reports which failed. With `SIMULATE`, a process for
// each core takes chunks of seeds; in a usual run the other cores have other tests to run.

import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { transpiledModule } from "../../runner/transpiled.mjs";
import { SEED } from "./random.js";
import { add, type Chunk, NO_SEEDS, runChunk, type Simulation, type Sums } from "./seed-chunk.js";

/** More would say little. */
const MAX_FAILURES = 10;
/** They take less time than the start of a process. */
const CHUNK = 20;
const PROGRAM = transpiledModule(new URL("./seeds-process.ts", import.meta.url));
/** Threads that collect garbage would only wait for a core. */
const NODE_ARGS = ["--single-threaded-gc"];

/**
 * Returns the sums of all outcomes; with `SIMULATE`, prints them with the times, and goes on after
 * a seed that fails.
 * @throws Error that names the seeds to repeat
 */
export async function runSeeds(simulation: Simulation, count: number) {
  const isLong = process.env.SIMULATE !== undefined;
  const startedAt = performance.now();
  const seedRange = { simulation, first: SEED, count, mostFailures: isLong ? MAX_FAILURES : 1 };
  const sums = await (isLong && count > CHUNK ? runEverywhere(seedRange) : runChunk(seedRange));
  const { acknowledged, takeovers, stuck, failures, gapMs } = sums;
  const measured = `, longest gap ${Math.round(gapMs)} ms, ${sums.discards} discards`;
  const figures = `${takeovers} takeovers, ${stuck} stuck${gapMs > 0 ? measured : ""}`;
  const text = `${acknowledged} acknowledged, ${figures}`;
  const [ms, cpuMs] = [performance.now() - startedAt, sums.cpuMs].map((sum) =>
    (sum / count).toFixed(1),
  );
  if (isLong) console.error(`${count} seeds: ${text}, ${ms} ms each, ${cpuMs} ms of CPU`);
  if (failures.length > 0) {
    const seeds = failures.map(({ seed }) => `SEED=${seed}`).join(", ");
    throw new Error(`${seeds}, of which SIMULATE=1: ${failures[0]!.message}`);
  }
  return { acknowledged, takeovers, stuck, text };
}

/** Runs seeds in a process for each core. */
export async function runEverywhere({ first, count, ...rest }: Chunk): Promise<Sums> {
  let sums = NO_SEEDS;
  let next = first;
  const take = async (): Promise<void> => {
    const child = fork(PROGRAM, { execArgv: [...process.execArgv, ...NODE_ARGS] });
    // It cannot be sent to once it has died, which its end tells.
    child.on("error", () => undefined);
    const ended = new Promise<null>((resolve) => child.once("exit", () => resolve(null)));
    while (next < first + count && sums.failures.length < rest.mostFailures) {
      const chunk = { ...rest, first: next, count: Math.min(CHUNK, first + count - next) };
      next += chunk.count;
      child.send(chunk);
      const received = new Promise<Sums>((resolve) => child.once("message", resolve));
      const result = await Promise.race([received, ended]);
      sums = add(sums, result ?? died(chunk));
      if (result === null) return;
    }
    child.disconnect();
    await ended;
  };
  const processes = Math.min(availableParallelism(), Math.ceil(count / CHUNK));
  await Promise.all(Array.from({ length: processes }, take));
  return sums;
}

function died({ first, count }: Chunk): Sums {
  const message = `the process of this seed or of the ${count - 1} after it has died`;
  return { ...NO_SEEDS, failures: [{ seed: first, message }] };
}
