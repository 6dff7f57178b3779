// Dump of an instance: a usable data folder despite concurrent writes, new log segments, and
// interruptions at any point.
// limit: 120 s

import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listStoredGraphs } from "../../../runtime/graph/manager/snapshot/stored-graphs.js";
import { checkLog } from "../../../runtime/interconnect/log/check-log.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { type Instance, same, until } from "./support/instance.js";
import { begin, type InstancesContext, rejectionCode, withInstances } from "./support/instances.js";

const test = suite<InstancesContext>("dump");
withInstances(test);

/** Dumps until the dump is up to date. */
async function complete(instance: Instance): Promise<void> {
  await instance.isFlushed();
  const done = await instance.control({ do: "sync", repair: "all", timeoutMs: 60_000 });
  assert.is(done, true, instance.log);
}

test("restores equal graphs from a dump", async (context) => {
  const instance = await begin(context, "a");
  const graph = instance.graph();
  for (let index = 0; index < 500; index++) graph.createVertex(`before ${index}`);
  instance.graph("second").createVertex("x");
  await instance.control({ do: "attach", uri: "file:opdump_1.tx" });
  for (let index = 0; index < 500; index++) graph.connect("before 1", "to", `during ${index}`);
  instance.graph("third").createVertex("made meanwhile");
  await complete(instance);
  const folder = join(context.folder, "a", "opdump_1.tx");
  assert.equal(await instance.control({ do: "attached" }), [pathToFileURL(folder).href]);
  await instance.control({ do: "detach", uri: "file:opdump_1.tx" });
  assert.equal(await instance.control({ do: "attached" }), []);
  graph.createVertex("after");
  await instance.isFlushed();
  const { damage, tornBytes } = checkLog(realDisk, join(folder, "_txlog"));
  assert.equal([damage, tornBytes], [null, 0]);
  // Graphs of a dump are not graphs of the data folder that contains it.
  const names = listStoredGraphs(join(context.folder, "a")).map(({ path }) => path);
  assert.equal(
    names.filter((path) => /opdump/.test(path)),
    [],
  );

  cpSync(folder, join(context.folder, "b"), { recursive: true });
  const second = await begin(context, "b");
  assert.not(second.graph().hasVertex("after"));
  assert.is(second.graph().order, 1000);
  await same(instance, second, "second");
  await same(instance, second, "third");
});

test("resumes a dump, and does not mix two dumps", async (context) => {
  const instance = await begin(context, "a");
  const graph = instance.graph();
  graph.createVertex("first");
  const uri = pathToFileURL(join(context.folder, "a", "opdump_x.tx")).href;
  await instance.control({ do: "attach", uri });
  await complete(instance);
  await instance.control({ do: "detach", uri });
  for (let index = 0; index < 100; index++) graph.createVertex(`v${index}`);
  await instance.control({ do: "attach", uri });
  await complete(instance);
  await instance.control({ do: "detach", uri });
  const folder = join(context.folder, "a", "opdump_x.tx");
  cpSync(folder, join(context.folder, "b"), { recursive: true });
  await same(instance, await begin(context, "b"));

  const thirdInstance = await begin(context, "c");
  thirdInstance.graph().createVertex("another");
  await thirdInstance.isFlushed();
  cpSync(folder, join(context.folder, "c", "opdump_x.tx"), { recursive: true });
  await thirdInstance.control({ do: "attach", uri: "file:opdump_x.tx" });
  await until(
    () => /SVC3340: .*from another log/.test(thirdInstance.log),
    () => thirdInstance.log,
  );
  assert.equal(await thirdInstance.control({ do: "attached" }), []);
  assert.equal(readdirSync(join(context.folder, "c", "opdump_x.tx", "_txlog")).length, 1);
});

test("removes the remains of an interrupted dump", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  const folder = join(context.folder, "a", "opdump_1.tx");
  mkdirSync(join(`${folder}.part`, "stale"), { recursive: true });
  await instance.control({ do: "attach", uri: "file:opdump_1.tx" });
  await complete(instance);
  assert.equal([existsSync(`${folder}.part`), existsSync(join(folder, "stale"))], [false, false]);
});

test("refuses to write a dump elsewhere or over existing data", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  const root = pathToFileURL(join(context.folder, "a")).href;
  for (const uri of [
    ...["file:///etc/opdump_1.tx", "file:../opdump_1.tx", "file:g", "file:_txlog", "file:"],
    ...[`${root}/opdump_1.tx/../../x.tx`, `${root}/sub/opdump_1.tx`, "file:opdump_%2e%2e%2fx.tx"],
    ...["file://host/opdump_1.tx", `${root}/opdump_%00.tx`, "file:opdump_1.tx/../.."],
  ]) {
    assert.is(await rejectionCode(instance.control({ do: "attach", uri })), "SVC3340", uri);
  }
  mkdirSync(join(context.folder, "a", "opdump_2.tx"));
  assert.is(
    await rejectionCode(instance.control({ do: "attach", uri: "file:opdump_2.tx" })),
    "SVC3340",
  );
  assert.equal(await instance.control({ do: "attached" }), []);
});

test.run();
