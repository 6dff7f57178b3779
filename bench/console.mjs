// Cost of the console: server with one and with ten consoles open, browser, and first view. Real
// pages in Chromium (or the program in CHROMIUM) against one engine.
//
//   npm run build && node bench/console.mjs [seconds]
//
// CPU time is that of the processes, so other work on the machine affects little but the times. The
// hour runs on a fake clock: timers fire as fast as responses arrive.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { serveMany } from "./lib/many-instances.mjs";
import { importTestSupport } from "./lib/test-support.mjs";

const { findBrowser, openTab, serve, svc } = await importTestSupport(
  ...["browser", "browser-tab", "server"],
);

const SECONDS = Number(process.argv[2] ?? 20);
const MANY = 1000;
const SETTLE_MS = 8000;
const HOUR_TURNS = 3600;
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Returns the CPU seconds used by a process and all its descendants. */
function cpuOf(pid) {
  const parents = new Map();
  const used = new Map();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      parents.set(Number(name), Number(fields[1]));
      used.set(Number(name), (Number(fields[11]) + Number(fields[12])) / TICKS);
    } catch {
      // It has exited meanwhile.
    }
  }
  const isBelow = (of) => of === pid || (parents.has(of) && of > 1 && isBelow(parents.get(of)));
  return [...used].reduce((sum, [of, seconds]) => (isBelow(of) ? sum + seconds : sum), 0);
}

async function share(pids) {
  // Startup costs more than steady state.
  await delay(SETTLE_MS);
  const before = pids.map(cpuOf);
  const begun = performance.now();
  await delay(SECONDS * 1000);
  const elapsed = (performance.now() - begun) / 1000;
  return pids.map((pid, index) => (100 * (cpuOf(pid) - before[index])) / elapsed);
}

const root = mkdtempSync(join(tmpdir(), "svc-bench-console-"));
const example = join(import.meta.dirname, "..", "examples", "hello");
await svc("build", example);
const show = (label, value, unit, target) => {
  console.log(`${label.padEnd(46)} ${value.padStart(9)} ${unit.padEnd(5)} wanted ${target}`);
};
const tabs = [];
const served = await serve(example, "--root", root);
try {
  const browser = findBrowser();
  if (browser === null) throw new Error("no browser: set CHROMIUM");
  const url = `http://127.0.0.1:${served.port + 1}/system`;
  const open = async () => {
    const tab = await openTab(browser);
    tabs.push(tab);
    const begun = performance.now();
    await tab.open(url);
    await tab.until(`document.querySelector("main td") !== null`);
    return [tab, performance.now() - begun];
  };
  const empty = await openTab(browser);
  tabs.push(empty);
  const [idle, blank] = await share([served.process.pid, empty.pid]);
  await tabs.pop().close();
  const [first, coldMs] = await open();
  const asked = new Set(first.requests).size;
  show("first overview in a new browser", coldMs.toFixed(0), "ms", "1000");
  show("requests of the first view", String(asked), "", "12");
  const pids = [served.process.pid, first.pid];
  const [serverShare, page] = await share(pids);
  show("server, one console", (serverShare - idle).toFixed(2), "%", "0.5");
  show("browser, overview, above an empty page", (page - blank).toFixed(2), "%", "2");
  // At rest: each request holds a ten-second timeout, which the fake clock does not affect.
  const heap = async () => {
    await first.value("void (window.isPaused = true)");
    await delay(12_000);
    await first.send("HeapProfiler.collectGarbage");
    const { usedSize } = await first.send("Runtime.getHeapUsage");
    await first.value("window.goOn()");
    return usedSize / 1024 / 1024;
  };
  const many = await serveMany(served.port + 1, MANY);
  const large = await openTab(browser);
  tabs.push(large);
  await large.open(many.url);
  await large.until(`document.querySelectorAll("main svg.map rect").length >= ${MANY}`);
  const [largePage] = await share([large.pid]);
  show(`browser, ${MANY} instances, above an empty page`, (largePage - blank).toFixed(2), "%", "2");
  await tabs.pop().close();
  many.close();
  for (let others = 1; others < 10; others++) await open();
  const [ten] = await share([served.process.pid]);
  show("server, ten consoles", (ten - idle).toFixed(2), "%", "2");
  for (const tab of tabs.splice(1)) await tab.close();
  // An hour: timers fire at once, and the clock advances by their delays.
  await first.send("Page.addScriptToEvaluateOnNewDocument", { source: FALSE_CLOCK() });
  await first.open(url);
  await first.until(`document.querySelector("main td") !== null`);
  await first.until(`window.turns > ${HOUR_TURNS / 10}`);
  const before = await heap();
  await first.until(`window.turns > ${HOUR_TURNS}`);
  const turns = Number(await first.value("window.turns"));
  const grown = (await heap()) - before;
  show(`heap after ${turns} turns of polls`, grown.toFixed(2), "MiB", "flat");
  const folder = join(import.meta.dirname, "..", "dist", "console");
  const bytes = readdirSync(folder).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
  show("the package has for it", (bytes / 1024).toFixed(0), "kB", "400");
} finally {
  await Promise.all([served.stop(), ...tabs.map((tab) => tab.close())]);
  rmSync(root, { recursive: true });
}

function FALSE_CLOCK() {
  return `{
    const wait = window.setTimeout.bind(window);
    const now = Date.now.bind(Date);
    let gone = 0;
    const held = [];
    window.turns = 0;
    window.isPaused = false;
    window.goOn = () => {
      window.isPaused = false;
      for (const run of held.splice(0)) run();
    };
    Date.now = () => now() + gone;
    window.setTimeout = (run, ms = 0, ...args) => {
      if (ms < 500 || ms >= 5000) return wait(run, ms, ...args);
      const turn = () => { gone += ms / 3; window.turns++; run(...args); };
      return wait(() => { if (window.isPaused) held.push(turn); else turn(); }, 5);
    };
  }`;
}
