// A process that is killed while saving: loading yields the last saved state or the one being
// saved, and the next process continues from there.
// limit: 60 s

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { nodeCommand } from "../runner/node-command.mjs";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { graphContent } from "../runtime/graph/support/graph-content.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { bundleSource } from "./support/bundle-source.js";
import { Random, SEED } from "./support/random.js";
import { timeless } from "./support/random-changes.js";
import { countSteps, makeStep, SAVED_NAME } from "./support/saving-process.js";

const KILLS = rounds(8);
/** A save takes some milliseconds: most kills interrupt one. */
const MAX_DELAY_MS = 60;
const SOURCE = new URL("./support/saving-process.ts", import.meta.url);
const [NODE, ...NODE_ARGS] = nodeCommand();

const test = suite<{ folder: string; program: string }>("killed saves");

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-killed-"));
  context.program = join(context.folder, "saving.cjs");
  writeFileSync(context.program, bundleSource(SOURCE));
});

test.after(({ folder }) => {
  rmSync(folder, { recursive: true });
});

/** Lets a process save for a while, and kills it; returns its last line. */
async function saveAndKill(program: string, folder: string, afterMs: number): Promise<string> {
  const args = [...NODE_ARGS, program, "--save", folder, String(SEED)];
  const child: ChildProcess = spawn(NODE!, args, { stdio: ["ignore", "pipe", "inherit"] });
  let last = "";
  const lines = createInterface({ input: child.stdout! });
  const ended = once(lines, "close");
  lines.on("line", (line) => {
    last = line;
  });
  await Promise.race([once(lines, "line"), ended]);
  await delay(afterMs);
  child.kill("SIGKILL");
  await ended;
  assert.ok(last, "it has begun to save");
  return last;
}

test(`load one of two states (seed ${SEED})`, async ({ folder, program }) => {
  const stored = join(folder, "graph");
  const random = new Random();
  const repeated = GraphStore.create(SAVED_NAME, TEST_THREAD);
  let killedInSave = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const last = await saveAndKill(program, stored, random.below(MAX_DELAY_MS));
    const [phase, step] = last.split(" ") as [string, string];
    const loaded = loadGraph(SAVED_NAME, stored, TEST_THREAD, {
      // Between two renames only the previous one has a name.
      warn: (line) => assert.match(line, "file is missing"),
    });
    const steps = loaded === null ? 0 : countSteps(loaded);
    if (phase === "saved") assert.is(steps, Number(step));
    else assert.ok(steps === Number(step) - 1 || steps === Number(step), `${steps} at ${last}`);
    if (phase === "saving") killedInSave++;
    if (loaded === null) continue;
    checkStore(loaded);
    while (countSteps(repeated) < steps) makeStep(repeated, SEED, countSteps(repeated) + 1);
    assert.equal(timeless(graphContent(loaded)), timeless(graphContent(repeated)));
  }
  assert.ok(killedInSave > KILLS / 4, `${killedInSave} of ${KILLS} were killed in a save`);
  assert.ok(readdirSync(stored).length <= 5, "nothing piles up");
});

test.run();
