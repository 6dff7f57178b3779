// Further pages of the console: logs, operations, and accessibility of all pages without sight or
// mouse. Skipped without a browser.
// limit: 180 s
// takes 25 s

import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";

const browser = findBrowser();
const test = suite("console pages");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("console pages: skipped (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "railways");
const root = mkdtempSync(join(tmpdir(), "svc-console-pages-"));
let server: RunningServer;
let page: ConsolePage;

test.before(async () => {
  await buildProject(EXAMPLE);
  server = await serve(EXAMPLE, "--root", root);
  await get(server.port, "/svc/plugin/feed", { method: "POST" });
  const options = JSON.stringify({ keys: ["country"] });
  const index = new URLSearchParams({ graph: "cities", what: "text", options });
  const change = { method: "POST", headers: { "X-SVC-Change": "1" } };
  assert.is((await get(server.port, `/svc/builtin/index?${index}`, change)).status, 200);
  if (browser !== null) page = await ConsolePage.start(browser);
});

test.after(async () => {
  await Promise.all([server.end(), page?.close()]);
  rmSync(root, { recursive: true });
});

/** Each page, and a text that appears once it has its data. */
const PAGES = [
  ["index", "Instances"],
  ["system", "generic"],
  ["status", "Executors"],
  ["plugin?plugin=recommend", "start of the journey"],
  ["requests?list=running", "requests in progress"],
  ["search?graph=cities&id=Oslo", "All attributes"],
  ["text?graph=cities&q=no&facets=population", "Trondheim"],
  ["matrix", "This instance has no back-ends"],
  ["replication", "Subscribers of this instance"],
  ["jobs", "Scheduled functions"],
  ["logs", "server started"],
  ["admin", "Locked"],
] as const;

/** In pixels; each theme is checked in narrow and in wide windows, the second one by its colors. */
const WIDTHS = [
  [360, ["light"]],
  [390, ["dark"]],
  [1440, ["light", "dark"]],
] as const;

async function check(label: string, theme: "light" | "dark" = "light"): Promise<void> {
  assert.equal(await findViolations(page.tab, theme === "light" ? "all" : "colors"), [], label);
}

inBrowser("has no accessibility violations on any page, theme and width", async () => {
  for (const [path, text] of PAGES) {
    await page.open(server.port + 1, path);
    await page.has(text);
    for (const [width, themes] of WIDTHS) {
      const size = { width, height: 900, deviceScaleFactor: 1, mobile: false };
      await page.tab.send("Emulation.setDeviceMetricsOverride", size);
      for (const theme of themes) {
        await page.theme(theme);
        await check(`${path}, ${theme}, ${width} px`, theme);
      }
      const isFitting = "document.documentElement.scrollWidth <= innerWidth";
      assert.is(await page.tab.value(isFitting), true, `${path}, ${width} px`);
    }
  }
  await page.tab.send("Emulation.clearDeviceMetricsOverride");
});

inBrowser("has none in a dialog and a plugin result, in both themes", async () => {
  for (const theme of ["light", "dark"] as const) {
    await page.theme(theme);
    await page.open(server.port + 1, "admin");
    await page.press("Unlock");
    await page.has("Unlocked for");
    for (const title of ["Service out", "Truncate", "Shut down"]) {
      await page.press(title, "main .cards");
      await page.tab.until(`document.querySelector("dialog[open]") !== null`);
      await check(`${title}, ${theme}`, theme);
      await page.press("Cancel", "dialog");
      await page.tab.until(`document.querySelector("dialog") === null`);
    }
    for (const key of ["Control+k", "?"]) {
      await page.key(key);
      await page.tab.until(`document.querySelector("dialog[open]") !== null`);
      await check(`${key}, ${theme}`, theme);
      await page.key("Escape");
      await page.tab.until(`document.querySelector("dialog") === null`);
    }
    await page.open(server.port + 1, "plugin?plugin=recommend");
    await page.press("city=Oslo hours=3.5");
    await page.press("Run");
    await page.has("200 OK");
    await check(`answer, ${theme}`, theme);
  }
});

interface Inspected {
  readonly connections: readonly {
    readonly client: { readonly id: number; readonly port: number };
  }[];
}

inBrowser("has none in the detail of a connection, open and closed, in both themes", async () => {
  for (const theme of ["light", "dark"] as const) {
    await page.theme(theme);
    const socket = connect(server.port, "127.0.0.1").on("error", () => {});
    try {
      await once(socket, "connect");
      socket.write("GET /svc/plugin/recommend?city=Oslo HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(socket, "data");
      const { json } = await get(server.port + 1, "/svc/inspect?main=1&level=2");
      const { connections } = json.response as Inspected;
      const socketRow = connections.find(({ client }) => client.port === socket.localPort);
      await page.open(server.port + 1, `requests?list=running&id=${socketRow!.client.id}`);
      await page.has("Completed");
      await page.has("signature");
      await check(`open, ${theme}`, theme);
    } finally {
      socket.destroy();
    }
    await page.has("Closed");
    await check(`closed, ${theme}`, theme);
  }
});

inBrowser("searches texts as the user types, and narrows by a facet", async () => {
  await page.open(server.port + 1, "text?graph=cities&facets=country");
  await page.type("#text-words", "n");
  await page.has("Amsterdam");
  await page.type("#text-words", "no");
  await page.hasNot("Amsterdam");
  const marked = `[...document.querySelectorAll(".hits mark")].map((mark) => mark.textContent)`;
  assert.equal([...new Set((await page.tab.value(marked)) as string[])], ["NO"]);
  await page.type("#text-words", "NO SE");
  await page.has("No vertex matches.");
  await page.type("#text-words", "n");
  await page.has("Amsterdam");
  const value = `[...document.querySelectorAll(".facet button")]
    .find((button) => button.innerText.startsWith("NO"))`;
  await page.tab.value(`${value}.click()`);
  await page.hasNot("Amsterdam");
  await page.tab.until(`${value}.getAttribute("aria-pressed") === "true"`);
  const address = new URL(String(await page.tab.value("location.href")));
  assert.is(address.searchParams.get("f.country"), '"NO"');
  await page.press("Oslo", ".hits");
  await page.has("All attributes");
});

inBrowser("compares two text searches side by side", async () => {
  await page.open(server.port + 1, "text?graph=cities&q=no");
  await page.has("Trondheim");
  await page.type("#text-other", "no se");
  await page.has("compared with 0 hits");
  await page.type("#text-other", "-se n");
  await page.tab.until(`document.querySelectorAll(".cards .hits").length === 2`);
  await page.has("only here");
  await page.has("place 1 beside");
  await check("comparison");
  const address = new URL(String(await page.tab.value("location.href")));
  assert.is(address.searchParams.get("other"), "-se n");
  await page.type("#text-other", "");
  await page.hasNot("only here");
});

inBrowser("shows why a text search fails, and what to do without an index", async () => {
  await page.open(server.port + 1, "text?graph=cities&q=no&facets=.none");
  await page.has("unknown property: '.none'");
  await page.open(server.port + 1, "text?graph=none");
  await page.has("This instance has no vertices of the graph none.");
});

inBrowser("draws graphs in the colors of the theme", async () => {
  for (const [theme, color] of [
    ["light", [0xb4, 0x53, 0x0a]],
    ["dark", [0xf0, 0x98, 0x5c]],
  ] as const) {
    await page.theme(theme);
    await page.open(server.port + 1, "search?graph=cities&id=Oslo");
    await page.tab.until(`(() => {
      const canvas = document.querySelector("canvas.drawing");
      if (canvas === null || canvas.width === 0) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const isAnchor = (at) => ${JSON.stringify(color)}.every((part, i) => data[at + i] === part);
      for (let at = 0; at < data.length; at += 4) if (isAnchor(at)) return true;
      return false;
    })()`);
  }
});

inBrowser("counts arcs by relationship, draws more of one, and finds a path", async () => {
  await page.open(server.port + 1, "search?graph=cities&id=Oslo");
  await page.has("14 of 14 arcs shown");
  const counts = `[...document.querySelectorAll(".rels li")]
    .map((item) => item.innerText.split("\\n").slice(0, 2).join(" ")).sort().join()`;
  await page.tab.until(`${counts} === "← has 2,← rail 6,→ rail 6"`);
  await page.has("7 / 189");
  await page.tab.value(`(() => {
    const field = document.querySelector("[aria-label='Type of the neighbor']");
    field.value = "city";
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  await page.has("12 of 12 arcs shown");
  await page.tab.value("history.back()");
  await page.has("14 of 14 arcs shown");
  await page.press("Path");
  await page.type("#path-to", "Hamburg");
  await page.press("Find path");
  await page.has("Oslo → Gothenburg → Copenhagen → Hamburg, 3 arcs");
  await page.tab.until(`[...document.querySelectorAll("canvas.drawing button")]
    .some(({ textContent }) => textContent === "Hamburg")`);
  await page.press("Vector");
  await page.has("No response yet");
  assert.match(String(await page.tab.value("location.href")), /mode=nearest/);
});

inBrowser("saves a drawing as SVG", async () => {
  const folder = join(root, "drawings");
  mkdirSync(folder);
  const behavior = { behavior: "allow", downloadPath: folder };
  await page.tab.send("Browser.setDownloadBehavior", behavior);
  await page.open(server.port + 1, "search?graph=cities&id=Oslo");
  await page.tab.until(`document.querySelector("canvas.drawing")?.width > 300`);
  await page.tab.value(`document.querySelector("[aria-label='Save as SVG']").click()`);
  const file = join(folder, "graph.svg");
  while (!existsSync(file)) await delay(50);
  const text = readFileSync(file, "utf8");
  assert.match(text, />Gothenburg<\/text>/);
  // The arcs of Oslo, and those among its neighbors.
  assert.is(text.match(/<path/g)!.length, 14 + 14);
  assert.match(text, /<\/svg>\n$/);
});

inBrowser("downloads a result unchanged", async () => {
  const folder = join(root, "downloads");
  mkdirSync(folder);
  const behavior = { behavior: "allow", downloadPath: folder };
  await page.tab.send("Browser.setDownloadBehavior", behavior);
  await page.open(server.port + 1, "plugin?name=recommend&v.city=Oslo&v.hours=3.5");
  await page.press("Run");
  await page.has("200 OK");
  await page.press("Download");
  const file = join(folder, "answer.json");
  while (!existsSync(file)) await delay(50);
  const { response } = JSON.parse(readFileSync(file, "utf8"));
  const direct = await get(server.port, "/svc/plugin/recommend?city=Oslo&hours=3.5");
  assert.equal(response, direct.json.response);
});

inBrowser("can be used by keyboard on every page, with visible focus", async () => {
  for (const [path, text] of PAGES) {
    await page.open(server.port + 1, path);
    await page.has(text);
    const visited = new Set<unknown>();
    // The skip link, ten pages, five controls above, and the controls of the page.
    for (let step = 0; step < 60 && visited.size < 16; step++) {
      await page.key("Tab");
      const where = await page.tab.value(`(() => {
        const all = [...document.querySelectorAll("*")];
        return all.indexOf(document.activeElement);
      })()`);
      if (visited.has(where)) break;
      visited.add(where);
    }
    assert.is(visited.size, 16, `${path}: ${visited.size} stops`);
  }
});

inBrowser(
  "shows log entries as they are written, as text, with filters in the address",
  async () => {
    await page.open(server.port + 1, "logs");
    await page.has("server started");
    await get(server.port, "/svc/plugin/recommend?city=%3Cimg%20src%3Dx%3E");
    await page.open(server.port + 1, "logs?text=nothing-of-this");
    await page.has("0 of the last");
    await page.type("#log-text", "server start");
    await page.has("server started");
    assert.is(
      await page.tab.value(`new URL(location.href).searchParams.get("text")`),
      "server start",
    );
    assert.is((await get(server.port, "/svc/log")).status, 404);
    const foreign = { headers: { origin: "http://elsewhere.example" } };
    assert.is((await get(server.port + 1, "/svc/log", foreign)).status, 403);
  },
);

inBrowser("completes a query from the graph, and marks errors at their position", async () => {
  await page.open(server.port + 1, "search?graph=cities&mode=evaluate&query=1%20%2B");
  await page.press("Run");
  await page.has("line 1, column 4: expected operand");
  await page.type("#query-text", "1 + 1");
  await page.press("Run");
  await page.has("on the server");
  await page.tab.until(
    `document.querySelector("[aria-label='Response body']").innerText.includes("2")`,
  );
  await page.open(server.port + 1, "search?graph=cities&mode=neighbor&id=Oslo");
  await page.press("Form");
  // The names of the graph are loaded by themselves.
  await page.tab.until(`document.querySelector("#query-relationships")
    ?.innerHTML.includes("rail") === true`);
  await page.type("#query-text", `{"arc": "ra`);
  await page.has("line 1, column 12");
  await page.tab.until(`document.querySelector(".words")?.innerText.includes("rail") === true`);
  await page.tab.value(`document.querySelector("#query-text").focus()`);
  await page.key("ArrowDown");
  await page.tab.until(`document.querySelector(".words [aria-selected=true]") !== null`);
  await page.key("Enter");
  await page.tab.until(`document.querySelector("#query-text").value === '{"arc": "rail'`);
  await page.type(
    "#query-text",
    `{"arc": "rail", "fields": F_ID, "filter": "next.arc.value < 300"}`,
  );
  await page.press("Run");
  await page.has("Gothenburg");
  const address = new URL(String(await page.tab.value("location.href")));
  assert.match(address.searchParams.get("query")!, /next\.arc\.value < 300/);
  assert.equal(await findViolations(page.tab), []);
  // Editor and answer need no scrolling on a common screen.
  await page.press("Text");
  const size = { width: 1440, height: 900, deviceScaleFactor: 1, mobile: false };
  await page.tab.send("Emulation.setDeviceMetricsOverride", size);
  const top = (selector: string) =>
    page.tab.value(`document.querySelector("${selector}").getBoundingClientRect().top`);
  assert.ok(Number(await top("#query-text")) < 300);
  assert.ok(Number(await top("[aria-label=Response]")) < 200);
  await page.tab.send("Emulation.clearDeviceMetricsOverride");
  await page.tab.value(`[...document.querySelectorAll("[role=tab]")]
    .find(({ innerText }) => innerText.startsWith("Earlier")).click()`);
  await page.press("evaluate 1 + 1");
  await page.tab.until(`document.querySelector("#query-text").value === "1 + 1"`);
});

inBrowser("inserts a name of the graph, and links a hit to its vertex", async () => {
  await page.open(server.port + 1, "search?graph=cities&id=Oslo");
  await page.press("Query");
  await page.has("Names in cities");
  await page.type("#query-text", "");
  await page.press("rail", "[aria-label='Names of the graph']");
  await page.tab.until(`document.querySelector("#query-text").value === '"rail"'`);
  await page.type("#query-text", `{"fields": F_ID|F_DEG, "result": R_DICT}`);
  await page.press("Run");
  await page.press("Bergen", "[aria-label=Response]");
  await page.has("All attributes");
});

inBrowser("does nothing while locked, and uses one token per operation", async () => {
  const health = async () => (await get(server.port, "/svc/hc")).status;
  await page.open(server.port + 1, "admin");
  await page.has("Locked");
  await page.tab.until(`[...document.querySelectorAll("main .cards button")].length > 5`);
  const locked = `[...document.querySelectorAll("main .cards button")]
    .every((button) => button.disabled)`;
  assert.is(await page.tab.value(locked), true);
  await page.press("Unlock");
  await page.has("Unlocked for");
  await page.press("Service out", "main .cards");
  // Escape changes nothing.
  await page.tab.until(`document.querySelector("dialog[open]") !== null`);
  await page.press("Cancel", "dialog");
  await page.tab.until(`document.querySelector("dialog") === null`);
  assert.is(await health(), 200);
  await page.press("Service out", "main .cards");
  await page.tab.until(`document.querySelector("dialog[open]") !== null`);
  const word = String(await page.tab.value(`document.querySelector("dialog code").innerText`));
  await page.type("#confirm-word", "something else");
  await page.tab.until(`document.querySelector("dialog button.main").disabled`);
  await page.type("#confirm-word", word);
  await page.type("#confirm-reason", "<b>for a test</b>");
  await page.press("Service out", "dialog");
  await page.has("done: ServiceOut");
  assert.is(await health(), 503);
  await page.press("Service in", "main .cards");
  await page.has("done: ServiceIn");
  assert.is(await health(), 200);
  await page.type("#commands", "ResetMetrics; no-such-thing");
  await page.press("Execute");
  await page.has("no-such-thing");
  await page.press("Lock");
  await page.has("Locked");
});

inBrowser("reports a token that has become invalid, and requests a new one", async () => {
  await page.open(server.port + 1, "admin");
  await page.press("Unlock");
  await page.has("Unlocked for");
  // Another page of this machine takes a token, which invalidates the one here.
  await get(server.port + 1, "/svc/builtin/ADMIN_GetAuthToken");
  await page.press("Readonly", "main .cards");
  await page.has("Invalid authtoken");
  await page.press("Readonly", "main .cards");
  await page.has("done: SetReadonly");
  await page.press("Writable", "main .cards");
  await page.has("done: ClearReadonly");
});

/** Presses the button of an irreversible operation and types its confirmation. */
async function confirm(title: string): Promise<void> {
  await page.press(title, "main .cards");
  await page.tab.until(`document.querySelector("dialog[open]") !== null`);
  const word = await page.tab.value(`document.querySelector("dialog code")?.innerText ?? null`);
  if (word !== null) await page.type("#confirm-word", String(word));
  await page.press(title, "dialog");
}

inBrowser(
  "deletes data, restarts ports and stops the process, each after a confirmation",
  async () => {
    const otherServer = await serve(EXAMPLE, "--root", join(root, "ended"));
    const order = async () =>
      ((await get(otherServer.port + 1, "/svc/nodestat")).json.response as Record<string, number>)[
        "graph-order"
      ];
    const fed = await get(otherServer.port, "/svc/plugin/feed", { method: "POST" });
    assert.is(fed.status, 200, fed.text);
    assert.ok((await order())! > 0);
    await page.open(otherServer.port + 1, "admin");
    await page.press("Unlock");
    await page.has("Unlocked for");
    await confirm("Truncate");
    await page.has("done: Truncate");
    assert.is(await order(), 0);
    await page.has("Unlocked for");
    // The next start counts as another version for the page. The ports are still closed when it
    // requests the next token.
    await page.tab.value(`(() => {
    const ask = fetch;
    let tokens = 0;
    window.fetch = async (path, init) => {
      if (path.includes("GetAuthToken") && tokens++ === 0) throw new TypeError("no connection");
      const answer = await ask(path, init);
      if (path !== "svc/ping") return answer;
      const told = await answer.json();
      told.response.host.version = "svc 99.0.0 [Node v99]";
      return new Response(JSON.stringify(told), { status: answer.status });
    };
  })(); void 0`);
    await confirm("Restart ports");
    await page.has("done: RestartHTTP");
    await page.has("The server restarted at");
    // A server that starts refuses operations.
    const isUp = () =>
      get(otherServer.port, "/svc/hc").then(
        ({ status }) => status === 200,
        () => false,
      );
    while (!(await isUp())) await delay(50);
    await page.has("The server was updated: reload the console.");
    const link = `document.querySelector(".note a")?.href === location.href`;
    assert.is(await page.tab.value(link), true);
    await page.press("Lock");
    await page.has("Locked");
    await page.press("Unlock");
    await page.has("Unlocked for");
    const ended = once(otherServer.process, "exit");
    await confirm("Shut down");
    await page.has("done: Shutdown");
    const [code] = await ended;
    assert.is(code, 0);
    await page.has("No response");
  },
);

inBrowser("has no browser errors", () => {
  const complaints = page.tab.complaints.filter(
    // The browser reports requests to a stopped server by itself.
    (text) => !/status of (4|5)\d\d|ERR_(CONNECTION|EMPTY)/.test(text),
  );
  assert.equal(complaints, []);
});

test.run();
