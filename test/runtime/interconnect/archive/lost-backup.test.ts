// A backup whose location is lost between runs, and a data folder restored from its own backup.

import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import { verifyBackup } from "../../../../runtime/interconnect/archive/verify-backup.js";
import { same } from "../support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "../support/instances.js";
import { createWriter, folderStore, restore, step } from "./support.js";

const test = suite<InstancesContext>("lost backup");
withInstances(test);

test("a lost location starts with a full backup; earlier times are refused", async (context) => {
  const instance = await begin(context, "a");
  const writer = createWriter(context);
  instance.graph().createVertex("x");
  await step(instance, writer);
  instance.graph().createVertex("y");
  await step(instance, writer);
  const lose = (): void => rmSync(join(context.folder, "backup"), { recursive: true });
  lose();
  // Also without further changes, and with the same objects as in the last full backup.
  await step(instance, writer);
  lose();
  const { number, full, continues, log } = (await step(instance, writer))!;
  assert.equal([number, full, continues], [1, 1, false]);
  instance.graph().createVertex("z");
  assert.is((await step(instance, writer))!.number, 2);
  await verifyBackup(folderStore(context), context.folder);
  const before = { kind: "time", second: log.at - 1 } as const;
  const refusal = await restore(context, "b", before).catch((error: SvcError) => error);
  const nearest = `after: ${log.id}:${log.sn} (${new Date(log.at * 1000).toISOString()})`;
  assert.match(String(refusal), /^SvcError: nothing was recorded for /);
  assert.match(String(refusal), nearest);
  assert.is(await rejectionCode(restore(context, "b", before)), "SVC3420");
  await restore(context, "b", { kind: "time", second: log.at });
  await restore(context, "c");
  await same(instance, await begin(context, "c"));
});

test("a backup continues in an older copy of its location", async (context) => {
  const [backup, copy] = ["backup", "copy"].map((name) => join(context.folder, name));
  const instance = await begin(context, "a");
  const writer = createWriter(context);
  for (const id of ["x", "y", "z"]) {
    instance.graph().createVertex(id);
    await step(instance, writer);
    if (id === "x") cpSync(backup!, copy!, { recursive: true });
  }
  rmSync(backup!, { recursive: true });
  renameSync(copy!, backup!);
  const { number, continues } = (await step(instance, writer))!;
  assert.equal([number, continues], [2, true]);
  await restore(context, "b");
  await same(instance, await begin(context, "b"));
});

test("an instance can reuse a location that was emptied after a conflict", async (context) => {
  const [a, b] = [await begin(context, "a"), await begin(context, "c")];
  for (const instance of [a, b]) instance.graph().createVertex("x");
  const writer = createWriter(context);
  await step(a, writer);
  await step(b, createWriter(context, undefined, undefined, "c"));
  a.graph().createVertex("y");
  assert.is(await rejectionCode(step(a, writer)), "SVC3422");
  rmSync(join(context.folder, "backup"), { recursive: true });
  assert.is((await step(a, writer))!.number, 1);
});

test("times after the restored moment refer to the restored data", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("kept");
  const { log } = (await step(instance, createWriter(context)))!;
  instance.graph().createVertex("undone");
  await step(instance, createWriter(context));
  await end(instance);
  rmSync(join(context.folder, "a"), { recursive: true });
  await restore(context, "a", { kind: "position", id: log.id, sn: log.sn });
  const restartedInstance = await begin(context, "a");
  const { continues, time } = (await createWriter(context).step())!;
  assert.is(continues, false);
  await restore(context, "b", { kind: "time", second: Math.floor(time / 1000) });
  const restoredInstance = await begin(context, "b");
  await same(restartedInstance, restoredInstance);
  assert.not(restoredInstance.graph().hasVertex("undone"));
});

test.run();
