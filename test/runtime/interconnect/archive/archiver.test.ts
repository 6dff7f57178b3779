// Continuous backup of a running instance: a provider, and a replica that had to fetch its graphs.
// limit: 60 s

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { freePort, same, until } from "../support/instance.js";
import { begin, codeOf, end, type InstancesContext, withInstances } from "../support/instances.js";
import { restore, step, storeOf, writerOf } from "./support.js";

const test = suite<InstancesContext>("archiver");
withInstances(test);

test("backs up a running instance, and its last changes when it stops", async (context) => {
  const archive = join(context.folder, "backup");
  const one = await begin(context, "a", { archive });
  one.graph().createVertex("first");
  await one.isFlushed();
  await end(one);
  await restore(context, "b");
  assert.ok((await begin(context, "b")).graph().hasVertex("first"));
  const again = await begin(context, "a", { archive });
  again.graph().createVertex("second");
  await again.isFlushed();
  await end(again);
  await restore(context, "c");
  const restored = await begin(context, "c");
  assert.ok(restored.graph().hasVertex("second"));
  const { fulls, compared } = await verifyBackup(storeOf(context), context.folder);
  assert.is(fulls, 1);
  // Positions of the running graph are recorded, too.
  assert.ok(compared > 0);
});

test("reports a backup that cannot be written, and keeps the log", async (context) => {
  const archive = join(context.folder, "backup");
  writeFileSync(archive, "");
  const one = await begin(context, "a", { archive });
  one.graph().createVertex("x");
  await until(
    () => one.log.includes("SVC3422"),
    () => one.log,
  );
  await until(
    () => (one.shown.archive?.lagUnits ?? 0) > 0,
    () => JSON.stringify(one.shown.archive),
  );
  await end(one);
  // Inside the data folder it would become part of itself.
  const other = await begin(context, "b", { archive: join(context.folder, "b", "backup") });
  other.graph().createVertex("x");
  await until(
    () => other.log.includes("SVC3422"),
    () => other.log,
  );
  assert.not(existsSync(join(context.folder, "b", "backup")));
});

test("refuses a backup without a transaction log", async (context) => {
  const archive = join(context.folder, "backup");
  const started = begin(context, "a", { archive, durability: "off" });
  assert.is(await codeOf(started), "SVC2530");
});

test("backs up a replica with the graphs that it fetched", async (context) => {
  const archive = join(context.folder, "backup");
  const txPort = await freePort();
  const provider = await begin(context, "p");
  provider.graph().createVertex("early");
  await provider.save();
  await provider.save();
  const replica = await begin(context, "a", { txPort, archive });
  await provider.control({ do: "attach", uri: `127.0.0.1:${txPort}` });
  await same(provider, replica);
  provider.graph().createVertex("late");
  await same(provider, replica);
  await replica.isFlushed();
  await end(replica);
  await restore(context, "b");
  const restored = await begin(context, "b");
  assert.equal(
    ["early", "late"].map((id) => restored.graph().hasVertex(id)),
    [true, true],
  );
  // A restored folder provides: it does not follow the former provider.
  restored.graph().createVertex("own");
});

test("begins again where a graph was replaced", async (context) => {
  const one = await begin(context, "a");
  one.graph().createVertex("x");
  await one.save();
  const writer = writerOf(context);
  await step(one, writer);
  await end(one);
  // Changes that no log has.
  const unlogged = await begin(context, "a", { durability: "off" });
  unlogged.graph().createVertex("unlogged");
  await unlogged.save();
  await end(unlogged);
  const two = await begin(context, "a");
  two.graph().createVertex("y");
  const manifest = (await step(two, writer))!;
  assert.is(manifest.continues, false);
  await restore(context, "b");
  assert.ok((await begin(context, "b")).graph().hasVertex("unlogged"));
});

test("a second instance does not take a backup over", async (context) => {
  const [a, b] = [await begin(context, "a"), await begin(context, "c")];
  a.graph().createVertex("x");
  b.graph().createVertex("x");
  const first = writerOf(context);
  await step(a, first);
  const second = writerOf(context, undefined, undefined, "c");
  await step(b, second);
  a.graph().createVertex("y");
  assert.is(await codeOf(step(a, first)), "SVC3422");
  assert.is(await codeOf(step(a, first)), "SVC3422");
  await verifyBackup(storeOf(context), context.folder);
  mkdirSync(join(context.folder, "d"));
  await restore(context, "d");
  await same(b, await begin(context, "d"));
  rmSync(join(context.folder, "backup"), { recursive: true });
});

test.run();
