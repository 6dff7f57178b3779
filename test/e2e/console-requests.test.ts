// The pages Metrics and Requests, and the services behind them: access, windows, the slowest
// request and the part that took most of its time. Browser tests are skipped without a browser.
// limit: 120 s
// takes 15 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { matrix, type TestMatrix } from "./support/matrix.js";
import { get } from "./support/server.js";

const browser = findBrowser();
const test = suite("console requests");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console requests: pages are skipped (no browser; see CHROMIUM)");

/** Status of a call with an invalid argument through a matrix. */
const FAILED = 500;

let engines: TestMatrix;
let page: ConsolePage;
let port: number;

test.before(async () => {
  engines = await matrix(2, 1);
  port = engines.dispatcher.port;
  for (let n = 0; n < 30; n++) await get(port, "/svc/plugin/find?n=1");
  await get(port, "/svc/plugin/wait?ms=999");
  await get(port, "/svc/plugin/find?n=x");
  if (browser !== null) page = await ConsolePage.start(browser);
});
test.after(async () => {
  await page?.close();
  await engines.stop();
});

test("serves records and windows to trusted clients of the admin port only", async () => {
  for (const path of ["/svc/requests", "/svc/windows", "/svc/events"]) {
    assert.is((await get(port + 1, path)).status, 200);
    assert.is((await get(port, path)).status, 404);
    const foreign = { headers: { origin: "http://elsewhere.example" } };
    assert.is((await get(port + 1, path, foreign)).status, 403);
  }
  assert.is((await get(port + 1, "/svc/requests?state=other")).status, 400);
});

interface Recorded {
  readonly number: number;
  readonly plugin: string;
  readonly status: number;
  readonly ms: number;
  readonly arguments: readonly (readonly [string, number])[];
  readonly explain: { readonly partitions: readonly object[] };
}

const recorded = async (query: string): Promise<readonly Recorded[]> =>
  ((await get(port + 1, `/svc/requests?${query}`)).json.response as { requests: Recorded[] })
    .requests;

test("records sizes of arguments and the dispatch, but no values", async () => {
  assert.is((await recorded("state=slow&count=1")).length, 1);
  const { text } = await get(port + 1, "/svc/requests?state=slow");
  const waited = (await recorded("state=slow")).find(({ plugin }) => /wait$/.test(plugin))!;
  assert.equal(waited.arguments, [["ms", 3]]);
  assert.ok(waited.explain.partitions.length > 0);
  assert.not.match(text, /"999"/);
  assert.is((await recorded("state=failed"))[0]!.status, FAILED);
});

interface Window {
  readonly plugins: readonly { readonly name: string; readonly counts: readonly number[] }[];
}

test("counts requests in windows within seconds", async () => {
  const readCount = async (name: string): Promise<number> => {
    const { json } = await get(port + 1, "/svc/windows?range=300");
    const counts = (json.response as Window).plugins.find((plugin) => plugin.name === name);
    return counts?.counts.reduce((a, b) => a + b) ?? 0;
  };
  while ((await readCount("find")) < 30) await new Promise((resolve) => setTimeout(resolve, 100));
});

inBrowser("finds the slowest request and its slowest part in three clicks", async () => {
  await page.open(port + 1, "system");
  await page.has("In service");
  await page.press("Requests", ".rail");
  await page.press("Slowest");
  // On a loaded machine another one can be slower than the one that waits.
  const [slowest] = await recorded("state=slow&count=1");
  await page.press(slowest!.plugin.replace(/^.*\//, ""), "tbody tr:first-child");
  await page.has("partition 0");
  const [[name, size]] = slowest!.arguments as [[string, number]];
  await page.has(`${name}: ${size} characters`);
  await page.tab.value(`[...document.querySelectorAll("tbody .link")]
    .find(({ innerText }) => innerText === "wait").click()`);
  await page.has("Most of the time was spent in");
});

inBrowser("narrows requests by facets and by a filter in the address", async () => {
  await page.open(port + 1, "requests?list=recent");
  await page.has("find");
  await page.tab.value(`document.querySelector("[id='facet-Status:${FAILED}']").click()`);
  await page.tab.until(`document.querySelectorAll("tbody tr").length === 1`);
  await page.open(port + 1, "requests?list=recent");
  await page.has("find");
  // The one that waits, and on a loaded machine more.
  const slow = (await recorded("state=recent&count=1000")).filter(({ ms }) => ms > 250).length;
  await page.type("#request-filter", "ms:>250");
  await page.tab.until(`document.querySelectorAll("tbody tr").length === ${slow}`);
  const address = new URL(String(await page.tab.value("location.href")));
  assert.is(address.searchParams.get("filter"), "ms:>250");
});

inBrowser("plots requests, percentiles and errors of the chosen range", async () => {
  await page.open(port + 1, "status");
  await page.has("Requests by plugin");
  await page.tab.until(`document.querySelectorAll("svg.plot path.fill-1").length > 0`);
  await page.has("Errors by code");
  await page.tab.until(`[...document.querySelectorAll("tbody th")]
    .some((cell) => cell.innerText === "find")`);
  await page.tab.value(`document.querySelector(".top .rng").click()`);
  await page.press("Last hour", ".top");
  await page.has("last hour");
});

inBrowser("has no accessibility violations, in both themes", async () => {
  for (const path of ["status", "requests?list=slow", "requests?list=running"]) {
    for (const width of [390, 1440]) {
      const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
      await page.tab.send("Emulation.setDeviceMetricsOverride", size);
      await page.theme("light");
      await page.open(port + 1, path);
      await page.tab.until(`document.querySelector("main table") !== null`);
      assert.equal(await findViolations(page.tab), [], `${path}, ${width}`);
      await page.theme("dark");
      assert.equal(await findViolations(page.tab, "colors"), [], `${path}, ${width}, dark`);
    }
  }
});

inBrowser("has no browser errors", () => assert.equal(page.tab.complaints, []));

test.run();
