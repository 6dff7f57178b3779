// The console of one instance of a system shows all of them: states, replication, and one that
// stops responding and recovers while pages are open. Skipped without a browser.
// limit: 180 s
// takes 15 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { fixture } from "./support/server.js";
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
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
  page = await ConsolePage.start(browser);
});
test.after(async () => {
  await page?.close();
  await system?.close();
});

const ADMIN_PORT = 9991;

/** Text of the row of an instance. */
const row = (id: string): string => `[...document.querySelectorAll("main tbody tr")]
  .find((row) => row.innerText.trim().startsWith(${JSON.stringify(id)}))?.innerText ?? ""`;

inBrowser("lists all instances on one page, with links to their consoles", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.has(NAME);
  for (const id of ["TD", "B1", "S1"]) await page.tab.until(`(${row(id)}) !== ""`);
  const targets = await page.tab.value(`[...document.querySelectorAll("tbody a[href$='/status']")]
    .map((link) => link.href).sort()`);
  const statusUrl = (port: number) => `http://${system.host}:${port}/status`;
  assert.equal(targets, [statusUrl(9101), statusUrl(9111), statusUrl(9991)]);
  await page.tab.until(`(${row("S1")}).includes("No Input")`);
});

inBrowser("shows an instance that stops responding and recovers on the open page", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.tab.until(`(${row("S1")}).includes("search")`);
  const { json } = await system.get("S1", "/svc/nodestat", 1);
  const { pid } = json.response as { pid: number };
  // It hangs: `svc up` restarts only processes that have exited.
  process.kill(pid, "SIGSTOP");
  try {
    await page.tab.until(`(${row("S1")}).includes("Down")`);
    await page.tab.until(`(${row("B1")}).includes("Down") === false`);
    await page.has("S1: Down.");
    // The list of events has it, too.
    await page.tab.until(`document.querySelector("[aria-label=Events]")
      ?.innerText.includes("does not respond") === true`);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await page.tab.until(`(${row("S1")}).includes("Down") === false`);
});

inBrowser("shows the log of another instance", async () => {
  await page.open(ADMIN_PORT, "logs?instance=B1", system.host);
  const path = "/svc/log?instance=B1";
  const { json } = await system.get("TD", path, 1);
  const log = await system.get("B1", "/svc/log", 1);
  const texts = (response: unknown) =>
    (response as { lines: { text: string }[] }).lines.map(({ text }) => text);
  const [shownTexts, known] = [texts(json.response), texts(log.json.response)];
  assert.ok(shownTexts.length > 0 && shownTexts.every((text) => known.includes(text)));
  await page.tab.until(`document.querySelectorAll("main tbody tr").length > 0`);
  await page.tab.until(`document.querySelector("[aria-label=Instance]")?.value === "B1"`);
  assert.is((await system.get("TD", "/svc/log?instance=nobody", 1)).status, 400);
  assert.is((await system.get("TD", path, 0)).status, 404);
});

inBrowser("shows providers and subscribers on the replication page", async () => {
  await page.open(ADMIN_PORT, "replication", system.host);
  await page.has("All 3 instances");
  await page.tab.until(`document.querySelector("[aria-label='Subscribers of B1']")
    ?.innerText.includes("S1") === true`);
  await page.open(9101, "replication", system.host);
  await page.has("Subscribers of this instance");
});

inBrowser(
  "links from a dispatcher, which has no graphs, to the instances with vertices",
  async () => {
    const change = { method: "POST", headers: { "x-svc-change": "1" } };
    const vertex = "/svc/builtin/createvertex?graph=people&id=Ada";
    assert.is((await system.get("B1", vertex, 0, change)).status, 200);
    for (const [path, link] of [
      ["search", "search"],
      ["search?graph=people&id=Ada", "search?graph=people"],
      ["text", "text"],
    ] as const) {
      const sent = page.tab.requests.length;
      await page.open(ADMIN_PORT, path, system.host);
      await page.has("This instance has no");
      await page.has("1 vertex, 0 arcs");
      const links = await page.tab.value(`[...document.querySelectorAll("main .list a")]
      .map(({ href }) => href)`);
      assert.equal(links, [`http://${system.host}:9101/${link}`]);
      const requests = page.tab.requests
        .slice(sent)
        .filter((url) => /svc\/.*graph=people/.test(url));
      assert.equal(requests, [], path);
    }
  },
);

const NO_DIALOG = `document.querySelector("dialog") === null`;

/** Presses the button of an operation, types its confirmation, and confirms. */
async function confirm(title: string, word: string | null): Promise<void> {
  await page.press(title, "main .cards");
  await page.tab.until(`document.querySelector("dialog[open]") !== null`);
  if (word !== null) await page.type("#confirm-word", word);
  await page.press(title, "dialog");
  await page.tab.until(NO_DIALOG);
}

const findNode = async (id: string) =>
  (await system.get(id, "/svc/nodestat", 1)).json.response as Record<string, unknown>;

inBrowser("operates one or several other instances from this page", async () => {
  await page.open(ADMIN_PORT, "system", system.host);
  await page.tab.until(`(${row("S1")}).includes("Operate")`);
  await page.open(ADMIN_PORT, "admin?on=S1", system.host);
  await page.press("Unlock");
  await page.has("Unlocked for");
  // Its provider is set from the descriptor.
  const provides = async (many: number) => {
    while (((await findNode("B1")).subscribers as unknown[]).length !== many) await delay(50);
  };
  await confirm("Subscribe", null);
  await page.has("done: Subscribe at S1");
  await provides(1);
  while ((await findNode("S1")).ready !== true) await delay(50);
  await page.press("Service in", "main .cards");
  await page.has("done: ServiceIn at S1");
  assert.is((await findNode("S1"))["service-in"], 1);
  await confirm("Unsubscribe", null);
  await page.has("done: Unsubscribe at S1");
  await provides(0);
  await confirm("Subscribe", null);
  await page.tab.until(`document.body.innerText.split("done: Subscribe at S1").length === 3`);
  await provides(1);
  await page.press("All others");
  await page.tab.until(
    `new URL(location.href).searchParams.getAll("on").sort().join() === "B1,S1"`,
  );
  await page.type("#target-pattern", "B*");
  await page.press("Choose 1");
  await page.tab.until(`new URL(location.href).searchParams.getAll("on").join() === "B1"`);
  await page.type("#target-pattern", "S*, B1");
  await page.press("Choose 2");
  await confirm("Save", "2 instances");
  await page.has("done: Persist at B1");
  await page.has("done: Persist at S1");
});

inBrowser("synchronizes and throttles subscribers, only after the confirmation", async () => {
  await page.open(ADMIN_PORT, "admin?on=B1", system.host);
  await page.press("Unlock");
  await page.has("Unlocked for");
  await confirm("Synchronize", "1");
  await page.has("done: Sync at B1");
  await page.press("Cancel synchronization", "main .cards");
  await page.has("sync not running");
  await page.press("Throttle", "main .cards");
  await page.type("#confirm-rate", "5000");
  await page.press("Throttle", "dialog");
  await page.has("done: Throttle at B1");
  await page.press("Truncate", "main .cards");
  await page.type("#confirm-word", "all of it");
  await page.tab.until(`document.querySelector("dialog button.main").disabled`);
  await page.press("Cancel", "dialog");
  await page.tab.until(NO_DIALOG);
});

inBrowser("shows that a stopped instance has been restarted", async () => {
  await page.open(ADMIN_PORT, "admin?on=S1", system.host);
  await page.press("Unlock");
  await page.has("Unlocked for");
  const { pid, "graph-order": order, "graph-size": size } = await findNode("S1");
  await confirm("Shut down", `${order}:${size}`);
  await page.has("done: Shutdown at S1");
  // `svc up` restarts processes that have exited.
  for (;;) {
    const now = await findNode("S1").catch(() => null);
    // While it starts, it reports that.
    if (typeof now?.pid === "number" && now.pid !== pid) break;
    await delay(100);
  }
  await page.press("System");
  await page.tab.until(`(${row("S1")}).includes("search")`);
});

test("validates tokens, ids and names of forwarded operations", async () => {
  if (browser === null) return;
  const operate = async (args: Record<string, string>) => {
    const { json } = await system.get("TD", "/svc/builtin/ADMIN_GetAuthToken", 1);
    const { authtoken } = json.response as { authtoken: string };
    const query = new URLSearchParams({ authtoken, ...args });
    return system.get("TD", `/svc/builtin/ADMIN_Operate?${query}`, 1, { method: "POST" });
  };
  const known = { instance: "S1", operation: "ResetMetrics" };
  assert.match((await operate(known)).text, /metrics_reset/);
  const rows: [args: Record<string, string>, told: RegExp][] = [
    [{ ...known, authtoken: "0" }, /Invalid authtoken/],
    [{ ...known, instance: "__proto__" }, /no instance of this system/],
    [{ ...known, operation: "Operate" }, /no operation of others/],
    [{ ...known, operation: "x/../echo" }, /no operation of others/],
    [{ ...known, params: "[]" }, /object of texts/],
    [{ ...known, params: `{"a":1}` }, /must be a text/],
    [{ ...known, operation: "NoSuchThing" }, /Exception\(/],
    [{ ...known, operation: "Sync", params: `{"mode":"x"}` }, /mode must be/],
  ];
  for (const [args, pattern] of rows) assert.match((await operate(args)).text, pattern);
});

test.run();
