// Processes with `durability: "async"` that are killed while they change a graph: they lose a short
// time at most, and nothing before it.
// limit: 120 s
// takes 20 s

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { rounds } from "../support/rounds.js";

const test = suite<{ folder: string }>("kills of processes with an asynchronous log");
/** Enough for a median. */
const KILLS = Math.max(3, rounds(4));
/** The documented limit. */
const LIMIT_MS = 10;
/** Between two changes that follow each other; more of it is time in which nothing ran. */
const PACE_MS = 1;
const LIBRARY = new URL("../../dist/index.js", import.meta.url).href;

/** Creates vertices and notes the time after each, until it is killed. */
const WRITER = `
const { openSync, writeSync } = await import("node:fs");
const { Graph, system } = await import(${JSON.stringify(LIBRARY)});
const root = process.argv[2];
await system.initialize("killed", { root, durability: "async", saveEvery: 0 });
const graph = new Graph("killed");
graph.createVertex("first");
await system.waitDurable();
const times = openSync(root + ".times", "w");
const record = Buffer.alloc(8);
console.log("ready");
for (let index = 0; ; index++) {
  graph.createVertex("v" + index);
  record.writeDoubleLE(performance.now());
  writeSync(times, record);
  const next = performance.now() + 0.3;
  if (index % 20 === 0) await new Promise((resume) => setTimeout(resume));
  else while (performance.now() < next);
}
`;

/** Prints the ids that a later process finds. */
const READER = `
const { Graph, system } = await import(${JSON.stringify(LIBRARY)});
await system.initialize("killed", { root: process.argv[2], durability: "async", saveEvery: 0 });
console.log("ids " + JSON.stringify(new Graph("killed").vertices()));
process.exit(0);
`;

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-async-kills-"));
  writeFileSync(join(context.folder, "writer.mjs"), WRITER);
  writeFileSync(join(context.folder, "reader.mjs"), READER);
});

test.after(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function start(file: string, root: string): ChildProcess {
  return spawn(plainNode(), [file, root], { stdio: ["ignore", "pipe", "ignore"] });
}

/** Kills a process; returns how long it made changes, before its last one, that are lost. */
async function lossAt(folder: string, kill: number): Promise<number> {
  const root = join(folder, `root${kill}`);
  const writer = start(join(folder, "writer.mjs"), root);
  await once(writer.stdout!, "data");
  await delay(100 + 37 * kill);
  writer.kill("SIGKILL");
  await once(writer, "close");
  const bytes = readFileSync(`${root}.times`);
  const times = Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) => {
    return bytes.readDoubleLE(index * 8);
  });
  const reader = start(join(folder, "reader.mjs"), root);
  let output = "";
  reader.stdout!.on("data", (text) => {
    output += text;
  });
  await once(reader, "close");
  const ids = JSON.parse(/^ids (.*)$/m.exec(output)![1]!) as string[];
  const durable = ids.length - 1;
  const expected = ["first", ...Array.from({ length: durable }, (_, index) => `v${index}`)];
  assert.equal(ids.sort(), expected.sort(), "no change is missing before one that is there");
  return times.slice(durable).reduce((sum, time, index, lost) => {
    // A busy machine stops all threads at times: then there is nothing to lose.
    return sum + Math.min(PACE_MS, (lost[index + 1] ?? time) - time);
  }, 0);
}

test(`lose at most the changes of the last ${LIMIT_MS} ms`, async ({ folder }) => {
  const losses: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) losses.push(await lossAt(folder, kill));
  losses.sort((a, b) => a - b);
  assert.ok(losses[KILLS >> 1]! <= LIMIT_MS, `${losses.map((ms) => ms.toFixed(1)).join()} ms`);
});

test.run();
