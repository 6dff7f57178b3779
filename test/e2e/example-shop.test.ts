// The shop example: its plugins, its nightly job, and its page in a browser.
// limit: 60 s
// takes 5 s

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
import { type BrowserTab, openTab } from "./support/browser-tab.js";
import { seedShop } from "./support/seed-shop.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";

const EXAMPLE = join(packageRoot(), "examples", "shop");
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0);
const test = suite("example shop");
const root = mkdtempSync(join(tmpdir(), "svc-shop-"));
const browser = findBrowser();
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("page of the shop: skipped (no browser; see CHROMIUM)");
let server: RunningServer;
let cookie = "";

test.before(async () => {
  seedShop(root, "--products", "200", "--users", "20", "--purchases", "400");
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
});
test.after(async () => {
  await server.end();
  rmSync(root, { recursive: true });
});

interface Card {
  readonly id: string;
  readonly title: string;
  readonly hasPicture: boolean;
  readonly sold?: number;
}

async function request<T>(path: string, options: Parameters<typeof get>[2] = {}): Promise<T> {
  const headers = { ...options.headers, cookie };
  const { status, json, text } = await get(server.port, `/svc/plugin/${path}`, {
    ...options,
    headers,
  });
  assert.is(status, 200, text);
  return json.response as T;
}

/** Status of a request, by default without a session. */
async function fetchStatus(path: string, options: Parameters<typeof get>[2] = {}): Promise<number> {
  return (await get(server.port, `/svc/plugin/${path}`, options)).status;
}

const POST = { method: "POST" } as const;
const credentials = (name: string, password: string) => ({
  ...POST,
  body: JSON.stringify({ name, password }),
});

test("finds products in pages, and counts all matches", async () => {
  const ids = new Set<string>();
  let after: string | null = "";
  while (after !== null) {
    const cursor: string = after === "" ? "" : `&cursor=${after}`;
    const { items, cursor: next } = await request<{ items: Card[]; cursor: string | null }>(
      `search?q=waterprof${cursor}`,
    );
    for (const { id } of items) ids.add(id);
    after = next;
  }
  assert.is((await request<{ count: number }>("facets?q=waterprof")).count, ids.size);
  assert.ok(ids.size > 20, "one page");
  const [similar] = await request<Card[]>("similar?product=p000010&n=1");
  assert.match(similar!.title, "boots");
  const [also] = await request<(Card & { buyers: number })[]>("alsoBought?product=p000000&n=1");
  assert.ok(also!.id !== "p000000" && also!.buyers > 0);
  assert.is(await fetchStatus("similar?product=p999999"), 404);
  // The ids of other vertices are no products.
  assert.is(await fetchStatus("similar?product=%40user1"), 400);
});

test("requires a sign-in to buy", async () => {
  assert.is(await fetchStatus("buy?product=p000010", POST), 401);
  assert.is(await fetchStatus("register", credentials("ann", "short")), 400);
  const url = `http://127.0.0.1:${server.port}/svc/plugin/register`;
  const registered = await fetch(url, credentials("ann", "correct horse"));
  assert.is(registered.status, 200);
  [cookie] = registered.headers.getSetCookie()[0]!.split(";") as [string];
  assert.match(registered.headers.getSetCookie()[0]!, "HttpOnly; SameSite=Strict");
  assert.is(await fetchStatus("register", credentials("ann", "another horse")), 409);
  assert.is(await fetchStatus("signIn", credentials("ann", "wrong horse")), 401);
  assert.is(await fetchStatus("signIn", credentials("user1", "password")), 401);
  assert.is(await fetchStatus("signIn", credentials("ann", "correct horse")), 200);
  assert.equal(await request("trending"), []);
  for (const times of [1, 2]) assert.is(await request("buy?product=p000010", POST), times);
  const [trending] = await request<Card[]>("trending");
  assert.equal([trending!.id, trending!.sold], ["p000010", 2]);
  const [suitable] = await request<Card[]>("feed?n=1");
  assert.match(suitable!.title, "boots");
  // Sessions and passwords are in the graph.
  const path = "/svc/builtin/vertices?graph=shop";
  assert.is((await get(server.port, path)).status, 403);
});

test("ranks the products by a job", async () => {
  assert.equal(await request("bestSellers"), []);
  const address = { host: "127.0.0.1", port: server.port + 1, key: null, tls: null };
  await operate(address as never, "RunJob", { name: "rankProducts" });
  while ((await request<Card[]>("bestSellers?n=3")).length < 3) await delay(20);
});

test("stores pictures by their content, and sends them as images", async () => {
  const send = (bytes: Uint8Array<ArrayBuffer>, product: string, headers = { cookie }) => {
    const body = new FormData();
    body.append("picture", new Blob([bytes], { type: "image/png" }), "a.png");
    return fetchStatus(`addPicture?product=${product}`, { ...POST, body, headers });
  };
  const statuses = [
    await send(PNG, "p000010"),
    await send(PNG, "p000010", { cookie: "" }),
    await send(PNG, "p000011"),
    await send(Uint8Array.of(1, 2, 3), "p000010"),
    await send(new Uint8Array(300_000), "p000010"),
  ];
  assert.equal(statuses, [200, 401, 403, 415, 413]);
  const url = `http://127.0.0.1:${server.port}/svc/plugin/picture?product=p000010`;
  const stored = await fetch(url);
  assert.is(stored.headers.get("content-type")?.split(";")[0], "image/png");
  assert.equal(new Uint8Array(await stored.arrayBuffer()), PNG);
});

test("streams each sale", async () => {
  const abort = new AbortController();
  const url = `http://127.0.0.1:${server.port}/svc/plugin/sales`;
  const headers = { Accept: "text/event-stream" };
  const { body } = await fetch(url, { headers, signal: abort.signal });
  await request("buy?product=p000020", POST);
  let text = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n\n") && text.includes("data:")) break;
  }
  abort.abort();
  assert.match(text, 'data: {"id":"p000020",');
});

test("forgets a session", async () => {
  await request("signOut", POST);
  assert.is(await fetchStatus("feed", { headers: { cookie } }), 401);
});

/** Expression of the text of an element. */
const innerTextScript = (selector: string) => `document.querySelector("${selector}")?.innerText`;

async function signIn(tab: BrowserTab): Promise<void> {
  await tab.value(`(() => {
    const form = document.querySelector("#account");
    form.elements.name.value = "bob";
    form.elements.password.value = "battery staple";
    form.querySelector("[value=register]").click();
  })()`);
  await tab.until(`${innerTextScript("#status")} === "Welcome, bob."`);
}

async function addPicture(tab: BrowserTab): Promise<void> {
  await tab.value(`document.querySelector("#hits button").click()`);
  await tab.until(`!document.querySelector("#product").hidden`);
  await tab.value(`(() => {
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array([${PNG}])], "a.png"));
    const input = document.querySelector("#picture");
    input.files = files.files;
    input.dispatchEvent(new Event("change"));
  })()`);
  await tab.until(`${innerTextScript("#status")} === "Thank you for the picture (image/png)."`);
  await tab.until(`document.querySelector("#hits img") !== null`);
}

inBrowser("has a page that searches, signs in, buys and takes pictures", async () => {
  const tab = await openTab(browser!);
  try {
    await tab.open(`http://127.0.0.1:${server.port}/svc/plugin/page`);
    await tab.until(`document.activeElement?.id === "q"`);
    await tab.send("Input.insertText", { text: "boots" });
    const buy = `document.querySelector("#hits button + button")`;
    await tab.until(`${buy} !== null && /^20 products: /.test(${innerTextScript("#facets")})`);
    await tab.value(`${buy}.click()`);
    await tab.until(`${innerTextScript("#status")} === "sign in first"`);
    await signIn(tab);
    // The feed begins when the page is connected, which may take longer than the first purchase.
    await tab.until(`(${buy}.click(), ${innerTextScript("#sales li")} !== undefined)`);
    await tab.until(`/x\\.$/.test(${innerTextScript("#status")})`);
    await tab.until(`/x\\)/.test(${innerTextScript("#trending li")})`);
    await tab.until(`document.querySelector("#feed li") !== null`);
    await addPicture(tab);
    assert.equal(await findViolations(tab), []);
  } finally {
    await tab.close();
  }
});

test.run();
