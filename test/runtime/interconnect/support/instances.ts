// The instances of one test, each in a folder of its own below one that goes with the test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "uvu";
import { Instance, type InstanceOptions } from "./instance.js";

export interface InstancesContext {
  folder: string;
}

/** Tests run one after the other. */
const running: Instance[] = [];

/** Gives each test a folder; afterwards it ends what the test has begun. */
export function withInstances(test: Test<InstancesContext>): void {
  test.before.each((context) => {
    context.folder = mkdtempSync(join(tmpdir(), "svc-instances-"));
  });
  test.after.each(async ({ folder }) => {
    for (const instance of running.splice(0)) await instance.stop();
    rmSync(folder, { recursive: true });
  });
}

export async function begin(
  { folder }: InstancesContext,
  name: string,
  options: InstanceOptions = {},
): Promise<Instance> {
  const instance = await Instance.start(join(folder, name), options);
  running.push(instance);
  return instance;
}

export async function end(instance: Instance): Promise<void> {
  running.splice(running.indexOf(instance), 1);
  await instance.stop();
}

/** Code of the error that a promise is rejected with, "none" where it is not. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "none",
    (error: { code?: string }) => error.code,
  );
}
