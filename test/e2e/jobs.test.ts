// Scheduled functions of served projects: runs, results, deadlines, kills, restarts, operators.
// limit: 90 s
// takes 22 s

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { operate } from "../../cli/admin/remote.js";
import { loader } from "../../cli/serving/built-project.js";
import type { JobStatus } from "../../runtime/builtin/job-status.js";
import { assertFiring } from "./support/firing-alerts.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { UpSystem } from "./support/system.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { Graph, int, Job, PluginRequest } from "svc-server";
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const note = (text: string) => appendFileSync(process.env.NOTES!, text + "\\n");

/** Counts. @every 1s @graph shop */
export function tick(job: Job, graph: Graph): int {
  const vertex = graph.newVertex("ticks");
  const n = Number(vertex.getProperty("n", 0)) + 1;
  vertex.setProperty("n", n);
  vertex.close();
  note("tick " + job.scheduledAt.toISOString());
  return n;
}

/** Fails. @cron 0 3 1 1 * */
export async function fails(job: Job): Promise<void> {
  job.log.info("about to fail");
  throw new TypeError("no stock");
}

/** Overlaps with itself. @every 1s */
export async function slow(): Promise<void> {
  note("slow begins");
  await delay(2500);
  note("slow ends");
}

/** Ignores nothing. @cron 0 3 1 1 * @timeout 300ms */
export async function patient(job: Job): Promise<string> {
  await new Promise((resolve) => job.signal.addEventListener("abort", resolve));
  return job.signal.reason.name;
}

/** Burns. @cron 0 3 1 1 * @timeout 100ms */
export function endless(): void {
  note("endless begins");
  for (;;) {}
}

/** Never settles. @cron 0 3 1 1 * @timeout 100ms */
export function stuck(): Promise<void> {
  return new Promise(() => {});
}

/** Long enough to be killed. @cron 0 3 1 1 * */
export async function long(): Promise<void> {
  note("long begins");
  await delay(60_000);
}

/** Owed. @cron 0 3 * * * @catchup */
export function nightly(job: Job): void {
  note("nightly " + job.scheduledAt.toISOString());
}

class Carts {
  readonly #limit: int;
  constructor(limit: int) { this.#limit = limit; }
  /** Of an instance. @cron 0 3 1 1 * @graph shop */
  clear(_job: Job, graph: Graph): string { return this.#limit + graph.name; }
}
export const carts = new Carts(3);

/** @plugin @public @inline @readonly */
export function one(_request: PluginRequest): int { return 1; }
`;

const withoutJobs = (n: number) => `import type { int, PluginRequest } from "svc-server";
/** @plugin @public @readonly */
export function one(_request: PluginRequest): int { return ${n}; }
`;

const test = suite("jobs");
let project: TemporaryProject;
let notes: string;
let server: RunningServer;

test.before(async () => {
  project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "tsconfig.json": NODE_TYPES,
    "svc.config.ts": "export default { graphs: { shop: {} } };\n",
  });
  notes = join(project.folder, "notes.txt");
  process.env.NOTES = notes;
  await buildProject(project.folder);
  server = await serve(project.folder);
});

test.after(async () => {
  delete process.env.NOTES;
  await server.end();
  project.remove();
});

const readNotes = (start: string) =>
  (existsSync(notes) ? readFileSync(notes, "utf8") : "")
    .split("\n")
    .filter((line) => line.startsWith(start));

async function jobs(port = server.port): Promise<Map<string, JobStatus>> {
  const { json } = await get(port, "/svc/builtin/jobs");
  return new Map((json.response as JobStatus[]).map((job) => [job.name, job]));
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(50);
}

async function runNow(name: string): Promise<unknown> {
  const address = { host: "127.0.0.1", port: server.port + 1, key: null, tls: null };
  return operate(address as never, "RunJob", { name });
}

/** Runs a job and returns its outcome. */
async function outcome(name: string): Promise<string> {
  // Of the runs themselves only the last 20 are kept.
  const count = async (): Promise<number> => {
    const { counts } = (await jobs()).get(name)!;
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  const before = await count();
  await runNow(name);
  await until(async () => (await count()) > before);
  const [last] = (await jobs()).get(name)!.runs;
  return `${last!.outcome}: ${last!.text}`;
}

test("run at their interval with their graph", async () => {
  await until(() => readNotes("tick").length >= 2);
  const { runs, counts, next, schedule } = (await jobs()).get("tick")!;
  assert.is(schedule, "every 1 s");
  assert.is(runs[0]!.outcome, "ok");
  assert.is(runs[0]!.text, String(counts.ok));
  assert.ok(counts.ok >= 2);
  assert.ok(next! > 0);
});

test("never run twice at once", async () => {
  await until(() => readNotes("slow ends").length >= 2);
  const lines = readNotes("slow");
  for (const [index, line] of lines.entries()) {
    assert.is(line, index % 2 === 0 ? "slow begins" : "slow ends");
  }
});

test("are no endpoints, and no part of the contract", async () => {
  for (const path of ["/svc/plugin/tick", "/svc/job/tick", "/svc/builtin/tick"]) {
    assert.is((await get(server.port, path)).status, 404, path);
  }
  const { json } = await get(server.port, "/svc/plugins");
  assert.equal(
    (json.response as { path: string }[]).map(({ path }) => path),
    ["/svc/plugin/one"],
  );
  const argspec = readFileSync(join(project.folder, ".svc/argspec.json"), "utf8");
  assert.not.match(argspec, "tick");
});

test("report what they throw to operators and the log", async () => {
  assert.is(await outcome("fails"), "failed: TypeError: no stock");
  // Its lines come through a pipe, perhaps after the outcome.
  await until(() => /about to fail/.test(server.log()));
  await until(() => /job fails failed: TypeError: no stock/.test(server.log()));
  const { text } = await get(server.port + 1, "/metrics");
  assert.match(text, 'svc_job_runs_total{name="fails",outcome="failed"} 1');
  assert.match(text, /svc_job_running\{name="slow"\} [01]/);
  assertFiring("", text, ["SvcJobFailed"]);
});

test("can be methods that use the arguments of their constructor", async () => {
  assert.is(await outcome("clear"), 'ok: "3shop"');
});

test("can read their deadline", async () => {
  assert.is(await outcome("patient"), 'ok: "TimeoutError"');
});

test("cannot be started while they run, or if they are unknown", async () => {
  await runNow("stuck");
  const fault = (name: string) => runNow(name).then(String, String);
  assert.match(await fault("stuck"), /job stuck is running/);
  assert.match(await fault("none"), /unknown job/);
  await until(async () => (await jobs()).get("stuck")!.runs.length > 0);
  assert.is((await jobs()).get("stuck")!.runs[0]!.outcome, "timeout");
  await until(() => /executor \d+ replaced: plugin "stuck" timed out/.test(server.log()));
});

test("terminate their executor if they never end", async () => {
  const before = (await get(server.port + 1, "/metrics")).text;
  assert.is(await outcome("endless"), "timeout: deadline exceeded");
  assert.is(readNotes("endless").length, 1);
  assert.is((await get(server.port, "/svc/plugin/one")).json.response, 1);
  let text = "";
  // Another job may wait at this moment, and the executor ends after its job.
  const restarts = (metrics: string) => /^svc_executor_restarts_total.*$/m.exec(metrics)![0];
  const isOver = () => restarts(text) !== restarts(before);
  while (!/^svc_queue_waiting\{port="main"\} 0$/m.test(text) || !isOver()) {
    await delay(50);
    text = (await get(server.port + 1, "/metrics")).text;
  }
  assertFiring(before, text, ["SvcExecutorRestarts", "SvcJobFailed"]);
});

test("record runs that a kill interrupted, and missed runs", async () => {
  await runNow("long");
  await until(() => readNotes("long").length === 1);
  await server.stop("SIGKILL");
  const file = join(project.folder, "data/jobs.json");
  const stored = JSON.parse(readFileSync(file, "utf8"));
  const twoDaysAgo = Date.now() - 2 * 86_400_000;
  stored.jobs.nightly.handledMs = twoDaysAgo;
  writeFileSync(file, JSON.stringify(stored));
  server = await serve(project.folder);
  await until(() => readNotes("nightly").length === 1);
  const known = await jobs();
  assert.is(known.get("long")!.runs[0]!.outcome, "interrupted");
  assert.is(known.get("nightly")!.missed, 2);
  assert.match(server.log(), /job nightly: missed runs: 2, server was not running; one run/);
  assert.match(server.log(), /job long interrupted/);
  const { text } = await get(server.port + 1, "/metrics");
  assertFiring("", text, ["SvcJobFailed", "SvcJobMissed"]);
});

test("do not run where jobs are off, unless an operator starts them", async () => {
  await server.stop();
  server = await serve(project.folder, "--jobs", "false");
  const ticks = readNotes("tick").length;
  assert.is((await jobs()).get("tick")!.next, null);
  assert.match(await outcome("tick"), /^ok: /);
  assert.is(readNotes("tick").length, ticks + 1);
});

test("keep their attributes, like other plugins, in an engine of a system", () => {
  const routes = JSON.parse(readFileSync(join(project.folder, ".svc/routes.json"), "utf8"));
  assert.equal(loader(project.folder, "engine")().table.routes, routes);
  assert.equal(loader(project.folder, "dispatcher")().table.routes, {});
  const facts = JSON.stringify(routes);
  for (const fact of ["timeouts", "access", "inline", "job"]) assert.match(facts, `"${fact}"`);
});

test("run on one instance of a system", async () => {
  await server.stop();
  const before = readNotes("tick").length;
  const instances = { S1: { hport: 9110, "s-in": true }, S2: { hport: 9120, "s-in": true } };
  const system = new UpSystem(project.folder, {
    name: "Pair",
    instances: {
      S1: { type: "search", ...instances.S1 },
      S2: { type: "search", ...instances.S2 },
    },
    topology: {},
  } as ConstructorParameters<typeof UpSystem>[1]);
  await system.up();
  const tick = async (id: string) => {
    const { json } = await system.get(id, "/svc/builtin/jobs");
    return (json.response as JobStatus[]).find(({ name }) => name === "tick");
  };
  await until(async () => ((await tick("S1"))?.runs.length ?? 0) >= 2);
  await until(async () => (await tick("S2")) !== undefined);
  const otherTick = await tick("S2");
  assert.equal([otherTick?.next, otherTick?.runs], [null, []]);
  await system.close();
  const times = readNotes("tick").slice(before);
  assert.is(new Set(times).size, times.length);
});

test("start without history if their file is corrupt", async () => {
  writeFileSync(join(project.folder, "data/jobs.json"), "{");
  server = await serve(project.folder);
  assert.match(server.log(), /jobs\.json ignored/);
  await until(async () => (await jobs()).get("tick")!.counts.ok > 0);
});

test("reject a build that adds jobs to a file of a later release", async () => {
  await server.stop();
  project.write("plugins/p.ts", withoutJobs(1));
  await buildProject(project.folder);
  writeFileSync(join(project.folder, "data/jobs.json"), '{ "format": 2 }');
  server = await serve(project.folder);
  const added = "/** @cron 0 3 1 1 * */\nexport function late(): void {}\n";
  project.write("plugins/p.ts", withoutJobs(2) + added);
  await buildProject(project.folder);
  const address = { host: "127.0.0.1", port: server.port + 1 };
  const rejection = await operate(address as never, "ReloadPlugins", {}).catch(String);
  assert.match(rejection as string, /format 2 is of a later release/);
  const { json } = await get(server.port, "/svc/plugin/one");
  assert.is(json.response, 1);
  assert.equal([...(await jobs()).keys()], []);
});

test("lock their data folder against a second server after a reload", async () => {
  await server.stop();
  project.write("svc.config.ts", "export default {};\n");
  project.write("plugins/p.ts", withoutJobs(1));
  await buildProject(project.folder);
  const both = ["--root", join(project.folder, "shared")];
  server = await serve(project.folder, ...both);
  const second = await serve(project.folder, ...both);
  project.write("plugins/p.ts", "/** @cron 0 3 1 1 * */\nexport function late(): void {}\n");
  await buildProject(project.folder);
  const reload = ({ port }: RunningServer) =>
    operate({ host: "127.0.0.1", port: port + 1 } as never, "ReloadPlugins", {}).catch(String);
  assert.not.type(await reload(server), "string");
  assert.match((await reload(second)) as string, /root is in use by process \d+/);
  await second.stop();
  const third = await serve(project.folder, ...both).catch(String);
  assert.match(third as string, /root is in use by process \d+/);
});

test.run();
