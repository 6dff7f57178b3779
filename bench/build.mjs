// The compiler: time of `svc build` for 10 and 1000 plugins and without changes, and of `svc dev`
// from a saved edit to the first response of the new code. The best of all rounds counts, because
// other work on the machine only adds time.
//
//   node build.mjs [--rounds 5]

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { printTargets } from "./lib/figures.mjs";
import { madePlugins } from "./lib/made-plugins.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const POLL_MS = 2;
const GIVE_UP_MS = 10_000;

const { rounds } = readOptions({ rounds: 5 });
const small = makeProject(madePlugins(1));
const large = makeProject(madePlugins(100));

printTargets([
  { label: "svc build, 10 plugins", value: anew(small), atMost: 0.7, unit: "s" },
  { label: "svc build, 1000 plugins", value: anew(large), atMost: 2.2, unit: "s" },
  { label: "svc build, 10, nothing changed", value: again(small), atMost: 0.15, unit: "s" },
  { label: "svc build, 1000, nothing changed", value: again(large), atMost: 0.15, unit: "s" },
  { label: "svc dev, 10, edit to served", value: await edited(small), atMost: 0.25, unit: "s" },
  { label: "svc dev, 1000, edit to served", value: await edited(large), unit: "s" },
]);

/** Returns the seconds of a build into an empty folder. */
function anew(project) {
  return best(() => {
    rmSync(join(project, ".svc"), { recursive: true, force: true });
    return timeOf(() => build(project));
  });
}

function again(project) {
  return best(() => timeOf(() => build(project)));
}

function timeOf(work) {
  const startedMs = performance.now();
  work();
  return (performance.now() - startedMs) / 1000;
}

function best(measure) {
  return Math.min(...Array.from({ length: rounds }, measure));
}

/** Returns the seconds from writing a plugin's file to the first response of its new code. */
async function edited(project) {
  const server = await startSvc(project, { command: "dev", options: ["--transport", "net"] });
  const file = join(project, "plugins/made000.ts");
  const text = readFileSync(file, "utf8");
  const url = `http://127.0.0.1:${server.port}/svc/plugin/made000x0?q=a`;
  const times = [];
  try {
    // The first round is a warm-up run of the compiler.
    for (let round = 0; round <= rounds; round++) {
      const marked = text.replace("const total = ", `const total = ${round + 1} * 1000 + `);
      const startedMs = performance.now();
      writeFileSync(file, marked);
      await answered(url, `"total":${(round + 1) * 1000}`);
      times.push((performance.now() - startedMs) / 1000);
      await delay(500);
    }
  } finally {
    writeFileSync(file, text);
    await server.stop();
  }
  return Math.min(...times.slice(1));
}

async function answered(url, part) {
  for (const until = performance.now() + GIVE_UP_MS; performance.now() < until; ) {
    if ((await request(url)).includes(part)) return;
    await delay(POLL_MS);
  }
  throw new Error(`${url} does not answer ${part}`);
}
