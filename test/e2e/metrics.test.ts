// `/metrics` of an engine and of a dispatcher as Prometheus reads it: on the admin port only, with
// valid lines. `promtool` validates them if it is installed.
// limit: 60 s
// takes 10 s

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { assertFiring } from "./support/firing-alerts.js";
import { matrix } from "./support/matrix.js";
import { buildProject, fixture, get, type RunningServer, serve } from "./support/server.js";

const HELP = /^# HELP [a-z_]+ [^\n]+$/;
const TYPE = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/;
const SAMPLE = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

const test = suite("metrics");
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("engine"));
  server = await serve(fixture("engine"));
});

test.after(async () => {
  await server.end();
});

/** The samples of a scrape by name and labels; rejects invalid lines. */
async function scrape(adminPort: number): Promise<Map<string, number>> {
  const { status, text, headers } = await get(adminPort, "/metrics");
  assert.is(status, 200);
  assert.match(String(headers.get("content-type")), /^text\/plain; version=0\.0\.4/);
  assert.ok(text.endsWith("\n"));
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.slice(0, -1).split("\n")) {
    if (HELP.test(line)) continue;
    const [, family, type] = TYPE.exec(line) ?? [];
    if (family !== undefined) {
      assert.not(types.has(family), line);
      types.set(family, type!);
      continue;
    }
    const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
    assert.ok(name !== undefined, line);
    const base = name!.replace(/_(bucket|sum|count)$/, "");
    assert.ok(types.has(name!) || types.get(base) === "histogram", line);
    assert.not(samples.has(name! + labels), line);
    samples.set(name! + labels, Number(value));
  }
  promtool(text);
  return samples;
}

const metrics = async (adminPort: number) => (await get(adminPort, "/metrics")).text;

function promtool(text: string): void {
  if (spawnSync("promtool", ["--version"]).error !== undefined) return;
  execFileSync("promtool", ["check", "metrics"], { input: text });
}

test("counts requests, errors and latencies by plugin", async () => {
  const before = await scrape(server.port + 1);
  await get(server.port, "/svc/plugin/add?a=1&b=2");
  await get(server.port, "/svc/plugin/add?a=x");
  await get(server.port, "/svc/plugin/nobody");
  await get(server.port, "/svc/builtin/echo");
  const after = await scrape(server.port + 1);
  const grown = (name: string): number => after.get(name)! - (before.get(name) ?? 0);
  assert.is(grown("svc_requests_total"), 4);
  assert.is(grown('svc_errors_total{code="400"}'), 1);
  assert.is(grown('svc_errors_total{code="404"}'), 1);
  assert.is(grown('svc_plugin_latency_seconds_count{plugin="add"}'), 2);
  assert.is(grown('svc_plugin_latency_seconds_bucket{plugin="add",le="+Inf"}'), 2);
  assert.is(grown('svc_plugin_errors_total{plugin="add",code="400"}'), 1);
  assert.is(grown('svc_plugin_errors_total{plugin="(other)",code="404"}'), 1);
  assert.is(grown('svc_plugin_latency_seconds_count{plugin="builtin/echo"}'), 1);
  assert.is(after.get("svc_serving"), 1);
  assert.ok(after.get("process_resident_memory_bytes")! > 1e7);
});

test("contains no plugins that were only called on the admin port", async () => {
  assert.is((await get(server.port + 1, "/svc/builtin/system_rates")).status, 200);
  const names = [...(await scrape(server.port + 1)).keys()];
  assert.equal(
    names.filter((name) => name.includes("system_rates")),
    [],
  );
});

test("counts no calls of services on the admin port", async () => {
  const counts = async () => {
    const samples = [...(await scrape(server.port + 1))];
    // Threads collect garbage meanwhile.
    return samples.filter(
      ([name]) => /^\w+(_total|_count|_bucket)/.test(name) && !/_gc_|cpu/.test(name),
    );
  };
  const before = await counts();
  assert.ok(before.some(([name]) => name.startsWith("svc_requests_total")));
  const paths = [
    "log",
    "build",
    "inspect",
    "inspect?level=3&main=1",
    "requests",
    "windows",
    "events",
    "status",
  ];
  for (const path of [...paths, "builtin/system_overview?form=short"]) {
    assert.is((await get(server.port + 1, `/svc/${path}`)).status, 200, path);
  }
  assert.equal(await counts(), before);
});

test("counts no health checks, even while out of service", async () => {
  const admin = server.port + 1;
  const headers = { "x-svc-change": "1" };
  const operate = async (path: string): Promise<Record<string, string>> => {
    const { json } = await get(admin, `/svc/builtin/${path}`, { method: "POST", headers });
    return json.response as Record<string, string>;
  };
  const change = async (name: string): Promise<void> => {
    const { authtoken } = await operate("ADMIN_GetAuthToken");
    await operate(`${name}?authtoken=${authtoken}`);
  };
  const errors = async () => (await scrape(admin)).get('svc_errors_total{code="503"}') ?? 0;
  const before = await errors();
  await change("ADMIN_ServiceOut");
  assert.is((await get(server.port, "/svc/hc")).status, 503);
  assert.is(await errors(), before);
  const quiet = await metrics(admin);
  assertFiring(quiet, quiet, ["SvcOutOfService"]);
  assert.is((await get(server.port, "/svc/plugin/none")).status, 503);
  assert.is(await errors(), before + 1);
  assertFiring(quiet, await metrics(admin), ["SvcErrors", "SvcOutOfService"]);
  await change("ADMIN_ServiceIn");
  const healthy = await metrics(admin);
  assertFiring(healthy, healthy, []);
});

test("reports threads, descriptors and memory of the transport", async () => {
  const samples = await scrape(server.port + 1);
  for (const thread of ["main", "io", "executor-1"]) {
    assert.ok(samples.get(`svc_thread_heap_bytes{thread="${thread}"}`)! > 1e6, thread);
    assert.ok(samples.has(`svc_thread_event_loop_lag_seconds{thread="${thread}"}`), thread);
  }
  assert.ok(samples.get("process_open_fds")! < samples.get("process_max_fds")!);
  const limit = samples.get('svc_transport_memory_limit_bytes{kind="request"}')!;
  assert.is(limit, 256 * 2 ** 20);
  assert.is(samples.get('svc_transport_memory_bytes{kind="request"}'), 0);
});

test("reports bodies that take most of the memory for them", async () => {
  // One client may take half of it. Memory for a body is doubled as its bytes arrive, up to all.
  const bytes = 52 * 2 ** 20;
  const arrived = Buffer.alloc(33 * 2 ** 20);
  const sockets = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"].map((localAddress) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    socket.write(`POST /svc/plugin/raw HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(arrived);
    return socket;
  });
  let text = "";
  const held = /^svc_transport_memory_bytes\{kind="request"\} (\d+)$/m;
  const busy = /^svc_io_busy_ratio (.+)$/m;
  while (Number(held.exec(text)?.[1] ?? 0) < 4 * bytes || Number(busy.exec(text)![1]) > 0.5) {
    await delay(50);
    text = await metrics(server.port + 1);
  }
  for (const socket of sockets) socket.destroy();
  assertFiring(text, text, ["SvcTransportMemory"]);
});

test("reports descriptors close to their limit", async () => {
  const { pid } = server.process;
  const limit = (soft: number | string) =>
    spawnSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`]).status === 0;
  const samples = await scrape(server.port + 1);
  // On other systems than Linux, there is no such metric.
  if (!limit(Math.ceil(samples.get("process_open_fds")! / 0.9))) return;
  const text = await metrics(server.port + 1);
  limit(samples.get("process_max_fds")!);
  assertFiring(text, text, ["SvcFileDescriptors"]);
});

test("counts rejections by reason", async () => {
  const samples = await scrape(server.port + 1);
  const name = 'svc_rejections_total{reason="malformed"}';
  const socket = connect(server.port, "127.0.0.1").end("nonsense\r\n\r\n");
  for await (const _ of socket);
  const after = await scrape(server.port + 1);
  assert.is(after.get(name)! - (samples.get(name) ?? 0), 1);
});

test("reports requests that wait for executors", async () => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const sent = Array.from({ length: 40 }, () =>
    fetch(`http://127.0.0.1:${server.port}/svc/plugin/later?ms=60000`, { signal }).catch(
      () => null,
    ),
  );
  let text = "";
  while (!/^svc_queue_waiting\{port="main"\} [1-9]/m.test(text)) {
    await delay(20);
    text = await metrics(server.port + 1);
  }
  assertFiring(text, text, ["SvcQueueing"]);
  leaving.abort();
  await Promise.all(sent);
});

test("has the metrics of each process that alerts name", async () => {
  const names = [...(await scrape(server.port + 1)).keys()].map((name) => name.split("{")[0]!);
  const rules = readFileSync(join(packageRoot(), "ops/prometheus/rules.yml"), "utf8");
  const used = new Set(rules.match(/\b(?:svc|process)_[a-z_]+/g));
  // Metrics of dispatchers, graphs and replicas, and metrics that appear with the first event.
  const others = /^svc_(backend|dispatch|graph|subscriber|dump|backup|job|certificate|rejections)/;
  const flushes = /^svc_(errors_total|transaction_log_flush)/;
  const expected = [...used].filter((name) => !others.test(name) && !flushes.test(name));
  assert.ok(expected.length > 15);
  for (const name of expected) assert.ok(names.includes(name), name);
});

test("is not found on the main port", async () => {
  assert.is((await get(server.port, "/metrics")).status, 404);
});

test("reports requests and failures of each back-end", async () => {
  const nodes = await matrix(2, 2, { replicas: [{ channels: 1 }, { channels: 1 }] });
  try {
    const admin = nodes.dispatcher.port + 1;
    for (let n = 0; n < 20; n++) await get(nodes.dispatcher.port, "/svc/plugin/find?n=1");
    const samples = await scrape(admin);
    const of = (name: string, more = ""): number[] =>
      [...samples]
        .filter(([key]) => key.startsWith(`${name}{`) && key.includes(more))
        .map(([, value]) => value);
    assert.equal(of("svc_backend_state", 'state="up"'), [1, 1, 1, 1]);
    assert.equal(of("svc_backend_state", 'state="down"'), [0, 0, 0, 0]);
    assert.equal(of("svc_backend_in_flight"), [0, 0, 0, 0]);
    assert.is(
      of("svc_backend_latency_seconds_count").reduce((sum, count) => sum + count),
      40,
    );
    assert.is(samples.get('svc_plugin_latency_seconds_count{plugin="find"}'), 20);
    const { json } = await get(admin, "/svc/matrix");
    const { 0: { 0: first } = [] } = json.response as {
      state: string;
      running: number;
      answered: number;
    }[][];
    assert.is(first!.state, "up");
    assert.is(first!.running, 0);
    assert.ok(first!.answered > 0);
    const leaving = new AbortController();
    const sent = [1, 2, 3].map(() =>
      fetch(`http://127.0.0.1:${nodes.dispatcher.port}/svc/plugin/wait?ms=60000`, {
        signal: leaving.signal,
      }).catch(() => null),
    );
    let text = "";
    while (!/^svc_dispatch_waiting [1-9]/m.test(text)) {
      await delay(20);
      text = await metrics(admin);
    }
    assertFiring(text, text, ["SvcDispatchQueueing"]);
    leaving.abort();
    await Promise.all(sent);
  } finally {
    await nodes.stop();
  }
});

test("reports a back-end that is down", async () => {
  const nodes = await matrix(2, 1);
  try {
    const { dispatcher } = nodes;
    const { port } = nodes.place(0, 0).engine;
    await nodes.place(0, 0).kill();
    const response = await metrics(port + 1).catch(() => null);
    assertFiring("", response, ["SvcInstanceDown"]);
    for (let n = 0; n < 8; n++) await get(dispatcher.port, "/svc/plugin/find?n=1");
    const samples = await scrape(dispatcher.port + 1);
    const failed = [...samples].filter(
      ([key, value]) => key.startsWith("svc_backend_failures_total{") && value > 0,
    );
    assert.equal(
      failed.map(([key]) => /replica="(\d)".*reason="(\w+)"/.exec(key)!.slice(1)),
      [["0", "connection"]],
    );
    const retries = [...samples].filter(([key]) => key.startsWith("svc_backend_retries_total{"));
    assert.ok(retries[1]![1] > 0, String(retries));
    const { json } = await get(dispatcher.port, "/svc/matrix");
    const [replicas] = json.response as { state: string }[][];
    assert.equal(
      replicas!.map(({ state }) => state),
      ["down", "up"],
    );
    const degraded = await metrics(dispatcher.port + 1);
    assertFiring(degraded, degraded, ["SvcBackEndDown"]);
    await nodes.place(0, 1).kill();
    const sent = get(dispatcher.port, "/svc/plugin/find?n=1").catch(() => null);
    const isDown = async () =>
      /svc_backend_state\{[^\n]*replica="1"[^\n]*state="down"[^\n]* 1\n/.test(
        await metrics(dispatcher.port + 1),
      );
    while (!(await isDown())) {
      await get(dispatcher.port, "/svc/plugin/find?n=1").catch(() => null);
      await delay(20);
    }
    await sent;
    const dead = await metrics(dispatcher.port + 1);
    assertFiring(dead, dead, ["SvcBackEndDown", "SvcPartitionDown"]);
  } finally {
    await nodes.stop();
  }
});

test.run();
