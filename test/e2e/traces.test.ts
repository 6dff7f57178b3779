// Traces of a whole matrix, as a collector receives them; and propagation of trace context, also
// for unsampled requests.
// limit: 60 s
// takes 10 s

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { plugin, PluginRequest, PluginResponse, S_VAL } from "svc-server";
import type { int, str } from "svc-server";

export const top = plugin.pre({ name: "top" }, (request: PluginRequest, n: int) =>
  new PluginRequest("part", { n }));

/** @plugin @readonly */
export function part(request: PluginRequest, n: int = 1): PluginResponse<int, str> {
  const response = new PluginResponse<int, str>(n, S_VAL);
  response.append(1, request.header("traceparent") + " " + request.header("tracestate"));
  return response;
}
`;

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceId: string;
  readonly kind: number;
}

const test = suite("traces");
const root = mkdtempSync(join(tmpdir(), "svc-traces-"));
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
const running: RunningServer[] = [];
const spans: Span[] = [];
let collector: Server;
let url: string;

test.before(async () => {
  collector = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString());
    for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans[0].spans);
    response.end("{}");
  });
  await once(collector.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  await buildProject(project.folder);
});

test.after.each(async () => {
  await Promise.all(running.splice(0).map((server) => server.end()));
});

test.after(() => {
  collector.close();
  project.remove();
  rmSync(root, { recursive: true });
});

/** Starts a dispatcher over two engines; `args` are the options of all three. */
async function startMatrix(
  args: string[] = [],
  dispatcherArgs: string[] = [],
): Promise<RunningServer> {
  const serverArgs = () => ["--root", mkdtempSync(join(root, "data-")), ...args];
  const engine = () => serve(project.folder, "--role", "engine", ...serverArgs());
  const engines = await Promise.all([engine(), engine()]);
  running.push(...engines);
  const partitions = engines.map(({ port }) => [{ host: "127.0.0.1", port }]);
  const file = join(root, "matrix.json");
  writeFileSync(file, JSON.stringify({ partitions, replicas: [{ channels: 4, priority: 1 }] }));
  const roles = ["--role", "dispatcher", "--dispatcher", file, ...dispatcherArgs];
  const dispatcher = await serve(project.folder, ...roles, ...serverArgs());
  running.push(dispatcher);
  return dispatcher;
}

const headers = { traceparent: PARENT, tracestate: "shop=7" };

function readTraceContexts({
  json,
}: {
  readonly json: { response: { entries: [number, string][] } };
}) {
  return json.response.entries.map(([, text]) => text);
}

test("trace context reaches all levels without sampling, also from plugins", async () => {
  const { port } = await startMatrix();
  const expected = [`${PARENT} shop=7`, `${PARENT} shop=7`];
  for (const path of ["part?n=2", "top?n=2"]) {
    const response = await get(port, `/svc/plugin/${path}`, { headers });
    assert.equal(readTraceContexts(response as never), expected, path);
    const untracedResponse = await get(port, `/svc/plugin/${path}`);
    assert.equal(readTraceContexts(untracedResponse as never), ["null null", "null null"], path);
  }
});

test("a collector receives each span of a request at each level, as one tree", async () => {
  const { port } = await startMatrix(["--collector", url, "--trace-sample-every", "0"]);
  await get(port, "/svc/plugin/top?n=2");
  const response = await get(port, "/svc/plugin/top?n=2", { headers });
  // An instance that stops exports its remaining spans.
  await Promise.all(running.splice(0).map((server) => server.stop()));
  assert.ok(spans.every(({ traceId }) => traceId === TRACE));
  const spansNamed = (name: string) => spans.filter((span) => span.name === name);
  const [rootSpan] = spansNamed("GET /svc/plugin/top");
  assert.is(rootSpan!.parentSpanId, "00f067aa0ba902b7");
  assert.is(rootSpan!.kind, 2);
  for (const name of ["run top", "dispatch partition 0", "dispatch partition 1", "merge"]) {
    assert.equal(
      spansNamed(name).map(({ parentSpanId }) => parentSpanId),
      [rootSpan!.spanId],
      name,
    );
  }
  const engines = spansNamed("GET /svc/plugin/part");
  assert.equal(
    engines.map(({ parentSpanId }) => parentSpanId),
    [rootSpan!.spanId, rootSpan!.spanId],
  );
  const ids = engines.map(({ spanId }) => spanId);
  const runs = spansNamed("run part").map(({ parentSpanId }) => parentSpanId);
  assert.ok(ids.every((id) => runs.includes(id)));
  // A plugin can read its span to propagate it.
  const messages = readTraceContexts(response as never).sort();
  assert.equal(messages, ids.map((id) => `00-${TRACE}-${id}-01 shop=7`).sort());
});

test("untrusted clients cannot force sampling at any level", async () => {
  const { port } = await startMatrix(
    ["--collector", url, "--trace-sample-every", "0"],
    ["--dispatcher-networks", "none"],
  );
  spans.length = 0;
  const response = await get(port, "/svc/plugin/part?n=2", { headers });
  await Promise.all(running.splice(0).map((server) => server.stop()));
  const passed = PARENT.replace(/01$/, "00");
  assert.equal(readTraceContexts(response as never), [`${passed} shop=7`, `${passed} shop=7`]);
  assert.equal(spans, []);
});

test("an unreachable collector is logged once and delays no request", async () => {
  const server = await serve(
    project.folder,
    ...["--collector", "http://127.0.0.1:1", "--root", mkdtempSync(join(root, "data-"))],
  );
  running.push(server);
  const { status } = await get(server.port, "/svc/plugin/part", { headers });
  assert.is(status, 200);
  while (!server.log().includes("SVC2900")) await new Promise((done) => setTimeout(done, 20));
  for (let n = 0; n < 20; n++) await get(server.port, "/svc/plugin/part");
  await running.pop()!.stop();
  assert.is(server.log().split("SVC2900").length, 2);
});

test.run();
