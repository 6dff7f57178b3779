// The console of the example of eight instances: instances, matrix and replication on open pages,
// while one hangs, is killed and restarts. Skipped without a browser.
// limit: 240 s
// builds examples
// takes 10 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { buildProject } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";

const browser = findBrowser();
const test = suite("console cities");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console cities: skipped (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "cities");
const ADMIN_PORT = 9991;
const SUBSCRIBERS = ["S1.1", "S1.2", "S2.1", "S2.2"];
let system: UpSystem;
let page: ConsolePage;

test.before(async () => {
  if (browser === null) return;
  await buildProject(EXAMPLE);
  const descriptor = readFileSync(join(EXAMPLE, ".svc/system.json"), "utf8");
  system = new UpSystem(EXAMPLE, JSON.parse(descriptor));
  await system.up();
  page = await ConsolePage.start(browser);
});
test.after(async () => {
  await page?.close();
  await system?.close();
});

const ready = async (id: string) =>
  ((await system.get(id, "/svc/nodestat", 1)).json.response as { ready: boolean }).ready;

const row = (id: string): string => `[...document.querySelectorAll("main tbody tr")]
  .find((row) => row.innerText.trim().startsWith(${JSON.stringify(id)}))?.innerText ?? ""`;
const rowHas = (id: string, text: string, is = true) =>
  page.tab.until(`(${row(id)}).includes(${JSON.stringify(text)}) === ${is}`);
/** The box of an instance on the map shows its state. */
const boxHas = (id: string, state: string) =>
  page.tab.until(`[...document.querySelectorAll("svg.map a")]
    .some((box) => box.ariaLabel.startsWith(${JSON.stringify(`${id}, `)}) &&
      box.ariaLabel.includes(${JSON.stringify(`, ${state}, `)}))`);

inBrowser("starts replication and service by the buttons of one page", async () => {
  const chosen = SUBSCRIBERS.map((id) => `on=${id}`).join("&");
  await page.open(ADMIN_PORT, `admin?${chosen}`, system.host);
  await page.press("Unlock");
  await page.has("Unlocked for");
  await page.press("Subscribe", "main .cards");
  await page.press("Subscribe", "dialog");
  await page.has("done: Subscribe at S2.2");
  // Replicas that still catch up refuse Service-IN.
  for (const id of SUBSCRIBERS) await until(async () => (await ready(id)) === true);
  await page.press("Service in", "main .cards");
  await page.press("Service in", "dialog");
  await page.has("done: ServiceIn at S2.2");
  assert.is((await system.get("TD", "/svc/plugin/feed")).status, 200);
  await page.open(ADMIN_PORT, "replication", system.host);
  await page.has("All 8 instances");
  for (const id of ["S1.1", "S2.2"]) await rowHas(id, "equal");
});

inBrowser("runs and explains a plugin of the back-ends through the matrix", async () => {
  await page.open(ADMIN_PORT, "plugin?name=largest", system.host);
  await page.has("through the matrix");
  await page.press("Run");
  await page.has("Shanghai");
  await page.press("Time");
  await page.has("on the server, by step");
});

inBrowser("shows an instance that hangs, is killed and restarts on the open page", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.has("8 instances on 1 host");
  await boxHas("S1.1", "OK");
  const { json } = await system.get("S1.1", "/svc/nodestat", 1);
  const { pid } = json.response as { pid: number };
  // `svc up` does not restart an instance that hangs.
  process.kill(pid, "SIGSTOP");
  try {
    await rowHas("S1.1", "Down");
    await page.has("S1.1: Down.");
    await page.has("No response for 00:00:");
    await rowHas("TD", "Degraded");
    await boxHas("S1.1", "Down");
    await boxHas("S2.1", "OK");
  } finally {
    // A stopped process would never end.
    process.kill(pid, "SIGKILL");
  }
  await rowHas("S1.1", "Down", false);
  await page.tab.until(`(${row("S1.1")}) !== ""`);
});

inBrowser("has no script errors", () => {
  const complaints = page.tab.complaints.filter((text) => !/status of (4|5)\d\d/.test(text));
  assert.equal(complaints, []);
});

test.run();
