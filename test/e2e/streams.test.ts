// Streamed responses from a plugin to a socket: both formats, errors before and after the first
// item, a client that does not read or disconnects, and a stop.
// limit: 60 s
// takes 15 s

import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";

const PLUGINS = `import { HttpError } from "svc-server";
import type { Graph, int, PluginRequest, str } from "svc-server";

const state = { made: 0, ended: [] as string[] };

interface Piece { readonly n: int; readonly text: str }

/** Counts. @plugin @readonly */
export async function* count(
  _request: PluginRequest, to: int, fail: int = -1,
): AsyncGenerator<Piece> {
  for (let n = 0; n < to; n++) {
    if (n === fail) throw new HttpError(418, "no tea");
    yield { n, text: "é" };
  }
}

/** An endless stream. @plugin */
export async function* endless(_request: PluginRequest, name: str): AsyncGenerator<string> {
  try {
    for (state.made = 0; ; state.made++) yield "x".repeat(1000);
  } finally {
    state.ended.push(name);
  }
}

/** One of its parts cannot be written. @plugin */
export async function* cyclic(
  _request: PluginRequest, name: str, at: int,
): AsyncGenerator<object> {
  const ring: { self?: object } = {};
  ring.self = ring;
  try {
    for (let n = 0; ; n++) yield n === at ? ring : { n };
  } finally {
    state.ended.push(name);
  }
}

/** Cannot even be begun. @plugin */
export function closed(_request: PluginRequest): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => { throw new HttpError(410, "closed"); } };
}

/** Waits for ever. @plugin */
export async function* silent(request: PluginRequest, name: str): AsyncGenerator<string> {
  yield "first";
  await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
  state.ended.push(name);
}

/** @plugin @graph people */
export async function* people(_request: PluginRequest, graph: Graph): AsyncGenerator<string> {
  graph.createVertex("a");
  using vertex = graph.openVertex("a", "w", 1000)!;
  yield vertex.id;
  await Promise.resolve();
  yield String(graph.order);
}

/** @plugin */
export function told(_request: PluginRequest): { made: int; ended: string[] } {
  return state;
}
`;

const test = suite("streams");
const project = new RunningProject(test, { "plugins/p.ts": PLUGINS });

const fetchIt = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${project.server.port}/svc/plugin/${path}`, init);

async function untilEnded(name: string): Promise<void> {
  for (;;) {
    const { response } = (await get(project.server.port, "/svc/plugin/told")).json;
    if ((response as { ended: string[] }).ended.includes(name)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("sends lines of JSON", async () => {
  const response = await fetchIt("count?to=3");
  assert.is(response.status, 200);
  assert.is(response.headers.get("content-type"), "application/x-ndjson; charset=UTF-8");
  assert.is(response.headers.get("transfer-encoding"), "chunked");
  assert.is(await response.text(), '{"n":0,"text":"é"}\n{"n":1,"text":"é"}\n{"n":2,"text":"é"}\n');
  assert.is(await (await fetchIt("count?to=0")).text(), "");
});

test("sends server-sent events", async () => {
  const response = await fetchIt("count?to=2", { headers: { Accept: "text/event-stream" } });
  assert.is(response.headers.get("content-type"), "text/event-stream; charset=UTF-8");
  assert.is(response.headers.get("cache-control"), "no-cache");
  const text = await response.text();
  assert.is(text, 'data: {"n":0,"text":"é"}\n\ndata: {"n":1,"text":"é"}\n\n');
});

test("sends many items in order and reuses the connection", async () => {
  const lines = (await (await fetchIt("count?to=20000")).text()).trimEnd().split("\n");
  assert.is(lines.length, 20_000);
  assert.ok(lines.every((line, n) => (JSON.parse(line) as { n: number }).n === n));
});

test("responds with a plain error before the first item", async () => {
  const response = await fetchIt("count?to=3&fail=0");
  assert.is(response.status, 418);
  assert.match(await response.text(), "no tea");
  assert.is((await fetchIt("count?to=x")).status, 400);
  assert.is((await fetchIt("closed")).status, 410);
});

test("truncates the response after a later error", async () => {
  const response = await fetchIt("count?to=3&fail=2");
  assert.is(response.status, 200);
  const failure = await response.text().then(
    () => null,
    (error: Error) => error,
  );
  assert.instance(failure, Error);
  const events = await fetchIt("count?to=3&fail=2", { headers: { Accept: "text/event-stream" } });
  assert.match(await events.text(), 'event: error\ndata: "HttpError"\n\n');
});

test("ends the plugin when an item cannot be rendered", async () => {
  assert.is((await fetchIt("cyclic?name=early&at=0")).status, 500);
  await untilEnded("early");
  const response = await fetchIt("cyclic?name=later&at=2");
  assert.is(await response.text().then(String, () => "cut"), "cut");
  await untilEnded("later");
});

test("applies backpressure, and ends the plugin with its client", async () => {
  const socket = connect(project.server.port, "127.0.0.1");
  const request = "GET /svc/plugin/endless?name=unread HTTP/1.1\r\nHost: x\r\n\r\n";
  await new Promise((resolve) => socket.write(request, resolve));
  const made = async () =>
    ((await get(project.server.port, "/svc/plugin/told")).json.response as { made: number }).made;
  // It pauses once all buffers on the way are full.
  for (let before = -1, now = 0; before !== now || now === 0; ) {
    [before, now] = [now, await made()];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok((await made()) < 50_000, String(await made()));
  socket.destroy();
  await untilEnded("unread");
});

test("ends a waiting plugin when the client disconnects", async () => {
  const disconnect = new AbortController();
  const response = await fetchIt("silent?name=left", { signal: disconnect.signal });
  await response.body!.getReader().read();
  disconnect.abort();
  await untilEnded("left");
});

test("keeps vertex locks of the request until the end", async () => {
  for (let n = 0; n < 2; n++) assert.is(await (await fetchIt("people")).text(), '"a"\n"1"\n');
});

test("does not delay a stop", async () => {
  const response = await fetchIt("silent?name=stopped");
  const text = response.text().then(
    () => "whole",
    () => "cut",
  );
  const stopped = project.server.stop();
  assert.is(await text, "cut");
  assert.is(await stopped, 0);
});

test.run();
