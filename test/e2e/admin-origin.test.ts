// The admin port is the origin of the console and of all admin operations. Pages that plugins and
// WEB-ROOT answer there run no script, and host names of attackers are rejected.
// limit: 120 s

import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findBrowser } from "./support/browser.js";
import { type BrowserTab, openTab } from "./support/browser-tab.js";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";

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
/** Sets the title and asks for a token, as a page that truncates all graphs would. */
const ATTACK = "document.title = 'ran'; fetch('/svc/ADMIN_GetToken').catch(() => {})";

/** A page whose script is attempted as one of PDF, as an action of the document, and as HTML. */
function createPdf(): string {
  const text = ATTACK.replace(/[()]/g, "\\$&");
  const target = '("/svc/ADMIN_GetToken")';
  const script = `${text}; this.submitForm${target}; app.launchURL${target}`;
  const objects = [
    `<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(${script})>>>>`,
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/AA<</O<</S/URI/URI(/svc/ADMIN_GetToken)>>>>>>",
  ];
  let pdf = `%PDF-1.4\n%<script>${ATTACK}</script>\n`;
  const offsets = objects.map((object, at) => {
    const offset = pdf.length;
    pdf += `${at + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join("")}`;
  return `${pdf}${table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${pdf.length}\n%%EOF\n`;
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
function statusByName(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").on("error", reject);
    socket.once("data", (data) => {
      resolve(Number(String(data).split(" ")[1]));
      socket.destroy();
    });
    socket.write(`GET /svc/hc HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
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

const PAGES = [`/svc/plugin/page?q=${encodeURIComponent(FILES["stored.html"]!)}`, "/stored.html"];
for (const path of [...PAGES, "/stored.svg"]) {
  inBrowser(`runs no script of ${path.slice(0, 20)} in the origin of the console`, async () => {
    const { port } = project.server;
    const asked = (of: number) =>
      tab.requests.some((url) => url.startsWith(`http://127.0.0.1:${of}/svc/ADMIN_GetToken`));
    const isLoaded = (of: number) =>
      tab.until(`location.port === "${of}" && document.readyState === "complete"`);
    // The same page on the main port: without this the test could not fail.
    await tab.open(`http://127.0.0.1:${port}${path}`);
    await isLoaded(port);
    await sleep(300);
    assert.ok(asked(port), "the attack works elsewhere");
    await tab.open(`http://127.0.0.1:${port + 1}${path}`);
    await isLoaded(port + 1);
    await sleep(300);
    assert.not.ok(asked(port + 1));
  });
}

const DOCUMENTS = [`/svc/plugin/document?q=${encodeURIComponent(createPdf())}`, "/stored.pdf"];
for (const path of DOCUMENTS) {
  inBrowser(`opens ${path.slice(0, 20)} as a PDF that sends no request`, async () => {
    const { port } = project.server;
    await tab.open(`http://127.0.0.1:${port + 1}${path}`);
    await tab.until(
      `location.port === "${port + 1}" && document.contentType === "application/pdf"`,
    );
    await sleep(500);
    const { requests } = tab;
    assert.not.ok(requests.some((url) => url.includes(`:${port + 1}/svc/ADMIN_GetToken`)));
  });
}

test.run();
