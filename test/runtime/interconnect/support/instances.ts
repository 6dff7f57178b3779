// The instances of one test, each with a data folder inside a folder that is removed with the test.

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

/** Provides each test with a folder, and ends its instances afterwards. */
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

/** Error code that a promise rejects with, "none" if it resolves. */
export function rejectionCode(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "none",
    (error: { code?: string }) => error.code,
  );
}
