// The try-out of plugins in a browser: credentials and header fields, files, limits, pictures,
// streams, and the call as code; an algorithm that runs. Skipped without a browser.
// limit: 90 s
// takes 8 s

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findViolations } from "./support/accessibility.js";
import { findBrowser } from "./support/browser.js";
import { ConsolePage } from "./support/console-page.js";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";
import { NODE_TYPES } from "./support/temporary-project.js";

const browser = findBrowser();
const suiteOfConsole = suite("console try-out");
const test = browser === null ? suiteOfConsole.skip : suiteOfConsole;
if (browser === null) console.log("console try-out: skipped (no browser; see CHROMIUM)");

const PNG = [
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
  "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
].join("");

const project = new RunningProject(suiteOfConsole, {
  "tsconfig.json": NODE_TYPES,
  "svc.config.ts": "export default { graphs: { web: {} }, plugin: { timeoutMs: 0 } };\n",
  "src/guards.ts": `import { HttpError, type PluginRequest } from "svc-server";

/** Checks the key. */
export function auth(request: PluginRequest): void {
  if (request.header("Authorization") !== "Bearer k-1") throw new HttpError(401, "send a key");
}

export function tenant(request: PluginRequest): void {
  if (request.header("X-Tenant") === null) throw new HttpError(403, "no tenant");
}
`,
  "plugins/p.ts": `import {
  type bytes, type Graph, HttpError, HttpResponse, type int, type PluginRequest, type str,
  type UploadedFile,
} from "svc-server";
import { auth, tenant } from "../src/guards.js";

/** Finds items. @plugin @readonly */
export function find(
  _request: PluginRequest,
  /** Word of a title. @minLength 2 @maxLength 80 */
  q: str,
  /** Most hits. @minimum 1 @maximum 100 */
  n: int = 8,
) {
  return Array.from({ length: n }, (_, at) => ({ id: q + at, category: at % 2 ? "red" : "blue" }));
}

/** Stores a picture. @plugin @before auth, tenant */
export function store(request: PluginRequest, item: str, content: bytes) {
  return { item, size: content.length, tenant: request.header("X-Tenant") };
}

/** Takes files. @plugin */
export async function upload(
  _request: PluginRequest, title: str, first: UploadedFile, more?: UploadedFile,
) {
  const text = await first.text();
  return { title, name: first.name, type: first.type, text, more: more?.size ?? 0 };
}

/** Returns a picture. @plugin @readonly */
export function thumb(_request: PluginRequest): HttpResponse<"image/png"> {
  return new HttpResponse(Buffer.from("${PNG}", "base64"), { type: "image/png" });
}

/** Counts for ever. @plugin @readonly */
export async function* ticks(request: PluginRequest, most: int = 1_000_000) {
  for (let n = 0; n < most && !request.signal.aborted; n++) {
    yield { n };
    if (n > 5) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Ranks until one run is cancelled: all take turns, so that none ends soon. @plugin @graph web */
export async function rank(_request: PluginRequest, graph: Graph): Promise<void> {
  graph.batch(() => {
    for (let at = 0; at < 20_000; at++) graph.connect("v" + at, "to", "v" + (at * 7) % 20_000);
  });
  const ending = new AbortController();
  const { signal } = ending;
  const run = () => graph.pageRankAsync({ rounds: 10_000, hits: 1, signal });
  await Promise.all(Array.from({ length: 20 }, run)).finally(() => ending.abort());
}

/** @plugin @readonly */
export function missing(_request: PluginRequest): str {
  throw new HttpError(404, "no such thing");
}
`,
});

let page: ConsolePage;

suiteOfConsole.before(async () => {
  if (browser !== null) page = await ConsolePage.start(browser);
});
suiteOfConsole.after(() => page?.close());

const open = (path: string) => page.open(project.server.port + 1, path);

/** Chooses a file in a field. */
async function choose(field: string, file: string): Promise<void> {
  await page.tab.until(`document.getElementById("${field}") !== null`);
  const { root } = (await page.tab.send("DOM.getDocument")) as { root: { nodeId: number } };
  const query = { nodeId: root.nodeId, selector: `[id="${field}"]` };
  const { nodeId } = await page.tab.send("DOM.querySelector", query);
  await page.tab.send("DOM.setFileInputFiles", { nodeId, files: [file] });
}

const code = (): Promise<unknown> =>
  page.tab.value(`document.querySelector("[aria-label^='The call as']").innerText`);

test("shows limits and checks them before sending", async () => {
  await open("plugin?name=find");
  await page.has("2–80 characters");
  await page.has("1 to 100");
  await page.has("open to all");
  await page.type("#field-q", "lamp");
  await page.type("#field-n", "800");
  await page.has("at most 100 is required");
  assert.is(await page.tab.value(`document.querySelector("button.main").disabled`), true);
  await page.press("Send all the same");
  await page.has("400 Bad Request");
  await page.type("#field-n", "4");
  await page.press("Run");
  await page.has("200 OK");
  await page.has("lamp3");
  await page.has("by category:");
  await page.press("red 2");
  await page.hasNot("lamp2");
  const headers = `[...document.querySelectorAll("[aria-label=Response] [role=tab]")][2]`;
  await page.tab.value(`${headers}.click()`);
  await page.has("content-type");
});

test("calls a guarded plugin with a file, a key and a header field", async () => {
  const file = join(project.folder, "a b.png");
  writeFileSync(file, Buffer.from(PNG, "base64"));
  await open("plugin?name=store");
  await page.has("auth → tenant");
  await page.has("Read by auth (src/guards.ts)");
  await page.type("#field-item", "p42");
  await choose("field-content-file", file);
  await page.has("a b.png");
  await page.press("Run, may change data");
  await page.has("401 Unauthorized");
  await page.type("#credential-kind", "Bearer");
  await page.type("#credential-secret", "k-1");
  await page.press("Run, may change data");
  await page.has("403 Forbidden");
  await page.press("Headers 0");
  await page.press("X-Tenant");
  await page.type("#header-value-0", "acme");
  await page.press("Run, may change data");
  await page.has('"size": 70');
  await page.has('"tenant": "acme"');
  const text = String(await code());
  assert.match(text, `-H 'Authorization: Bearer '"$KEY"`);
  assert.match(text, `--data-binary '@a b.png'`);
  const places = "location.href, { ...localStorage }, { ...sessionStorage }, document.cookie";
  const entries = `new Promise((resolve) => {
    indexedDB.open("svc-console").onsuccess = ({ target: { result } }) => {
      result.transaction("entries").objectStore("entries").getAll().onsuccess =
        ({ target }) => resolve(JSON.stringify(target.result));
    };
  })`;
  const stored = await page.tab.value(`JSON.stringify([${places}])`);
  const earlier = String(await page.tab.value(entries));
  assert.match(earlier, "item=p42");
  for (const secret of ["k-1", "acme"]) {
    assert.not.match(`${stored}${earlier}${text}`, secret);
  }
  await page.press("Access 2");
  await page.has("reads X-Tenant");
  await page.has("send a key");
});

test("sends the files of a form", async () => {
  const file = join(project.folder, "note.txt");
  writeFileSync(file, "hello");
  await open("plugin?name=upload&v.title=t");
  await page.tab.until(`document.querySelector("button.main")?.disabled === true`);
  await choose("field-first-file", file);
  await page.press("Run, may change data");
  await page.has('"text": "hello"');
  await page.has('"type": "text/plain"');
  await page.press("Python");
  await page.has("multipart/form-data; boundary");
});

test("shows a picture as a picture", async () => {
  await open("plugin?name=thumb");
  await page.has("image/png");
  await page.press("Run");
  await page.has("image/png, 1 × 1, 70 B");
  await page.tab.until(`document.querySelector("img.picture").naturalWidth === 1`);
  assert.equal(await findViolations(page.tab), []);
});

test("shows a stream line by line, and stops it", async () => {
  await open("plugin?name=ticks");
  await page.press("Run");
  await page.has('{"n":30}');
  assert.equal(await findViolations(page.tab), []);
  await page.press("Stop", "[aria-label=Stream]");
  await page.has("stopped");
  await open("plugin?name=ticks&v.most=3");
  await page.press("Run");
  await page.has("complete");
  await page.has("3 lines");
});

test("restores an earlier call, and shows an error with its status", async () => {
  await open("plugin?name=missing");
  await page.press("Run");
  await page.has("404 Not Found");
  await page.has("no such thing");
  await open("plugin?name=find");
  await page.press("Earlier 2");
  await page.press("q=lamp n=4");
  await page.tab.until(`document.querySelector("#field-n")?.value === "4"`);
});

test("shows a running algorithm, and cancels it after a confirmation", async () => {
  await open("search?graph=web");
  await page.has("No algorithm runs.");
  const ranked = get(project.server.port, "/svc/plugin/rank");
  await page.has("pageRank");
  await page.tab.until(`/\\d+ %/.test(document.querySelector("main").innerText)`);
  assert.equal(await findViolations(page.tab), []);
  await page.press("Cancel", "main td");
  await page.press("Cancel", "dialog");
  await page.tab.until(`document.querySelector("dialog") === null`);
  await page.press("Cancel", "main td");
  await page.press("Cancel an algorithm", "dialog");
  assert.match((await ranked).text, /SearchError.*pageRank was cancelled by an operator/);
  await page.has("No algorithm runs.");
});

test("runs by the keyboard alone", async () => {
  await open("plugin?name=find&v.q=ab&v.n=2");
  await page.tab.until(`document.querySelector("#field-q") !== null`);
  await page.tab.value(`document.querySelector("#field-q").focus()`);
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, modifiers: 2 };
  await page.tab.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await page.tab.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  await page.has("200 OK");
  await page.tab.value(`document.querySelector("[role=tab][aria-selected=true]").focus()`);
  const right = { key: "ArrowRight", code: "ArrowRight", windowsVirtualKeyCode: 39 };
  await page.tab.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...right });
  await page.has("Header fields");
  assert.is(await page.tab.value("document.activeElement.innerText.startsWith('Headers')"), true);
});

suiteOfConsole.run();
