// A rolling update whose operator is killed, whose instances are killed, and that two operators
// start at once: no request with another replica is lost, and the next run completes it.
// limit: 240 s
// takes 70 s

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { UpSystem, until } from "./support/system.js";

const test = suite("rolling update under kills");
const PROJECT = join(packageRoot(), "examples", "matrix");
const BIN = join(packageRoot(), "bin", "svc.cjs");
/** One partition: `rolling-update.test.ts` updates several. */
const IDS = ["S1.1", "S2.1"];
const DESCRIPTOR = {
  common: { type: "search", "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    "S1.1": { hport: 9110 },
    "S2.1": { hport: 9210 },
  },
  topology: { dispatch: { TD: IDS.map((id) => ({ partitions: [id] })) } },
};
const QUICK = ["--pause", "0"];
const HELD =
  /SVC3330: \S+: rolling-update by \S+, process \d+ has been running since \S+Z; its lease expires/;

let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
});
test.after(() => system.close());

async function isOut(id: string): Promise<boolean> {
  return String((await system.nodestat(id))["service-out-reason"]).startsWith("rolling update");
}

async function allServe(): Promise<void> {
  for (const id of IDS) {
    await until(async () => (await system.nodestat(id))["service-in"] === 1);
  }
  await until(async () => {
    const { json } = await system.get("TD", "/svc/matrix", 1);
    return (json.response as { state: string }[][]).flat().every(({ state }) => state === "up");
  });
}

/** Responses of clients during an action. */
async function statusesDuring(act: () => Promise<void>): Promise<number[]> {
  let isDone = false;
  const statuses = new Set<number>();
  const client = async (): Promise<void> => {
    while (!isDone) {
      statuses.add((await system.get("TD", "/svc/plugin/mountains?n=1")).status);
      // Several requests during each restart.
      await delay(150);
    }
  };
  const clients = [client(), client()];
  try {
    await act();
  } finally {
    isDone = true;
    await Promise.all(clients);
  }
  return [...statuses];
}

/** Starts an update in a process of its own, until it takes an instance out of service. */
async function operateUntilOut(
  id: string,
): Promise<{ child: ChildProcess; exited: Promise<unknown> }> {
  const words = ["admin", "rolling-update", "--descriptor", system.file, "--project", PROJECT];
  const child = spawn(process.execPath, [BIN, ...words, ...QUICK], { stdio: "ignore" });
  let isOver = false;
  const exited = once(child, "exit").then(() => {
    isOver = true;
  });
  await until(async () => isOver || (await isOut(id)));
  return { child, exited };
}

/** After the lease of a killed run has expired. */
async function finishLater(): Promise<void> {
  for (;;) {
    const { code, out, err } = await system.admin("rolling-update", ...QUICK);
    if (code === 0) return allServe();
    assert.match(err, HELD, out);
    await delay(3_000);
  }
}

async function finish(...more: string[]): Promise<void> {
  const { code, out, err } = await system.admin("rolling-update", ...QUICK, ...more);
  assert.is(code, 0, out + err);
  await allServe();
}

test("completes after the operator's command is killed in each step", async () => {
  const statuses = await statusesDuring(async () => {
    for (const id of IDS) {
      const { child, exited } = await operateUntilOut(id);
      child.kill("SIGKILL");
      await exited;
      if (id === IDS[0]) await finish("--force");
      else await finishLater();
    }
  });
  assert.equal(statuses, [200]);
});

test("runs for one of several concurrent operators and rejects the others", async () => {
  const statuses = await statusesDuring(async () => {
    const runs = await Promise.all(
      [1, 2, 3].map(() => system.adminApart("rolling-update", ...QUICK)),
    );
    for (const { code, err } of runs) {
      assert.ok(code === 0 || HELD.test(err), err);
    }
    assert.ok(runs.some(({ code }) => code === 0));
    await allServe();
  });
  assert.equal(statuses, [200]);
});

test("can be taken over by another operator without losing a request", async () => {
  const statuses = await statusesDuring(async () => {
    const first = system.adminApart("rolling-update", "--pause", "3600");
    await until(async () => (await system.nodestat("S2.1")).procedure?.what === "rolling-update");
    // It has updated one instance and pauses before the next.
    await until(async () => (await system.nodestat("S1.1"))["service-in"] === 1);
    const { procedure } = await system.nodestat("S2.1");
    const refusedResult = await system.admin("rolling-update", ...QUICK);
    assert.is(refusedResult.code, 1);
    assert.match(refusedResult.err, HELD);
    assert.ok(refusedResult.err.includes(procedure!.operator), refusedResult.err);
    await finish("--force");
    assert.is((await system.nodestat("S2.1")).procedure, null);
    const { code, err } = await first;
    assert.is(code, 1);
    assert.match(err, /SVC3331: \S+: preempted by another run/);
  });
  assert.equal(statuses, [200]);
});

test("completes in the next run when the instance being updated is killed", async () => {
  const statuses = await statusesDuring(async () => {
    const { pid } = await system.nodestat("S2.1");
    const { exited } = await operateUntilOut("S2.1");
    process.kill(pid, "SIGKILL");
    await until(async () => (await system.nodestat("S2.1")).pid !== pid);
    await exited;
    await allServe();
    await finish();
  });
  assert.equal(statuses, [200]);
});

test("restarts processes on request", async () => {
  const before = await Promise.all(IDS.map((id) => system.nodestat(id)));
  const statuses = await statusesDuring(() => finish("--restart"));
  const after = await Promise.all(IDS.map((id) => system.nodestat(id)));
  for (const [index, { pid }] of after.entries()) assert.is.not(pid, before[index]!.pid);
  assert.equal(statuses, [200]);
});

test("refuses to start with a breaking build unless forced", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-breaking-"));
  try {
    cpSync(join(PROJECT, ".svc"), join(folder, ".svc"), { recursive: true });
    const argspec = join(folder, ".svc", "argspec.json");
    const manifest = join(folder, ".svc", "manifest.json");
    const contract = JSON.parse(readFileSync(argspec, "utf8")) as { plugins: { name: string }[] };
    const plugins = contract.plugins.filter(({ name }) => !/mountains/.test(JSON.stringify(name)));
    assert.ok(plugins.length < contract.plugins.length);
    writeFileSync(argspec, JSON.stringify({ ...contract, plugins }));
    const { outputs, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
    const changed = { ...outputs, "argspec.json": "other" };
    writeFileSync(manifest, JSON.stringify({ ...rest, outputs: changed }));
    const refusedResult = await system.admin("rolling-update", "--build", folder);
    assert.is(refusedResult.code, 1);
    assert.match(refusedResult.err, /SVC3119: \d+ changes in the build break clients of S1\.1/);
    assert.match(refusedResult.err, /mountains/);
    assert.not(await isOut("S1.1"));
    const forced = await system.admin("rolling-update", "--build", folder, "--force");
    // The build on the disk of the instances is another one.
    assert.match(
      forced.err,
      /SVC3119: S1\.1 serves build \w+, expected \w+; it stays out of service/,
    );
    assert.ok(await isOut("S1.1"));
    await finish();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
