// A graph with hostile names: markup, bidirectional control characters, a hundred thousand
// characters. Pages show all of it as truncated text, and links lead back to it. Skipped without a
// browser.
// limit: 180 s
// builds examples

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { buildProject, get, type Served, serve } from "./support/server.js";

const browser = findBrowser();
const test = suite("console hostile");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console hostile: skipped (no browser; see CHROMIUM)");

const root = mkdtempSync(join(tmpdir(), "svc-hostile-"));
const EXAMPLE = join(packageRoot(), "examples", "railways");
const SCRIPT = `<script>window.wasRun = 1</script>`;
const TURNED = `\u202e"'><img src=x onerror="window.wasRun = 1">\u2066&amp;`;
const LONG = `<b>${"x".repeat(100_000)}</b>`;
let served: Served;
let page: ConsolePage;

async function change(plugin: string, args: Record<string, string>, body = ""): Promise<void> {
  const query = new URLSearchParams({ graph: "cities", ...args });
  const headers = { "x-svc-change": "1", "content-type": "application/json" };
  const path = `/svc/builtin/${plugin}?${query}`;
  const { status, text } = await get(served.port + 1, path, { method: "POST", headers, body });
  assert.is(status, 200, text);
}

test.before(async () => {
  if (browser === null) return;
  await buildProject(EXAMPLE);
  served = await serve(EXAMPLE, "--root", root);
  await get(served.port, "/svc/plugin/feed", { method: "POST" });
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
  await Promise.all([served?.stop(), page?.close()]);
  rmSync(root, { recursive: true, force: true });
});

/** No markup was interpreted, no script ran, and the page is no wider than its window. */
async function isText(): Promise<void> {
  const found = await page.tab.value(`[
    document.querySelectorAll("main img, main script, main b").length,
    typeof window.wasRun,
    document.documentElement.scrollWidth <= innerWidth,
    [...document.querySelectorAll("main *")].some((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.length > 30000)),
  ]`);
  assert.equal(found, [0, "undefined", true, false]);
}

inBrowser("shows names as text in vertices, neighbors and drawings", async () => {
  const from = new URLSearchParams({ graph: "cities", id: "y".repeat(2000) });
  await page.open(served.port + 1, `search?${from}`);
  await page.has("… (2,000 characters)");
  await isText();
  await page.press(SCRIPT);
  await page.has("Arcs of <script>");
  await page.has("x \\u{2028}y");
  await page.has(`\\u{202e}"'><img`);
  await page.tab.until(`document.querySelectorAll("canvas").length === 1`);
  await isText();
  // The address leads back to it.
  const address = new URL(String(await page.tab.value("location.href")));
  assert.is(address.searchParams.get("id"), SCRIPT);
  await page.open(served.port + 1, `search${address.search}`);
  await page.has("Arcs of <script>");
});

inBrowser("shows names as text in results, forms and log filters", async () => {
  const names = new URLSearchParams({ graph: "cities", id: SCRIPT, mode: "neighbor" });
  await page.open(served.port + 1, `search?${names}`);
  await page.press("Run");
  await page.has("on the server");
  await isText();
  const nobody = new URLSearchParams({ graph: SCRIPT, id: LONG.slice(0, 5000) });
  await page.open(served.port + 1, `search?${nobody}`);
  await page.has("This instance has no vertices of the graph <script>");
  await isText();
  for (const path of ["plugin?name=", "logs?text=", "requests?id=", "admin?on="]) {
    await page.open(served.port + 1, path + encodeURIComponent(SCRIPT + TURNED));
    await page.tab.until(`document.querySelector("main .card, main .soft") !== null`);
    await isText();
  }
});

test.run();
