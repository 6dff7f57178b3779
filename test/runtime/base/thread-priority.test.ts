// The priority of one thread, which others keep.

import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bundleSource } from "../../property/support/bundle-source.js";

const test = suite("thread priority");
const onLinux = process.platform === "linux" ? test : test.skip;
/** Index of the nice value, after the name of the program. */
const NICE = 16;

function niceValue(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[NICE]);
}

onLinux("is lowered for the calling thread only", async () => {
  const ownNice = () => niceValue(readFileSync("/proc/thread-self/stat", "utf8"));
  const before = ownNice();
  const program = bundleSource(new URL("./support/lowered-thread.ts", import.meta.url));
  const worker = new Worker(program, { eval: true });
  const stat = await new Promise<string>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.is(niceValue(stat), 10);
  assert.is(ownNice(), before);
});

test.run();
