// The page of examples/search in a browser: search-as-you-type, typos, facets, highlights, pages.
// Skipped without a browser.
// limit: 60 s
// takes 6 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { type BrowserTab, openTab } from "./support/browser-tab.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";

const browser = findBrowser();
const test = suite("example of a search service");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("example search: skipped (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "search");
const root = mkdtempSync(join(tmpdir(), "svc-example-search-"));
let server: RunningServer;
let tab: BrowserTab;

test.before(async () => {
  if (browser === null) return;
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
  await get(server.port, "/svc/plugin/feed?count=5000", { method: "POST" });
  tab = await openTab(browser);
  await tab.open(`http://127.0.0.1:${server.port}/svc/plugin/page`);
  await tab.until(`document.querySelector("#q") !== null`);
});
test.after(async () => {
  await tab?.close();
  await server?.end();
  rmSync(root, { recursive: true });
});

/** Types one key after another, as a person does. */
async function type(text: string): Promise<void> {
  await tab.value(`(() => { const q = document.querySelector("#q"); q.focus(); q.select(); })()`);
  for (const character of text) await tab.send("Input.insertText", { text: character });
}
const titles = `[...document.querySelectorAll("#hits h2")].map((title) => title.innerHTML)`;
const count = `Number(document.querySelector("#status").innerText.replace(/ recipes.*|,/g, ""))`;

inBrowser("shows results for the beginning of a word, with the matches marked", async () => {
  await type("pumpk");
  await tab.until(`${titles}.some((title) => title.includes("<em>pumpkin</em>"))`);
  assert.ok(((await tab.value(count)) as number) > 10);
});

inBrowser("shows results for words with typos", async () => {
  await type("rosted pumkin");
  await tab.until(`/<em>Roasted.*<em>pumpkin/i.test(${titles}[0])`);
});

inBrowser("narrows the results by two facets and shows their counts", async () => {
  await type("soup");
  await tab.until(`${titles}.length === 10 && ${titles}.every((title) => /soup/i.test(title))`);
  for (const facet of ["cuisine", "ingredient"]) {
    const label = `[...document.querySelectorAll("fieldset")]
      .find((set) => set.innerText.startsWith("${facet}")).querySelector("label")`;
    const expected = (await tab.value(`${label}.querySelector("output").value`)) as string;
    await tab.value(`${label}.querySelector("input").click()`);
    await tab.until(`${count} === ${expected}`);
    await tab.until(`${label}.querySelector("input").checked`);
  }
});

inBrowser("appends the next page, and shows similar recipes", async () => {
  await tab.open(`http://127.0.0.1:${server.port}/svc/plugin/page?q=soup`);
  await tab.until(`${titles}.length === 10`);
  await tab.value(`document.querySelector("#more").click()`);
  await tab.until(`${titles}.length > 10`);
  await tab.value(`document.querySelector("#hits button").click()`);
  await tab.until(`document.querySelector("#hits li").innerText.includes("Similar:")`);
});

inBrowser("accepts any text", async () => {
  for (const text of ['"', "-", "<b>&", "zzzzzz", '"a b" -"c']) {
    await type(text);
    await tab.until(`/^[\\d,]+ recipes/.test(document.querySelector("#status").innerText)`);
  }
});

inBrowser("has no accessibility violations and no script errors", async () => {
  await type("soup");
  await tab.until(`${titles}.length === 10`);
  assert.equal(await findViolations(tab), []);
  assert.equal(tab.complaints, []);
});

test.run();
