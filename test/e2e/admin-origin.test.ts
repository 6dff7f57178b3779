// The admin port is the origin of the console and of all admin operations. Pages that plugins and
// WEB-ROOT answer there run no script, and host names of attackers are rejected.
// limit: 120 s
// takes 4 s

import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { type BrowserTab, openTab } from "./support/browser-tab.js";
import { RunningProject } from "./support/running-project.js";
import { get, serve } from "./support/server.js";

const PLUGINS = `import { HttpResponse } from "svc-server";
import type { int, PluginRequest, str } from "svc-server";

/** @plugin */
export function page(_request: PluginRequest, q: str): HttpResponse {
  return new HttpResponse(q, { type: "text/html" });
}

/** @plugin */
export function document(_request: PluginRequest, q: str): HttpResponse {
  return new HttpResponse(q, { type: "application/pdf" });
}

/** @plugin */
export function number(_request: PluginRequest): int {
  return 1;
}

/** @plugin */
export async function* items(_request: PluginRequest): AsyncGenerator<int> {
  yield 1;
}
`;
/** The first step of every operation; unknown on the main port. */
const TOKEN = "/svc/builtin/ADMIN_GetAuthToken";
/** Asks for a token, as a page that truncates all graphs would. */
const ATTACK = `fetch('${TOKEN}').catch(() => {})`;

/** A document that is one link: a click anywhere asks for a token. */
function createPdf(port = 0): string {
  const action = `/A<</S/URI/URI(http://127.0.0.1:${port}${TOKEN})>>`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 999 999]/Annots[4 0 R]>>",
    `<</Type/Annot/Subtype/Link/Rect[0 0 999 999]/Border[0 0 0]${action}>>`,
  ];
  let pdf = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = pdf.length;
    pdf += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 5\n0000000000 65535 f \n${offsets.join("")}`;
  return `${pdf}${table}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`;
}

const FILES: Readonly<Record<string, string>> = {
  "stored.html": `<script>${ATTACK}</script>`,
  "stored.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${ATTACK}</script></svg>`,
  "stored.pdf": createPdf(),
  "page.txt": `<script>${ATTACK}</script>`,
};

const test = suite("admin origin");
const project = new RunningProject(test, { "plugins/pages.ts": PLUGINS });
const browser = findBrowser();
const inBrowser = browser === null ? test.skip : test;
let tab: BrowserTab;

test.before(async () => {
  const folder = join(project.folder, "data", "WEB-ROOT");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  if (browser !== null) tab = await openTab(browser);
});
test.after(() => tab?.close());

const USER_CONTENT = [
  "/svc/plugin/page?q=x",
  "/svc/plugin/number",
  "/svc/plugin/items",
  "/svc/plugin/page?q=x&wrong=%",
  ...Object.keys(FILES).map((name) => `/${name}`),
];
for (const path of USER_CONTENT) {
  test(`sandboxes ${path} on the admin port only`, async () => {
    const { port } = project.server;
    const [main, admin] = await Promise.all([get(port, path), get(port + 1, path)]);
    assert.is(admin.status, main.status);
    assert.is(admin.headers.get("content-security-policy"), "sandbox");
    assert.is(admin.headers.get("x-content-type-options"), "nosniff");
    assert.is(main.headers.get("content-security-policy"), null);
  });
}

/** Status of a request that calls the server by a name. */
function statusByName(port: number, host: string, path = "/svc/hc"): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").on("error", reject);
    socket.once("data", (data) => {
      resolve(Number(String(data).split(" ")[1]));
      socket.destroy();
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
}

test("refuses unknown host names on the admin port", async () => {
  const { port } = project.server;
  for (const host of ["evil.test", "127.0.0.1.evil.test", "0.0.0.0"]) {
    assert.is(await statusByName(port + 1, host), 403, host);
    assert.is(await statusByName(port, host), 200, host);
  }
  for (const host of ["localhost", "127.0.0.1:9001", "[::1]", "10.1.2.3"]) {
    assert.is(await statusByName(port + 1, host), 200, host);
  }
});

test("operators reach an instance by its described host and by allowed names", async () => {
  const descriptor = join(project.folder, "system.json");
  const instances = { B1: { type: "builder", hport: 9000, host: "b1.example" } };
  writeFileSync(descriptor, JSON.stringify({ graphs: [], instances, topology: {} }));
  const root = ["--root", join(project.folder, "named")];
  const names = ["--descriptor", descriptor, "--instance", "B1", "--allowed-hosts", "ops.example"];
  const { port, end } = await serve(project.folder, ...root, ...names);
  for (const [host, status] of [
    ["B1.example:9001", 200],
    ["ops.example", 200],
    ["b2.example", 403],
  ] as const) {
    for (const path of [TOKEN, "/svc/log", "/svc/inspect?level=2"]) {
      assert.is(await statusByName(port + 1, host, path), status, `${host} ${path}`);
    }
  }
  assert.is(await statusByName(port, "ops.example", "/svc/inspect?level=2"), 403);
  await end();
});

const PAGES = [`/svc/plugin/page?q=${encodeURIComponent(FILES["stored.html"]!)}`, "/stored.html"];
for (const path of [...PAGES, "/stored.svg"]) {
  inBrowser(`runs no script of ${path.slice(0, 20)} in the origin of the console`, async () => {
    const { port } = project.server;
    const isAsked = (of: number) =>
      tab.requests.some((url) => url.startsWith(`http://127.0.0.1:${of}${TOKEN}`));
    const isBlocked = () =>
      tab.complaints.some((text) => text.startsWith(`Blocked script execution in '${url}`));
    // The same page on the main port: without this the test could not fail.
    await tab.open(`http://127.0.0.1:${port}${path}`);
    while (!isAsked(port)) await sleep(50);
    const url = `http://127.0.0.1:${port + 1}${path.slice(0, 20)}`;
    await tab.open(`http://127.0.0.1:${port + 1}${path}`);
    while (!isBlocked() && !isAsked(port + 1)) await sleep(50);
    assert.not.ok(isAsked(port + 1));
  });
}

/** Opens a PDF and clicks it until it has called the server; returns what that responded. */
async function click(port: number, clicks: number): Promise<[answer: string, clicked: number]> {
  const path = `/svc/plugin/document?q=${encodeURIComponent(createPdf(port))}`;
  await tab.open(`http://127.0.0.1:${port}${path}`);
  await tab.until(`location.port === "${port}" && document.contentType === "application/pdf"`);
  for (let clicked = 0; clicked < clicks; clicked++) {
    if ((await tab.value("location.pathname")) === TOKEN) {
      await tab.until("document.readyState === 'complete'");
      return [String(await tab.value("document.body.innerText")), clicked];
    }
    const pointer = { x: 400, y: 300, button: "left", clickCount: 1 };
    for (const type of ["mousePressed", "mouseReleased"]) {
      await tab.send("Input.dispatchMouseEvent", { type, ...pointer });
    }
    await sleep(200);
  }
  return ["", clicks];
}

inBrowser("gives no token to a PDF that the operator clicks", async () => {
  const { port } = project.server;
  // The operator gets one, and the link works: without these the test could not fail.
  await tab.open(`http://127.0.0.1:${port + 1}${TOKEN}`);
  await tab.until(`location.port === "${port + 1}" && document.body.innerText.includes("OK")`);
  const [elsewhere, clicks] = await click(port, 200);
  assert.match(elsewhere, "undefined plugin: ADMIN_GetAuthToken");
  const [pageText] = await click(port + 1, 3 * clicks + 5);
  assert.match(pageText, "cross-origin pages may not");
});

test.run();
