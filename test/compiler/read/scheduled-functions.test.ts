// Functions tagged `@cron` and `@every`: their schedules, and what they cannot be.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitRoutes } from "../../../compiler/emit/plugins.js";
import { codes, pluginNamed, readSource } from "../reading.js";

const test = suite("scheduled functions");

function readSchedule(tags: string) {
  const result = readSource(`/** Works.\n * ${tags}\n */\nexport function work() {}`);
  assert.equal(result.diagnostics, []);
  return pluginNamed(result, "work").job;
}

/** Codes and messages of a tag's diagnostics. */
function compileErrors(source: string): string[] {
  const { diagnostics } = readSource(source);
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

test("have a cron expression in UTC, or in a time zone", () => {
  const jobAt = (cron: string, timeZone: string) => ({
    schedule: { cron, timeZone },
    isCaughtUp: false,
  });
  assert.equal(readSchedule("@cron 0 3 * * *"), jobAt("0 3 * * *", "UTC"));
  assert.equal(readSchedule("@cron 0 3 * * MON-FRI"), jobAt("0 3 * * MON-FRI", "UTC"));
  const berlin = jobAt("30 2 * * *", "Europe/Berlin");
  assert.equal(readSchedule("@cron 30 2 * * * Europe/Berlin"), berlin);
  assert.equal(readSchedule("@cron 0 30 2 * * SUN"), jobAt("0 30 2 * * SUN", "UTC"));
});

test("have an interval, and may be caught up", () => {
  assert.equal(readSchedule("@every 30s"), { schedule: { everyMs: 30_000 }, isCaughtUp: false });
  const caughtUp = { schedule: { everyMs: 7_200_000 }, isCaughtUp: true };
  assert.equal(readSchedule("@every 2h\n * @catchup"), caughtUp);
});

test("have routes that clients cannot reach", () => {
  const { plugins } = readSource("/** @every 1s @timeout 5s */\nexport function work() {}");
  const routes = JSON.parse(emitRoutes(plugins, "/svc/plugin/"));
  const job = { schedule: { everyMs: 1000 }, isCaughtUp: false };
  assert.equal(routes, { "/svc/job/work": { engine: 0, timeouts: { engine: 5000 }, job } });
});

test("are rejected for schedules that never occur or are invalid", () => {
  const fault = (tag: string) =>
    compileErrors(`/** @${tag} */\nexport function work() {}`)[0] ?? "";
  assert.match(fault("cron 0 0 30 2 *"), /^SVC1151 .*never matches a time$/);
  assert.match(fault("cron 61 * * * *"), /^SVC1151 .*Invalid value for minute/);
  assert.match(fault("cron 0 3 * * * Mars/Phobos"), /unknown time zone `Mars\/Phobos`$/);
  assert.match(fault("cron 0 3 * *"), /has 4 fields; expected 5, or 6 with seconds$/);
  assert.match(fault("cron 0 0 0 1 1 * 2020"), /has 7 fields/);
  assert.match(fault("every 0.5s"), /^SVC1151 .*not a duration from 1s to 24h$/);
  assert.match(fault("every day"), /^SVC1151 /);
});

test("reject plugins, methods, values and private functions", () => {
  const both = compileErrors("/** @plugin @every 1s */\nexport function work() {}");
  assert.match(both[0] ?? "", /^SVC1150 `@every` and `@plugin` exclude each other$/);
  const twice = compileErrors(
    "/**\n * @every 1s\n * @cron 0 3 * * *\n */\nexport function work() {}",
  );
  assert.match(twice[0] ?? "", /^SVC1150 /);
  assert.match(compileErrors("/** @every 1s */\nfunction work() {}")[0] ?? "", /^SVC1150 /);
  assert.match(compileErrors("/** @every 1s */\nexport const work = 1;")[0] ?? "", /^SVC1150 /);
  const method = "export class A {\n  /** @every 1s */\n  work() {}\n}";
  assert.match(
    compileErrors(method)[0] ?? "",
    /^SVC1150 `@every` must be above an exported function/,
  );
  assert.match(compileErrors("/** @catchup */\nexport function work() {}")[0] ?? "", /^SVC1150 /);
});

test("are methods of exported instances, with their constructor arguments", () => {
  const source = (tag: string, rest = "export const shop = new Shop(3);") =>
    'import type { Job } from "svc-server";\n' +
    `class Shop {\n  constructor(readonly limit: number) {}\n  /** ${tag} */\n` +
    `  async clean(job: Job) { return this.limit; }\n  other() {}\n}\n${rest}\n`;
  const { plugins, diagnostics } = readSource(source("@every 1min @graph shop @timeout 5s"));
  assert.equal(diagnostics, []);
  const [{ name, exportPath, job, graph, params }] = plugins as [(typeof plugins)[number]];
  assert.equal(
    { name, exportPath, job, graph, params: params.map((param) => param.name) },
    {
      ...{ name: "clean", exportPath: "shop.clean", graph: "shop", params: ["job"] },
      job: { schedule: { everyMs: 60_000 }, isCaughtUp: false },
    },
  );
  assert.match(
    compileErrors(source("@every 1s", "const shop = new Shop(3);"))[0] ?? "",
    /^SVC1150 /,
  );
  assert.match(compileErrors(source("@cron 0 0 30 2 *"))[0] ?? "", /^SVC1151 /);
  assert.match(
    compileErrors(source("@plugin @every 1s"))[0] ?? "",
    /^SVC1150 .*exclude each other/,
  );
});

test("are results of user code that receives the run and the bound graph", () => {
  const result = readSource(`
import type { Job } from "svc-server";
const logged = <A extends unknown[], R>(run: (job: Job, ...rest: A) => R) =>
  async (job: Job, ...rest: A) => run(job, ...rest);
/** @every 30s @graph shop */
export const clear = logged((job, graph: Graph) => graph.name);
/** @every 30s */
export const wrong = logged((job, count: int) => count);
`);
  assert.equal(codes(result.diagnostics), ["SVC1152"]);
  const { params, async, graph } = pluginNamed(result, "clear");
  assert.equal([params.map(({ name }) => name), async, graph], [["job", "graph"], true, "shop"]);
});

test("have the name of a default export, which must have one", () => {
  const { plugins } = readSource("/** @every 1s */\nexport default function work() {}");
  assert.equal(plugins[0]!.name, "work");
  for (const value of ["() => {}", "async function () {}"]) {
    const [fault] = compileErrors(`/** @every 1s */\nexport default ${value}`);
    assert.is(fault, "SVC1006 a default export has no name for the job");
  }
});

test("take the run and the bound graph only", () => {
  const source = (parameters: string) =>
    `import type { Job } from "svc-server";\n/** @every 1s @graph shop */\n` +
    `export async function work(${parameters}) { return 1; }`;
  const { plugins, diagnostics } = readSource(source("run: Job, graph: Graph"));
  assert.equal(diagnostics, []);
  assert.equal(
    plugins[0]!.params.map(({ name }) => name),
    ["job", "graph"],
  );
  assert.match(compileErrors(source("request: PluginRequest, graph: Graph"))[0] ?? "", /^SVC1152 /);
  assert.match(compileErrors(source("graph: Graph, n: int"))[0] ?? "", /^SVC1152 /);
  const stream = "/** @every 1s */\nexport async function* work() { yield 1; }";
  assert.match(compileErrors(stream)[0] ?? "", /^SVC1152 .*stream/);
});

test.run();
