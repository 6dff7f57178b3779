// The shop example: its job ranks the articles, and the start page reads the ranking.
// limit: 60 s
// builds examples

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operate } from "../../cli/admin/remote.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { openTab } from "./support/browser-tab.js";
import { buildProject, get, type Served, serve } from "./support/server.js";

const EXAMPLE = join(packageRoot(), "examples", "shop");
const test = suite("example shop");
const root = mkdtempSync(join(tmpdir(), "svc-shop-"));
const browser = findBrowser();
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("page of the shop: skipped (no browser; see CHROMIUM)");
let server: Served;

test.before(async () => {
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
});
test.after(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

test("ranks the articles that sell best by a job", async () => {
  const feed = "/svc/plugin/feed?articles=20&buyers=200";
  assert.is((await get(server.port, feed, { method: "POST" })).status, 200);
  const trending = async () =>
    (await get(server.port, "/svc/plugin/trending?n=3")).json.response as string[];
  assert.equal(await trending(), []);
  const address = { host: "127.0.0.1", port: server.port + 1, key: null, tls: null };
  await operate(address as never, "RunJob", { name: "rank" });
  while ((await trending()).length === 0) await delay(20);
  assert.is((await trending()).length, 3);
  const { json } = await get(server.port, "/svc/builtin/jobs");
  const [job] = json.response as { name: string; runs: { outcome: string }[] }[];
  assert.is(job!.runs[0]!.outcome, "ok");
});

const BUYER = { Authorization: "Bearer let-me-buy" };

test("stores pictures by their content, and sends them as images", async () => {
  const send = async (bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = BUYER) => {
    const body = new FormData();
    body.append("picture", new Blob([bytes], { type: "image/png" }), "a.png");
    const path = "/svc/plugin/addPicture?article=bo-0001";
    return get(server.port, path, { method: "POST", body, headers });
  };
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0);
  const { json } = await send(png);
  assert.equal(json.response, { type: "image/png", bytes: 6 });
  const stored = await fetch(`http://127.0.0.1:${server.port}/svc/plugin/picture?article=bo-0001`);
  assert.is(stored.headers.get("content-type")?.split(";")[0], "image/png");
  assert.equal(new Uint8Array(await stored.arrayBuffer()), png);
  const statuses = [
    await send(png, { Authorization: "Bearer let-me-see" }),
    await send(Uint8Array.of(1, 2, 3)),
    await send(new Uint8Array(300_000)),
  ].map(({ status }) => status);
  assert.equal(statuses, [403, 415, 413]);
});

test("streams each sale", async () => {
  const abort = new AbortController();
  const url = `http://127.0.0.1:${server.port}/svc/plugin/sales`;
  const headers = { Accept: "text/event-stream" };
  const { body } = await fetch(url, { headers, signal: abort.signal });
  const path = "/svc/plugin/order?article=bo-0002&count=3";
  assert.is((await get(server.port, path, { method: "POST", headers: BUYER })).status, 200);
  let text = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n\n") && text.includes("data:")) break;
  }
  abort.abort();
  assert.match(text, 'data: {"article":"bo-0002","buyer":"buyer","times":1}');
});

inBrowser("has a page that searches, buys and shows each sale at once", async () => {
  const tab = await openTab(browser!);
  try {
    await tab.open(`http://127.0.0.1:${server.port}/svc/plugin/page`);
    await tab.until(`document.activeElement?.id === "q"`);
    await tab.send("Input.insertText", { text: "boots" });
    const hits = `[...document.querySelectorAll("#hits button")]`;
    await tab.until(`${hits}.length > 0`);
    await tab.value(`${hits}[0].click()`);
    await tab.until(
      `/missing or unknown API key/.test(document.querySelector("#status").innerText)`,
    );
    const number = (await tab.value(`${hits}[0].innerText.slice(4)`)) as string;
    await tab.value(`document.querySelector("#key").value = "let-me-buy"`);
    const sold = `document.querySelector("#sales li")?.innerText`;
    // The feed begins when the page is connected, which may take longer than the first purchase.
    await tab.until(`(${hits}[0].click(), ${sold} === "${number} to buyer")`);
    assert.equal(await findViolations(tab), []);
  } finally {
    await tab.close();
  }
});

test.run();
