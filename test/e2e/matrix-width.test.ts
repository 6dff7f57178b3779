// A descriptor that changes the number of partitions over graphs with data is refused by the
// dispatcher, unless the operator has split the data.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UpSystem } from "./support/system.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("width of a matrix");
const PLUGINS = `
import { Graph, type int, type PluginRequest } from "svc-server";

/** @plugin */
export function fill(_request: PluginRequest): int {
  const graph = new Graph("things");
  graph.createVertex("one");
  return graph.order;
}
`;
const ENGINE = { type: "builder", graph: "things" };
const DESCRIPTOR = {
  name: "Wide",
  graphs: ["things"],
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...ENGINE, hport: 9100 },
    B2: { ...ENGINE, hport: 9110 },
    B3: { ...ENGINE, hport: 9120 },
  },
  topology: { transaction: { B1: {}, B2: {}, B3: {} }, dispatch: { TD: rows("B1", "B2") } },
};

function rows(...partitions: string[]): object[] {
  return [{ partitions }];
}

let project: TemporaryProject;
let system: UpSystem;

test.before(async () => {
  project = new TemporaryProject({ "plugins/things.ts": PLUGINS });
  system = await UpSystem.start(project.folder, DESCRIPTOR);
});
test.after(async () => {
  await system.close();
  project.remove();
});

function send(dispatch: object[], ...options: string[]) {
  system.write({ ...DESCRIPTOR, topology: { ...DESCRIPTOR.topology, dispatch: { TD: dispatch } } });
  return system.admin("send-descriptor", ...options);
}

async function width(): Promise<number> {
  return ((await system.get("TD", "/svc/matrix", 1)).json.response as unknown[]).length;
}

test("changes while no engine has data", async () => {
  const { code, out, err } = await send(rows("B1", "B2", "B3"));
  assert.is(code, 0, out + err);
  assert.match(out, /TD: system descriptor updated, matrix changed/);
  assert.is((await send(rows("B1", "B2"))).code, 0);
  assert.is(await width(), 2);
});

test("cannot change while graphs have data, and no other command is sent", async () => {
  await system.get("B2", "/svc/plugin/fill");
  for (const dispatch of [rows("B1", "B2", "B3"), rows("B1"), rows("B1", "B3", "B2")]) {
    const { code, out, err } = await send(dispatch);
    assert.is(code, 1, out);
    assert.match(err, /SVC3411.*the descriptor has [13] partitions for TD/s);
    assert.match(err, /in place of 2, and B2 has 1 vertices/);
    assert.match(err, /--i-have-split-the-data/);
    assert.is(out, "");
  }
  assert.is(await width(), 2);
  const { json } = await system.get("B1", "/svc/nodestat", 1);
  const before = (json.response as { descriptor: string }).descriptor;
  assert.is((await send(rows("B1", "B2"))).code, 0);
  const after = (await system.get("B1", "/svc/nodestat", 1)).json.response;
  assert.is((after as { descriptor: string }).descriptor, before);
});

test("allows other changes of the matrix while graphs have data", async () => {
  const { code, out, err } = await send([{ channels: 3, partitions: ["B1", "B2"] }]);
  assert.is(code, 0, out + err);
});

test("changes if the operator has split the data", async () => {
  const { code, out, err } = await send(rows("B1", "B2", "B3"), "--i-have-split-the-data");
  assert.is(code, 0, out + err);
  assert.is(await width(), 3);
});

test.run();
