// The process that runs test files one after the other, as its parent sends them. Reports the
// running test, and after every file the number of passed ones.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { cpuSeconds } from "./cpu-seconds.mjs";
import { setLimitFrom, setName } from "./current-limit.mjs";

/** Time for a loaded machine to close handles and write the loader's cache. */
const HANDLES_LIMIT_MS = 8_000;

// Opened here, so that they do not count as handles of the first file that writes.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
globalThis.UVU_DEFER = 1;
const { exec } = await import("uvu");

const [, , name] = process.argv;
setName(name);
for (;;) {
  const { file, output } = await nextFile();
  if (file === null) process.exit(0);
  const result = await runFile(file, output);
  await new Promise((sent) => process.send({ kind: "result", ...result }, sent));
}

/**
 * Between files only the channel keeps this process alive; within one it does not count as a
 * handle.
 */
async function nextFile() {
  process.channel.ref();
  for (;;) {
    const [message] = await once(process, "message");
    // A build that a test did not wait for may end late.
    if (message.file === undefined) continue;
    process.channel.unref();
    return message;
  }
}

/** @param output the transpiled file */
async function runFile(file, output) {
  const startedMs = performance.now();
  const startedCpu = cpuSeconds();
  const handles = activeHandles();
  globalThis.UVU_QUEUE.length = 0;
  globalThis.UVU_QUEUE.push([file]);
  globalThis.UVU_INDEX = 0;
  setLimitFrom(readFileSync(file, "utf8"));
  const capture = captureStdout();
  let result = { passed: 0, failed: 1, skipped: 0 };
  let note = "";
  try {
    await import(pathToFileURL(output).href);
    await exec();
    result = parseTotals(capture.text());
    const open = await leftOpen(handles);
    if (open !== "") {
      result.failed++;
      note = `handles are still open after the last test: ${open}\n`;
    }
  } catch (error) {
    note = `${error?.stack ?? error}\n`;
  } finally {
    capture.end();
  }
  const elapsedMs = Math.round(performance.now() - startedMs);
  const seconds = cpuSeconds() - startedCpu;
  return { ...result, elapsedMs, cpuSeconds: seconds, output: capture.text() + note };
}

/** uvu's closing lines are the only proof that a run has completed. */
function parseTotals(text) {
  const closing = /Total: +(\d+)\s+Passed: +(\d+)\s+Skipped: +(\d+)\s+Duration/.exec(text);
  const [total, passed, skipped] = (closing ?? []).slice(1).map(Number);
  const nothingRan = closing === null || (total + skipped === 0 && name === "");
  return nothingRan
    ? { passed: 0, failed: 1, skipped: 0 }
    : { passed, failed: total - passed, skipped };
}

function captureStdout() {
  const write = process.stdout.write;
  const chunks = [];
  process.stdout.write = (chunk) => {
    chunks.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    return true;
  };
  return {
    text: () => chunks.join(""),
    end: () => {
      process.stdout.write = write;
    },
  };
}

function activeHandles() {
  return process.getActiveResourcesInfo().sort();
}

/** New handles that keep the process alive; waits briefly for handles that close. */
async function leftOpen(before) {
  const deadlineMs = performance.now() + HANDLES_LIMIT_MS;
  process.send({ kind: "test", title: "the end of the file", limitMs: HANDLES_LIMIT_MS });
  for (;;) {
    await new Promise((turn) => setImmediate(turn));
    const after = activeHandles();
    for (const name of before) {
      const index = after.indexOf(name);
      if (index >= 0) after.splice(index, 1);
    }
    if (after.length === 0 || performance.now() > deadlineMs) return after.join(", ");
    await new Promise((later) => setTimeout(later, 20));
  }
}
