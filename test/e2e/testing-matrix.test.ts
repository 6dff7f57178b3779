// `testMatrix` of `svc-server/testing`: a dispatcher and its engines within one process, fault
// injection, and a common fake clock.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TemporaryProject } from "./support/temporary-project.js";
import { runProgram } from "./support/test-program.js";

const PLUGINS = `import { type PluginRequest, PluginResponse } from "svc-server";

/** Which replicas have answered. @plugin @readonly */
export function find({ partition, replica }: PluginRequest): PluginResponse {
  const response = new PluginResponse({ maxhits: 10 });
  response.append(partition * 10 + replica, null);
  return response;
}

/** Counts in its own module. @plugin */
export function count(_request: PluginRequest): PluginResponse {
  const response = new PluginResponse();
  response.i0 = ++counted;
  return response;
}

let counted = 0;
`;

const test = suite<{ project: TemporaryProject }>("matrix testing");
test.before((context) => {
  context.project = new TemporaryProject({ "plugins/find.ts": PLUGINS });
});
test.after(({ project }) => project.remove());

/**
 * Provides `find`, which returns the responding replicas by partition, and states of all engines.
 */
const HELPERS = `
const find = async () => {
  const { entries } = await matrix.call("find");
  return entries.map(([place]) => place).sort((one, other) => one - other).join(" ");
};
const states = async () => {
  const { response } = await (await matrix.fetchAdmin("/svc/dispatch")).json();
  return response.A.matrix.partitions.map((row) => row.map(({ state }) => state)).join(" ");
};
const until = async (isSo) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
};
`;

test("tolerates engines that hang, are slow, cut, refuse and die", ({ project }) => {
  const output = runProgram(
    project,
    `const matrix = await testMatrix(".", { dispatch: { timeout: 3000 } });
${HELPERS}
const { clock } = matrix;
await clock.stop();
assert.equal(await find(), "0 10");
assert.equal(await states(), "up,up up,up");
const first = matrix.engine(0, 0);

await first.fault("hang");
assert.equal(await (await first.fetch("/svc/hc")).text(), "SVC/3");
const late = find();
await clock.advance("4s");
assert.equal(await late, "1 10");
assert.equal(await states(), "ejected,up up,up");
assert.equal(await find(), "1 10");
await first.fault(null);
await clock.advance("70s");
await find();
assert.equal(await states(), "up,up up,up");

await first.fault({ slow: "2s" });
let isDone = false;
const slow = find().then((places) => { isDone = true; return places; });
await clock.advance("1500ms");
assert.equal(isDone, false);
await clock.advance("1500ms");
await slow;
await first.fault(null);

for (const fault of ["cut", "refuse"]) {
  await first.fault(fault);
  for (let times = 0; times < 4; times++) await find().catch(() => {});
  await first.fault(null);
  await clock.advance("70s");
  await find();
  await clock.advance("1s");
  assert.match(await states(), /^up,up up,up$/);
}

await first.kill();
assert.equal(await find(), "1 10");
await assert.rejects(first.fault("hang"), { code: "SVC3301" });
await matrix.engine(0, 1).kill();
await assert.rejects(find(), /Partition.s. down/);
await first.start();
await assert.rejects(first.start(), { code: "SVC3301" });
await until(async () => { await clock.advance("1s"); return (await states()).startsWith("up"); });
assert.equal(await find(), "0 10");
await matrix.close();
await matrix.close();
await assert.rejects(matrix.fetch("/svc/hc"), { code: "SVC3301" });`,
  );
  assert.is(output, "done\n");
});

test("loads modules per engine, and rejects an invalid shape", ({ project }) => {
  const output = runProgram(
    project,
    `const matrix = await testMatrix(".", { partitions: 3, replicas: 1 });
${HELPERS}
assert.equal((await matrix.call("count")).aggregator[0], 3);
assert.equal((await matrix.call("count")).aggregator[0], 6);
assert.equal(await find(), "0 10 20");
for (const place of [[3, 0], [0, 1], [-1, 0], [0.5, 0]]) {
  assert.throws(() => matrix.engine(...place), { code: "SVC3300" });
}
await matrix.engine(2, 0).fault("hang");
const hangs = find();
await matrix.engine(2, 0).fault(null);
assert.equal(await hangs, "0 10 20");
await matrix.close();
for (const size of [{ partitions: 0 }, { replicas: 1.5 }, { partitions: 65, replicas: 1 }]) {
  await assert.rejects(testMatrix(".", size), { code: "SVC3300" });
}`,
  );
  assert.is(output, "done\n");
});

test.run();
