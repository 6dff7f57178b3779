// A graph with hostile names: markup, bidirectional control characters, a hundred thousand
// characters. Pages show all of it as truncated text, and links lead back to it. The main work on
// the same graph, by keys only. Skipped without a browser.
// limit: 180 s
// takes 7 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";

const browser = findBrowser();
const test = suite("console hostile");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console hostile: skipped (no browser; see CHROMIUM)");

const root = mkdtempSync(join(tmpdir(), "svc-hostile-"));
const EXAMPLE = join(packageRoot(), "examples", "railways");
const SCRIPT = `<script>window.wasRun = 1</script>`;
const TURNED = `\u202e"'><img src=x onerror="window.wasRun = 1">\u2066&amp;`;
const LONG = `<b>${"x".repeat(100_000)}</b>`;
let server: RunningServer;
let page: ConsolePage;

async function change(plugin: string, args: Record<string, string>, body = ""): Promise<void> {
  const query = new URLSearchParams({ graph: "cities", ...args });
  const headers = { "x-svc-change": "1", "content-type": "application/json" };
  const path = `/svc/builtin/${plugin}?${query}`;
  const { status, text } = await get(server.port + 1, path, { method: "POST", headers, body });
  assert.is(status, 200, text);
}

test.before(async () => {
  if (browser === null) return;
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
  await get(server.port, "/svc/plugin/feed", { method: "POST" });
  const properties = { long: LONG, turned: TURNED };
  await change("createvertex", { id: SCRIPT }, JSON.stringify({ type: "person", properties }));
  for (const [terminal, relationship] of [
    [TURNED, "likes"],
    [`x \u2028y`, "likes"],
    ["y".repeat(2000), "knows"],
  ] as const) {
    await change("connect", { initial: SCRIPT, terminal, relationship });
  }
  page = await ConsolePage.start(browser);
});
test.after(async () => {
  await Promise.all([server?.end(), page?.close()]);
  rmSync(root, { recursive: true, force: true });
});

/** No markup was interpreted, no script ran, and the page is no wider than its window. */
async function isText(): Promise<void> {
  const markup = await page.tab.value(`[
    document.querySelectorAll("main img, main script, main b").length,
    typeof window.wasRun,
    document.documentElement.scrollWidth <= innerWidth,
    [...document.querySelectorAll("main *")].some((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.length > 30000)),
  ]`);
  assert.equal(markup, [0, "undefined", true, false]);
}

const IS_CHOSEN = `document.querySelector(".insp h2")?.innerText === ${JSON.stringify(SCRIPT)}`;

inBrowser("shows names as text in vertices, neighbors and drawings", async () => {
  const from = new URLSearchParams({ graph: "cities", id: "y".repeat(2000) });
  await page.open(server.port + 1, `search?${from}`);
  await page.has("… (2,000 characters)");
  await isText();
  await page.press(SCRIPT, "main table");
  await page.tab.until(IS_CHOSEN);
  await page.has("x \\u{2028}y");
  await page.has(`\\u{202e}"'><img`);
  await page.tab.until(`document.querySelectorAll("canvas").length === 1`);
  await isText();
  // The address leads back to it.
  const address = new URL(String(await page.tab.value("location.href")));
  assert.is(address.searchParams.get("id"), SCRIPT);
  await page.open(server.port + 1, `search${address.search}`);
  await page.tab.until(IS_CHOSEN);
});

inBrowser("shows names as text in results, forms and log filters", async () => {
  const names = new URLSearchParams({ graph: "cities", id: SCRIPT, mode: "neighbor" });
  await page.open(server.port + 1, `search?${names}`);
  await page.press("Run");
  await page.has("on the server");
  await isText();
  const nobody = new URLSearchParams({ graph: SCRIPT, id: LONG.slice(0, 5000) });
  await page.open(server.port + 1, `search?${nobody}`);
  await page.has("This instance has no vertices of the graph <script>");
  await isText();
  for (const path of ["plugin?name=", "logs?text=", "requests?id=", "admin?on="]) {
    await page.open(server.port + 1, path + encodeURIComponent(SCRIPT + TURNED));
    await page.tab.until(`document.querySelector("main .card, main .soft") !== null`);
    await isText();
  }
});

/** Both keys at once: while the page is busy, an answer to the first could come too late. */
const goTo = (letter: string) => Promise.all(["g", letter].map((key) => page.key(key)));
const isAt = (path: string) => page.tab.until(`location.pathname === ${JSON.stringify(path)}`);

inBrowser("calls plugins, and explores requests and graphs, without a pointer", async () => {
  await page.open(server.port + 1, "system");
  await page.has("generic");
  // The palette leads to a page; letters after g do, too.
  await page.key("Control+k");
  for (const letter of "metrics") await page.key(letter);
  await page.key("Enter");
  await isAt("/status");
  // The field of the closed palette keeps the focus until the next frame.
  await page.tab.until(`document.activeElement.closest("dialog") === null`);
  await goTo("p");
  await isAt("/plugin");
  await page.has("recommend");
  // A plugin is chosen, filled in and called.
  await page.focus("recommend");
  await page.key("Enter");
  await page.has("start of the journey");
  await page.focus("city=Oslo hours=3.5");
  await page.key("Enter");
  await page.key("Control+Enter");
  await page.has("200 OK");
  // The recorded request and its steps.
  await goTo("r");
  await page.tab.until(`document.querySelector("main tbody tr button") !== null`);
  await page.key("j");
  await page.key("Enter");
  await page.has("Try again");
  // A vertex, more of its arcs, and a path.
  await page.open(server.port + 1, "search?graph=cities");
  await page.has("Sample of vertices");
  await page.focus("vertex");
  for (const letter of "Oslo") await page.key(letter);
  await page.key("Enter");
  await page.has("14 of 14 arcs shown");
  await page.focus("Oslo");
  await page.key("ArrowRight");
  await page.key("Enter");
  await page.tab.until(`new URL(location.href).searchParams.has("more")`);
  await page.focus("Path");
  await page.key("Enter");
  await page.focus("path-to");
  for (const letter of "Hamburg") await page.key(letter);
  await page.key("Enter");
  await page.has("Gothenburg → Copenhagen → Hamburg");
});

inBrowser("draws the arcs that are not shown as one, and moves by arrow keys", async () => {
  for (let spoke = 0; spoke < 18; spoke++) {
    await change("connect", { initial: "Hub", terminal: `spoke ${spoke}`, relationship: "rail" });
  }
  await page.open(server.port + 1, "search?graph=cities&id=Hub");
  await page.has("16 of 18 arcs shown");
  const active = `document.activeElement?.closest("canvas") === null ? "" :
    document.activeElement.textContent`;
  await page.tab.value(`document.querySelector("canvas button[tabindex='0']").focus()`);
  assert.is(await page.tab.value(active), "Hub");
  assert.equal(await findViolations(page.tab), []);
  // From spoke to spoke, until the bundle is reached.
  const visited = new Set<unknown>();
  const keys = ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"];
  for (const key of [...keys, "ArrowRight", "ArrowRight", "ArrowUp"]) {
    await page.key(key);
    visited.add(await page.tab.value(active));
  }
  assert.ok(visited.size >= 4, [...visited].join());
  assert.is(await page.tab.value(`document.querySelectorAll("canvas [tabindex='0']").length`), 1);
  await page.tab.value(`[...document.querySelectorAll("canvas button")]
    .find(({ textContent }) => textContent === "spoke 3").focus()`);
  await page.key("Enter");
  await page.tab.until(`new URL(location.href).searchParams.get("more") === "spoke 3"`);
  await page.key("Delete");
  await page.tab.until(`document.querySelectorAll("canvas button").length === 17`);
  assert.is(await page.tab.value(active), "Hub");
  await page.tab.value(`[...document.querySelectorAll("canvas button")]
    .find(({ textContent }) => textContent === "+ 2 rail →").focus()`);
  await page.key("Enter");
  await page.has("18 of 18 arcs shown");
  await page.tab.value("history.back()");
  await page.has("16 of 18 arcs shown");
});

inBrowser("filters, holds and operates without a pointer", async () => {
  await page.open(server.port + 1, "status");
  await page.has("Executors");
  await goTo("l");
  await page.has("server started");
  await page.key("/");
  await page.focus("log-text");
  for (const letter of "nothing") await page.key(letter);
  await page.has("0 of the last");
  await page.open(server.port + 1, "status");
  await page.has("Executors");
  await page.key("]");
  await page.has("last hour");
  await page.key("h");
  await page.tab.until(`[...document.querySelectorAll(".top [aria-pressed=true]")]
    .some(({ innerText }) => innerText === "Hold")`);
  await page.key("h");
  await page.key("t");
  await page.tab.until(`document.documentElement.dataset.theme !== undefined`);
  await page.key("t");
  // An operation, from its token to its confirmation.
  await goTo("a");
  await page.focus("Unlock");
  await page.key("Enter");
  await page.has("Unlocked for");
  await page.focus("Reset metrics");
  await page.key("Enter");
  await page.tab.until(`document.querySelector("dialog[open]") !== null`);
  await page.focus("Reset metrics");
  await page.key("Enter");
  await page.has("done: ResetMetrics");
  await page.tab.value("localStorage.clear()");
});

test.run();
