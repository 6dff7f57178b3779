// The web console and its pages in a real browser, against a real server. Browser tests are skipped
// without a browser.
// limit: 120 s
// takes 10 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findBrowser } from "./support/browser.js";
import { type BrowserTab, openTab } from "./support/browser-tab.js";
import {
  buildProject,
  type DecodedResponse,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";

const browser = findBrowser();
const test = suite("console");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console: pages are skipped (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "hello");
const WITH_GRAPH = join(packageRoot(), "examples", "railways");
const PAGES = [
  "/",
  "/index",
  "/system",
  "/status.html",
  "/plugin",
  "/requests",
  "/search",
  "/matrix",
];

const root = mkdtempSync(join(tmpdir(), "svc-console-"));
let server: RunningServer;
let tab: BrowserTab;

test.before(async () => {
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
  if (browser !== null) tab = await openTab(browser);
});

test.after(async () => {
  await Promise.all([server.end(), tab?.close()]);
  rmSync(root, { recursive: true });
});

const admin = (path: string, init?: RequestInit): Promise<DecodedResponse> =>
  get(server.port + 1, path, init);

test("serves one page for every path, on the admin port only", async () => {
  for (const path of PAGES) {
    const { status, headers, text } = await admin(path);
    assert.is(status, 200, path);
    assert.is(headers.get("content-type"), "text/html; charset=UTF-8");
    assert.match(text, /svc\/console\/main-[0-9A-Z]{8}\.js/);
    assert.is((await get(server.port, path)).status, 404, path);
  }
  assert.is((await admin("/systems")).status, 404);
  assert.is((await admin("/system", { method: "POST" })).status, 405);
});

test("forbids inline scripts and framing, and hashes asset names", async () => {
  const page = await admin("/");
  const policy = page.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'self'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.not.match(policy, /unsafe/);
  assert.is(page.headers.get("cache-control"), "no-cache");
  const etag = page.headers.get("etag")!;
  const repeatedResponse = await admin("/", { headers: { "if-none-match": etag } });
  assert.is(repeatedResponse.status, 304);
  assert.is(repeatedResponse.text, "");
  const [script] = /svc\/console\/main-\w+\.js/.exec(page.text)!;
  const { headers } = await admin(`/${script}`);
  assert.match(headers.get("cache-control")!, /immutable/);
  assert.match(headers.get("content-type")!, /^text\/javascript/);
  assert.is(headers.get("x-content-type-options"), "nosniff");
});

test("serves its own font, which is compressed already", async () => {
  const { text } = await admin("/");
  const [font] = /svc\/console\/inter-[0-9A-Z]{8}\.woff2/.exec(text)!;
  const { status, headers } = await admin(`/${font}`, { headers: { "accept-encoding": "gzip" } });
  assert.is(status, 200);
  assert.match(headers.get("content-type")!, /^font\/woff2/);
  assert.is(headers.get("content-encoding"), null);
  assert.match(headers.get("cache-control")!, /immutable/);
  const [style] = /svc\/console\/style-\w+\.css/.exec(text)!;
  assert.ok((await admin(`/${style}`)).text.includes(font.replace(/.*\//, "")));
});

test("compresses when the client accepts it", async () => {
  const coded = async (accepted: string) =>
    (await admin("/", { headers: { "accept-encoding": accepted } })).headers.get(
      "content-encoding",
    );
  assert.is(await coded("gzip, br"), "br");
  assert.is(await coded("gzip, br;q=0"), "gzip");
  assert.is(await coded("identity"), null);
});

test("serves assets from a table, never by file path", async () => {
  for (const path of [
    "/svc/console/",
    "/svc/console/../../package.json",
    "/svc/console/%2e%2e/build-id",
    "/svc/console/main.js",
    "/svc/console/__proto__",
    "/svc/console/index.html.gz",
  ]) {
    assert.is((await admin(path)).status, 404, path);
  }
});

test("lets user files use its paths when disabled", async () => {
  const otherServer = await serve(EXAMPLE, "--root", join(root, "other"), "--console", "off");
  try {
    assert.is((await get(otherServer.port + 1, "/system")).status, 404);
    assert.not.match(otherServer.output(), /console http/);
  } finally {
    await otherServer.end();
  }
});

test("is named in the output at start", () => {
  assert.match(server.output(), new RegExp(`console http://127.0.0.1:${server.port + 1}/`));
});

const pageHas = (text: string): string =>
  `document.querySelector("main")?.innerText.includes(${JSON.stringify(text)})`;

async function open(path: string): Promise<void> {
  await tab.open(`http://127.0.0.1:${server.port + 1}/${path}`);
  await tab.until(`document.querySelector("h1") !== null`);
}

const type = (selector: string, text: string): Promise<unknown> =>
  tab.value(`(() => {
    const field = document.querySelector(${JSON.stringify(selector)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event("input", { bubbles: true }));
  })()`);

const press = (text: string): Promise<unknown> =>
  tab.value(`[...document.querySelectorAll("button, a")]
    .find(({ innerText }) => innerText.trim().split("\\n")[0] === ${JSON.stringify(text)})
    .click()`);

inBrowser("shows the state of the instance and updates it", async () => {
  await open("system");
  await tab.until(pageHas("OK"));
  assert.is(await tab.value(`document.querySelectorAll("svg.spark").length > 1`), true);
  const requestedUrls = new Set(tab.requests);
  assert.ok(requestedUrls.size <= 12, [...requestedUrls].join("\n"));
  await get(server.port, "/svc/plugin/hello");
  await tab.until(pageHas("nothing to check"));
});

inBrowser("calls a plugin from its form, and keeps the arguments in the address", async () => {
  await open("plugin?name=hello&v.times=2");
  await tab.until(`document.querySelector("#field-name") !== null`);
  await type("#field-name", `<script>alert("x")</script>`);
  await press("Run, may change data");
  await tab.until(pageHas(`Hello, <script>alert("x")</script>!`));
  await tab.until(pageHas("on the server"));
  const address = new URL(String(await tab.value("location.href")));
  assert.is(address.searchParams.get("v.name"), `<script>alert("x")</script>`);
  assert.is(address.searchParams.get("v.times"), "2");
  await type("#field-times", "two");
  await tab.until(pageHas("an integer is expected"));
  await tab.until(`document.querySelector("button.main").disabled`);
});

inBrowser("shows names of a graph as text with working links", async () => {
  await buildProject(WITH_GRAPH);
  const otherServer = await serve(WITH_GRAPH, "--root", join(root, "graph"));
  try {
    const post = { method: "POST", headers: { "x-svc-change": "1" } };
    await get(otherServer.port, "/svc/plugin/feed", { method: "POST" });
    const id = `<img src=x onerror=alert(1)>\u202e"'`;
    const connect = new URLSearchParams({ graph: "cities", initial: id, terminal: "Oslo" });
    const path = `/svc/builtin/connect?${connect}&relationship=knows`;
    const createdResponse = await get(otherServer.port + 1, path, post);
    assert.is(createdResponse.status, 200, createdResponse.text);
    const address = `http://127.0.0.1:${otherServer.port + 1}/search`;
    await tab.open(`${address}?graph=cities`);
    await tab.until(pageHas("Sample of vertices"));
    await tab.open(`${address}?graph=cities&id=Oslo`);
    await tab.until(pageHas("<img src=x onerror=alert(1)>\\u{202e}"));
    await tab.value(`[...document.querySelectorAll("main table a")]
      .find(({ innerText }) => innerText === "Bergen").click()`);
    await tab.until(`new URL(location.href).searchParams.get("id") === "Bergen"`);
    await tab.until(pageHas("← "));
    assert.is(await tab.value(`document.querySelectorAll("img").length`), 0);
    await tab.until(`document.querySelectorAll("canvas").length === 1`);
  } finally {
    await otherServer.end();
  }
});

inBrowser("shows running requests and the matrix", async () => {
  await open("requests?list=running");
  await tab.until(pageHas("requests in progress"));
  await open("matrix");
  await tab.until(pageHas("This instance has no back-ends"));
});

/** The first element beyond the window, unless it scrolls in its own box. */
const TOO_WIDE = `document.documentElement.scrollWidth <= innerWidth ? "" :
  [...document.querySelectorAll("body *")].filter((one) => one.closest(".tw") === null)
    .find((one) => one.getBoundingClientRect().right > innerWidth)?.outerHTML.slice(0, 200)`;

inBrowser("fits every page on a narrow screen", async () => {
  const size = { width: 360, height: 640, deviceScaleFactor: 1, mobile: false };
  await tab.send("Emulation.setDeviceMetricsOverride", size);
  for (const path of ["system", "status", "plugin?name=hello", "requests", "matrix"]) {
    await open(path);
    await tab.until(`document.querySelector(".card, .soft") !== null`);
    assert.is(await tab.value(TOO_WIDE), "", path);
  }
  await tab.send("Emulation.clearDeviceMetricsOverride");
});

inBrowser("shows the share of errors, and the number of plugins beside their page", async () => {
  // Those of other tests may be a minute old.
  await get(server.port, "/svc/plugin/hello");
  await open("system");
  const has = (section: string, text: string) =>
    tab.until(`/${text}/.test(document.querySelector("${section}")?.textContent)`);
  await has(".figs", "Errors\\s*0%");
  await has(".rail", "Plugins\\s*[1-9]");
});

inBrowser("navigates without reload, and supports the browser history", async () => {
  await open("system");
  await press("Metrics");
  await tab.until(`document.title.startsWith("Metrics")`);
  assert.is(await tab.value("document.activeElement.id"), "main");
  await tab.value("history.back()");
  await tab.until(`document.title.startsWith("System")`);
});

inBrowser("shows that the server is gone", async () => {
  const otherServer = await serve(EXAMPLE, "--root", join(root, "other"));
  await tab.open(`http://127.0.0.1:${otherServer.port + 1}/system`);
  await tab.until(pageHas("OK"));
  await otherServer.stop();
  const before = tab.complaints.length;
  await tab.until(pageHas("No response"));
  // The browser reports a missing server by itself.
  (tab.complaints as string[]).length = before;
});

inBrowser("says that the code of a page did not arrive", async () => {
  const before = tab.complaints.length;
  await tab.send("Network.setBlockedURLs", { urls: ["*/lazy-*"] });
  await open("requests");
  await tab.until(pageHas("did not send the code of this page"));
  await tab.send("Network.setBlockedURLs", { urls: [] });
  (tab.complaints as string[]).length = before;
  await press("Reload");
  await tab.until(pageHas("Slowest"));
});

inBrowser("sends no request to other origins and has no browser errors", () => {
  const strangers = tab.requests.filter((url) => !url.startsWith("http://127.0.0.1:"));
  assert.equal(strangers, []);
  const complaints = tab.complaints.filter((text) => !/ERR_(CONNECTION|EMPTY)|503/.test(text));
  assert.equal(complaints, []);
});

test.run();
