// The console of one instance of a system shows them all: states, who provides whom, and one that
// does not answer and comes back while pages are open. Skipped without a browser.
// limit: 180 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { fixture, svc } from "./support/server.js";
import { UpSystem } from "./support/system.js";

const browser = findBrowser();
const test = suite("console system");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console system: skipped (no browser; see CHROMIUM)");

const PROJECT = fixture("graph-services");
const NAME = "Shown <b>&amp;";
const DESCRIPTOR = {
  name: NAME,
  graphs: ["people"],
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { type: "builder", hport: 9100, graph: "people" },
    S1: { type: "search", hport: 9110, tport: 10110 },
  },
  topology: { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["S1"] }] } },
};

let system: UpSystem;
let page: ConsolePage;

test.before(async () => {
  if (browser === null) return;
  process.env.SVC_TX_KEY = "a key that nobody else has";
  await svc("build", PROJECT);
  system = new UpSystem(PROJECT, DESCRIPTOR);
  await system.up();
  page = await ConsolePage.start(browser);
});
test.after(async () => {
  await page?.close();
  await system?.close();
  delete process.env.SVC_TX_KEY;
});

const ADMIN_PORT = 9991;

/** Text of the row of an instance. */
const row = (id: string): string => `[...document.querySelectorAll("main tbody tr")]
  .find((row) => row.innerText.trim().startsWith(${JSON.stringify(id)}))?.innerText ?? ""`;

inBrowser("all instances are on one page, with links to their own", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.has(NAME);
  for (const id of ["TD", "B1", "S1"]) await page.tab.until(`(${row(id)}) !== ""`);
  const targets = await page.tab.value(`[...document.querySelectorAll("tbody a")]
    .map((link) => link.href).sort()`);
  const own = (port: number) => `http://${system.host}:${port}/status`;
  assert.equal(targets, [own(9101), own(9111), own(9991)]);
  await page.tab.until(`(${row("S1")}).includes("S-OUT")`);
});

inBrowser("one that does not answer is said on the open page, and when it is back", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.tab.until(`(${row("S1")}).includes("search")`);
  const { json } = await system.get("S1", "/svc/nodestat", 1);
  const { pid } = json.response as { pid: number };
  // It hangs: `svc up` leaves it alone, which starts again what has ended.
  process.kill(pid, "SIGSTOP");
  try {
    await page.tab.until(`(${row("S1")}).includes("Down")`);
    await page.tab.until(`(${row("B1")}).includes("Down") === false`);
    await page.has("Check");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await page.tab.until(`(${row("S1")}).includes("Down") === false`);
});

inBrowser("the page of replication tells who provides whom", async () => {
  await page.open(ADMIN_PORT, "replication", system.host);
  await page.has("All 3 instances");
  await page.tab.until(`(${row("S1")}).includes("B1")`);
  await page.open(9101, "replication", system.host);
  await page.has("Subscribers of this instance");
});

inBrowser("other instances are operated from their own pages", async () => {
  await page.open(ADMIN_PORT, "admin", system.host);
  await page.has("Other instances");
  await page.press("S1");
  await page.tab.until(`location.port === "9111"`);
  await page.press("Unlock");
  await page.has("Unlocked for");
  await page.press("Service in", "main .cards");
  await page.has("done: ServiceIn");
  await page.press("Overview");
  await page.tab.until(`(${row("S1")}).includes("S-OUT") === false && (${row("S1")}) !== ""`);
});

test.run();
