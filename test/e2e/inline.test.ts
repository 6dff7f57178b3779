// Inline plugins: they respond as in an executor; slow and asynchronous ones, and large bodies,
// move to executors.
// limit: 60 s
// takes 20 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertFiring } from "./support/firing-alerts.js";
import { RunningProject } from "./support/running-project.js";
import { get, serve } from "./support/server.js";

const PLUGIN = (name: string, tag: string): string => `
/** @plugin ${name}
 * ${tag}
 */
export function ${name}(request: PluginRequest, content: str, how: str = "", n: int = 1) {
  if (how === "throw") throw new HttpError(404, "none", { n });
  if (how === "range") throw new RangeError("too far");
  if (how === "exit") process.exit(3);
  if (how === "really") process.reallyExit(3);
  const type = "image/png";
  if (how === "bytes") return new HttpResponse(new Uint8Array([0xff, n]), { type });
  const { method, signal } = request;
  return { how, n, length: content.length, method, signal: signal.aborted };
}
`;
const PLUGINS = `import { Graph, HttpError, HttpResponse } from "svc-server";
import type { int, PluginRequest, str } from "svc-server";

// Types of Node are not installed in this folder.
const { performance, process, setTimeout } = globalThis as any;
const { threadId } = process.getBuiltinModule("node:worker_threads");

${PLUGIN("inside", "@inline")}${PLUGIN("outside", "@readonly")}
/** @plugin */
export const other = (request: PluginRequest): int => threadId;

/** @plugin
 * @inline
 */
export function where(request: PluginRequest, content: str, busyMs: int = 0): int {
  const end = performance.now() + busyMs;
  for (let turns = 0; performance.now() < end; turns++);
  return threadId;
}

/** @plugin
 * @inline
 */
export function opens(request: PluginRequest): int {
  return new Graph("things").order;
}

/** @plugin
 * @inline
 */
export function later(request: PluginRequest): unknown {
  return new Promise((answer) => setTimeout(answer, 1, threadId));
}

/** @plugin
 * @inline
 */
export function stray(request: PluginRequest, content: str, how: str = ""): int {
  const what: unknown = how === "null" ? null : new Error("stray " + how);
  if (how === "deaf") process.removeAllListeners();
  if (how === "rejection") void Promise.reject(what);
  else setTimeout(() => { throw what; }, 1);
  return threadId;
}

/** @plugin
 * @inline
 */
export function endless(request: PluginRequest): int {
  for (;;) if (performance.now() < 0) return 1;
}

const kept: unknown[] = [];

/** @plugin
 * @inline
 */
export function burner(request: PluginRequest): int {
  (globalThis as any).setInterval(() => {
    const end = performance.now() + 50;
    for (let turn = 0; performance.now() < end; turn++) kept[turn % 500_000] = { turn };
  }, 2);
  return threadId;
}

/** @plugin
 * @inline
 */
export function echo(request: PluginRequest, content: str, how: str = ""): int {
  const endless = () => { for (;;) if (performance.now() < 0) return; };
  const again = (): unknown => Promise.resolve().then(again);
  setTimeout(how === "timer" ? endless : again, 1);
  return threadId;
}
`;

const test = suite("inline plugins");
const project = new RunningProject(test, { "plugins/p.ts": PLUGINS });

const request = async (path: string, options: object = {}) =>
  await get(project.server.port, `/svc/plugin/${path}`, options);
const fetchThread = async (path: string, options: object = {}): Promise<number> =>
  (await request(path, options)).json.response as number;

test("respond as in an executor", async () => {
  const paths = ["", "?n=7", "?n=x", "?what=1", "?how=throw&n=2", "?how=range", "?how=bytes&n=9"];
  const posts = ["", "abc", "\u00e9".repeat(1000)];
  const requests = [
    ...paths.map((path) => [path, {}] as const),
    ...posts.map((body) => ["", { method: "POST", body }] as const),
    ["", { headers: { Accept: "text/plain" } }] as const,
  ];
  const shape = ({ status, headers, text }: Awaited<ReturnType<typeof request>>) => {
    const timeless = text
      .replace(/"exec_(ms|id)": ?[\d.]+/g, "")
      .replaceAll(/inside|outside/g, "p");
    const type = headers.get("content-type");
    return { status, type, text: timeless.replace(/p\.ts:\d+/g, "p.ts") };
  };
  for (const [path, options] of requests) {
    const [inside, outside] = [
      await request(`inside${path}`, options),
      await request(`outside${path}`, options),
    ];
    assert.equal(shape(inside), shape(outside), path);
  }
});

test("run in another thread than other plugins, and cannot end it", async () => {
  assert.is.not(await fetchThread("where"), await fetchThread("other"));
  for (const label of ["exit", "really"]) {
    const { status, json } = await request(`inside?how=${label}`);
    assert.is(status, 500);
    assert.match(JSON.stringify(json.message), "process.exit() is disabled for @inline plugins");
  }
  assert.is((await request("inside")).status, 200);
});

test("cannot change graphs, so that a leader need not wait for them", async () => {
  const { status, json } = await request("opens", { method: "POST", body: "" });
  assert.is(status, 500);
  assert.match(JSON.stringify(json.message), "AccessError");
});

test("log stray exceptions without harm", async () => {
  const expectedLogs = [
    ["timer", /uncaught exception outside a request: Error: stray timer\n.*plugins\/p\.ts:/],
    [
      "rejection",
      /uncaught exception outside a request: Error: stray rejection\n.*plugins\/p\.ts:/,
    ],
    // An executor without its own listeners dies and is replaced.
    ["deaf", /stray deaf/],
    ["null", /(internal error|uncaught exception outside a request): .*null/],
  ] as const;
  for (const [label, line] of expectedLogs) {
    // On a loaded machine it may run in an executor, which logs a different line for null.
    assert.is((await request(`stray?how=${label}`)).status, 200);
    while (!line.test(project.server.log())) await delay(10);
  }
  const { text } = await get(project.server.port + 1, "/metrics");
  assert.match(text, /^svc_stray_exceptions_total [2-4]$/m);
  assert.is((await request("inside")).status, 200);
});

test("move to executors for large bodies", async () => {
  const body = "x".repeat(70_000);
  assert.is(await fetchThread("where", { method: "POST", body }), await fetchThread("other"));
  assert.is.not(
    await fetchThread("where", { method: "POST", body: "x" }),
    await fetchThread("other"),
  );
});

test("move to executors with a log line when slow or asynchronous", async () => {
  const executor = await fetchThread("other");
  assert.is.not(await fetchThread("where?busyMs=300"), executor);
  assert.is(await fetchThread("where"), executor);
  assert.is.not(await fetchThread("later"), executor);
  assert.is(await fetchThread("later"), executor);
  const { text } = await get(project.server.port + 1, "/metrics");
  assert.match(text, /^svc_inline_left_total 2$/m);
  const pattern = /plugin where moved to executors: took \d+\.\d ms, too slow for @inline/;
  while (!pattern.test(project.server.log())) await delay(10);
});

test("run in executors with --no-inline", async () => {
  const withoutInline = await serve(project.folder, "--no-inline");
  const thread = async (name: string) =>
    (await get(withoutInline.port, `/svc/plugin/${name}`)).json.response;
  assert.is(await thread("where"), await thread("other"));
  await withoutInline.end();
});

test("are named in the log when they keep the IO thread busy", async () => {
  const busyServer = await serve(project.folder);
  const cause = "by load, or by background work of @inline plugins";
  const pattern = new RegExp(`was \\d+ % busy for \\d+ s: ${cause}: burner, echo, .*\n`);
  const readBusy = async (): Promise<number> => {
    const { json } = await get(busyServer.port + 1, "/svc/status");
    return (json.response as { io: { "busy-percent": number } }).io["busy-percent"];
  };
  const [before, sinceMs] = [(await get(busyServer.port + 1, "/metrics")).text, performance.now()];
  await get(busyServer.port, "/svc/plugin/burner");
  while (!pattern.test(busyServer.log())) await delay(10);
  assert.ok((await readBusy()) > 50);
  let text = "";
  const ratio = (): number => Number(/^svc_io_busy_ratio ([\d.]+)$/m.exec(text)?.[1] ?? 0);
  // On a loaded machine, it waits for its turns in some seconds.
  for (; ratio() <= 0.8; await delay(100)) text = (await get(busyServer.port + 1, "/metrics")).text;
  assert.ok(ratio() <= 1, `${ratio()}`);
  const apartS = (performance.now() - sinceMs) / 1000;
  // How much of the time is collected depends on the machine.
  const times = { svc_thread_gc_seconds_total: 10 };
  assertFiring(before, text, ["SvcGarbageCollection", "SvcIoBusy"], { apartS, times });
  await busyServer.end();
});

const ENDLESS = [
  ["endless", /@inline plugin endless does not return: shutting down/],
  ["echo?how=timer", /code left on the IO thread .*, echo was the last that ran: shutting down/],
  ["echo?how=promise", /code left on the IO thread .*, echo was the last that ran: shutting down/],
] as const;

test("end the server with their name in the log when they never return", async () => {
  const ends = ENDLESS.map(async ([path, pattern]) => {
    const hangingServer = await serve(project.folder);
    const response = get(hangingServer.port, `/svc/plugin/${path}`).catch(() => null);
    const code = await new Promise((resolve) => hangingServer.process.once("close", resolve));
    assert.is(code, 1, path);
    assert.match(hangingServer.log(), pattern);
    await response;
  });
  await Promise.all(ends);
});

test.run();
