// The console of a dispatcher in front of a 2 x 2 matrix: explained requests, and an instance that
// dies and recovers on open pages. Skipped without a browser.
// limit: 180 s
// takes 15 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { matrix, type TestMatrix } from "./support/matrix.js";
import { get } from "./support/server.js";

const browser = findBrowser();
const test = suite("console matrix");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console matrix: skipped (no browser; see CHROMIUM)");

let engines: TestMatrix;
let page: ConsolePage;
let port: number;

test.before(async () => {
  engines = await matrix(2, 2);
  port = engines.dispatcher.port + 1;
  if (browser !== null) page = await ConsolePage.start(browser);
});

test.after(async () => {
  await page?.close();
  await engines.stop();
});

test("calls plugins through the matrix from the admin port on request, if permitted", async () => {
  const headers = { "x-svc-console": "matrix", "x-svc-explain": "1" };
  const there = await get(port, "/svc/plugin/find?n=1", { headers });
  assert.is(there.status, 200, there.text);
  assert.is((there.json.explain as { partitions: unknown[] }).partitions.length, 2);
  assert.is((await get(port, "/svc/plugin/find?n=1")).status, 404);
  const foreign = { headers: { ...headers, origin: "http://elsewhere.example" } };
  assert.is((await get(port, "/svc/plugin/find?n=1", foreign)).status, 404);
  const listed = await get(port, "/svc/builtin/matrixplugins", { headers });
  assert.match(listed.text, /svc\/plugin\/find/);
});

inBrowser("draws a request through the matrix step by step", async () => {
  await page.open(port, "plugin?name=find&via=matrix&v.n=1");
  await page.press("Run, may change data");
  await page.press("Time");
  await page.has("on the server, by step");
  await page.has("partition 1");
  assert.ok(Number(await page.tab.value(`document.querySelectorAll("svg.bar").length`)) >= 7);
});

inBrowser("shows throughput and latency of back-ends in cells", async () => {
  const stop = new AbortController();
  const load = (async () => {
    for (; !stop.signal.aborted; await delay(20)) await get(port - 1, "/svc/plugin/find?n=1");
  })();
  try {
    await page.open(port, "matrix");
    await page.tab.until(
      `[...document.querySelectorAll("td .figure")]
          .filter((cell) => /^[1-9][0-9.,]* \\/s\\s+p95 [0-9.]+ ms$/.test(cell.innerText))
          .length >= 2`,
    );
    await page.has("Partition 1");
    await page.tab.until(`/[1-9]\\d* %/.test(
      document.querySelector("[aria-label='Share of the work']").innerText)`);
    assert.equal(await findViolations(page.tab), []);
    await page.press("Heat");
    await page.tab.until(
      `document.querySelectorAll("[aria-label='Heat view'] .map rect").length === 4`,
    );
    assert.equal(await findViolations(page.tab), []);
    await page.press("Table");
    await page.tab.until(
      `document.querySelectorAll("[aria-label=Back-ends] tbody th").length === 4`,
    );
    assert.equal(await findViolations(page.tab), []);
  } finally {
    stop.abort();
    await load;
  }
});

inBrowser("shows a running request in detail, and keeps its last state", async () => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const waiting = get(port - 1, "/svc/plugin/wait?ms=60000", { signal }).catch(() => "left");
  await page.open(port, "requests?list=running");
  await page.has("/svc/plugin/wait");
  await page.tab.until(`(() => {
    const row = [...document.querySelectorAll("tbody tr")]
      .find((row) => row.innerText.includes("/svc/plugin/wait"));
    row?.querySelector("button").click();
    return row !== undefined;
  })()`);
  await page.has("Channels to back-ends");
  await page.has("Header fields");
  const address = new URL(String(await page.tab.value("location.href")));
  assert.match(address.searchParams.get("id")!, /^\d+$/);
  leaving.abort();
  assert.is(await waiting, "left");
  await page.has("showing the last known state");
  await page.has("Channels to back-ends");
  await page.press("Close");
  await page.hasNot("Channels to back-ends");
});

inBrowser("shows an engine that dies and recovers on the open page", async () => {
  await page.open(port, "matrix");
  await page.tab.until(`document.querySelectorAll("td .st.ok").length === 4`);
  await engines.place(1, 0).kill();
  // A request detects that its back-end is down.
  const isSaid = `document.querySelectorAll("td .st.ok").length === 3`;
  while ((await page.tab.value(isSaid)) !== true) {
    assert.is((await get(port - 1, "/svc/plugin/find?n=1")).status, 200);
  }
  await page.tab.until(`[...document.querySelectorAll("[aria-label=Failures] tbody tr")]
    .filter((row) => Number(row.cells[2].innerText) > 0).length === 1`);
  await engines.place(1, 0).restart();
  await page.tab.until(`document.querySelectorAll("td .st.ok").length === 4`);
});

test.run();
