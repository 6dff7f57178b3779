// A generated client in a real browser: bundled, in cross-origin pages and in pages of the server,
// and in workers. Skipped without a browser.
// limit: 60 s

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { findBrowser, openPage } from "./support/browser.js";
import { ClientProject } from "./support/client-project.js";
import { buildProject, type RunningServer, serve } from "./support/server.js";

const browser = findBrowser();
const test = suite("clients in browsers");
const inBrowser = browser === null ? test.skip : test;
if (browser === null) console.log("clients in browsers: skipped (no browser; see CHROMIUM)");

const EXAMPLE = join(packageRoot(), "examples", "hello");
const HTML = `<!doctype html><script src="bundle.js"></script>`;

/** Runs in a page, which starts the same in a worker. */
const PROGRAM = `
import { Client, SvcError } from "svc-client";

const options = new URLSearchParams(location.search);
const warnings = [];
const client = new Client({ baseUrl: options.get("base"), warn: (text) => warnings.push(text) });
const kindOf = (call) => call.then(() => "none", (error) =>
  error instanceof SvcError ? error.kind : String(error));

async function results() {
  const aborted = new AbortController();
  aborted.abort();
  const nobody = client.with({ baseUrl: "http://127.0.0.1:9", retries: 0 });
  return {
    greetings: await client.hello({ name: "Jürgen & co", times: 2 }),
    level: (await client.helloRaw()).level,
    digest: await client.sha256({ content: new Uint8Array([97, 98, 99]) }),
    found: (await client.search({ q: "o", n: 1 })).hitcount,
    up: (await client.services.time()).time.up !== "",
    health: await client.services.hc() !== "",
    parameter: await kindOf(client.power({ base: "x" })),
    aborted: await kindOf(client.hello({}, { signal: aborted.signal })),
    network: await kindOf(nobody.hello()),
    warnings,
  };
}

const isPage = typeof document === "object";
const fromWorker = () => new Promise((resolve) => {
  const worker = new Worker("bundle.js" + location.search);
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve(message);
});
const report = async () => ({ page: await results(), worker: await fromWorker() });
if (isPage) {
  report().catch(String).then((value) => fetch(options.get("report"), {
    method: "POST", mode: "no-cors", body: JSON.stringify(value) }));
} else {
  results().catch(String).then((value) => postMessage(value));
}
`;

const EXPECTED = {
  greetings: ["Hello, Jürgen & co!", "Hello, Jürgen & co!"],
  level: 0,
  digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  found: 1,
  ...{ up: true, health: true },
  ...{ parameter: "parameter", aborted: "aborted", network: "network", warnings: [] },
};

const project = new ClientProject();
const root = mkdtempSync(join(tmpdir(), "svc-browser-root-"));
let bundle = "";
let server: RunningServer;
/** Serves the page on an origin of its own and receives the report. */
let pages: Server;
let reported: (value: unknown) => void = () => {};

test.before(async () => {
  if (browser === null) return;
  await buildProject(EXAMPLE);
  await project.generate(EXAMPLE);
  project.write("page.js", PROGRAM);
  const entryPoints = [join(project.folder, "page.js")];
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    write: false,
    minify: true,
  });
  bundle = outputFiles[0]!.text;
  const files = join(root, "WEB-ROOT");
  mkdirSync(files);
  writeFileSync(join(files, "index.html"), HTML);
  writeFileSync(join(files, "bundle.js"), bundle);
  server = await serve(EXAMPLE, "--root", root, "--cors", "*");
  pages = createServer(async (request, response) => {
    if (request.method === "POST") reported(JSON.parse(await readBody(request)));
    const isCode = request.url?.startsWith("/bundle.js") === true;
    response.setHeader("content-type", isCode ? "text/javascript" : "text/html");
    response.end(isCode ? bundle : HTML);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
});

test.after(async () => {
  project.remove();
  rmSync(root, { recursive: true });
  if (browser === null) return;
  pages.closeAllConnections();
  await Promise.all([server.end(), new Promise((resolve) => pages.close(resolve))]);
});

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/** Report of the page. */
async function visit(origin: string, base: string): Promise<unknown> {
  const report = new Promise((resolve) => {
    reported = resolve;
  });
  const { port } = pages.address() as AddressInfo;
  const query = new URLSearchParams({ base, report: `http://127.0.0.1:${port}/` });
  const close = await openPage(browser!, `${origin}/index.html?${query}`);
  try {
    return await report;
  } finally {
    await close();
  }
}

inBrowser("call what `http.cors` allows from another origin, also in a worker", async () => {
  const { port } = pages.address() as AddressInfo;
  const value = await visit(`http://127.0.0.1:${port}`, `http://127.0.0.1:${server.port}`);
  assert.equal(value, { page: EXPECTED, worker: EXPECTED });
});

inBrowser("need no address in a page of the server itself", async () => {
  const value = await visit(`http://127.0.0.1:${server.port}`, "");
  assert.equal(value, { page: EXPECTED, worker: EXPECTED });
});

test.run();
