// The lock file of a data folder: acquisition, rejection, and a stale lock that only one of many
// contenders takes over.
// starts processes

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lockRoot } from "../../../../../runtime/graph/manager/snapshot/root-lock.js";
import { DataError } from "../../../../../runtime/graph/model/errors.js";
import { startWorker } from "../../../../support/start-worker.js";
import { startLockRacers } from "./support/lock-racer.js";

const test = suite<{ root: string; file: string }>("root lock");
const RACER = new URL("./support/lock-racer.ts", import.meta.url);
const RACERS = 3;
const RACES = 60;

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-root-lock-"));
  context.file = join(context.root, "svc.lock");
});

test.after.each(({ root }) => {
  rmSync(root, { recursive: true });
});

/** Content of a lock file whose process has ended. */
function staleText(changes: object = {}): string {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const token = "0123456789abcdef";
  return JSON.stringify({ ...ownText(), pid, token, ...changes });
}

/** Content of a lock file of this process. */
function ownText(): Record<string, unknown> {
  const root = mkdtempSync(join(tmpdir(), "svc-root-lock-"));
  const lock = lockRoot(root);
  const text = readFileSync(join(root, "svc.lock"), "utf8");
  lock.release();
  rmSync(root, { recursive: true });
  return JSON.parse(text);
}

function refusal(root: string): string {
  try {
    lockRoot(root).release();
  } catch (error) {
    assert.instance(error, DataError);
    return (error as Error).message;
  }
  return assert.unreachable("not refused") as never;
}

test("rejects a second holder until the first releases", ({ root, file }) => {
  const lock = lockRoot(root);
  assert.is(refusal(root), `root is in use by this process (see ${file})`);
  lock.release();
  assert.equal(readdirSync(root), []);
  lockRoot(root).release();
});

test("does not release the lock of the next holder on a second release", ({ root }) => {
  const first = lockRoot(root);
  first.release();
  const second = lockRoot(root);
  first.release();
  refusal(root);
  second.release();
});

test("creates the data folder", ({ root }) => {
  const deep = join(root, "a", "b");
  const lock = lockRoot(deep);
  assert.equal(readdirSync(deep), ["svc.lock"]);
  lock.release();
});

test("names another running process", ({ root, file }) => {
  const { bootId } = ownText();
  const start = readFileSync(`/proc/${process.ppid}/stat`, "latin1").split(") ")[1]!.split(" ")[19];
  const text = staleText({ pid: process.ppid, startedAt: start, bootId });
  writeFileSync(file, text);
  assert.is(refusal(root), `root is in use by process ${process.ppid} (see ${file})`);
  assert.is(readFileSync(file, "utf8"), text);
});

test("takes over a stale lock", ({ root, file }) => {
  for (const stale of [
    staleText(),
    staleText({ pid: process.pid, startedAt: "1" }),
    staleText({ pid: process.pid, startedAt: ownText().startedAt, bootId: "other" }),
  ]) {
    writeFileSync(file, stale);
    const lock = lockRoot(root);
    assert.is(JSON.parse(readFileSync(file, "utf8")).pid, process.pid);
    assert.equal(readdirSync(root), ["svc.lock"]);
    lock.release();
  }
});

test("takes over when a process died during its takeover", ({ root, file }) => {
  writeFileSync(file, staleText());
  writeFileSync(`${file}.0123456789abcdef`, staleText({ token: "fedcba9876543210" }));
  const lock = lockRoot(root);
  assert.equal(readdirSync(root), ["svc.lock"]);
  lock.release();
});

test("rejects while the process of a takeover is alive", ({ root, file }) => {
  writeFileSync(file, staleText());
  writeFileSync(`${file}.0123456789abcdef`, JSON.stringify(ownText()));
  const text = `root is in use by this process (see ${file}.0123456789abcdef)`;
  assert.is(refusal(root), text);
});

test("leaves other files alone", ({ root, file }) => {
  for (const text of ["", "{}", '{"pid":-1,"token":"0123456789abcdef"}', "123\n"]) {
    writeFileSync(file, text);
    assert.is(refusal(root), `${file} is not a lock file; delete it if no server uses this root`);
    assert.is(readFileSync(file, "utf8"), text);
  }
});

test("is acquired by one of many contenders for a stale lock", async ({ root, file }) => {
  const stale = staleText();
  const racers = startLockRacers(RACERS, (data) => startWorker(RACER, data));
  for (let race = 0; race < RACES; race++) {
    writeFileSync(file, stale);
    const results = await racers.race(root);
    const won = results.filter((result) => result === "locked");
    assert.is(won.length, 1, `race ${race}: ${results.join("; ")}`);
    assert.is(JSON.parse(readFileSync(file, "utf8")).pid, process.pid);
    await racers.release();
    assert.equal(readdirSync(root), []);
  }
  await racers.end();
});

test.run();
