// `svc backup`, `svc backup verify` and `svc restore` as commands: arguments, lines and exit codes.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import timers from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { periodOption } from "../../../cli/backup/run-backup.js";
import { parseTarget } from "../../../cli/backup/run-restore.js";
import { FolderStore } from "../../../runtime/interconnect/archive/folder-store.js";
import { Instance } from "../../runtime/interconnect/support/instance.js";
import { run } from "../run-main.js";

const test = suite<{ folder: string; root: string; backupFolder: string }>("svc backup");

test.before.each(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
  context.root = join(context.folder, "root");
  context.backupFolder = join(context.folder, "place");
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

test("backs up, verifies and restores", async ({ root, backupFolder, folder }) => {
  const instance = await Instance.start(root);
  instance.graph().createVertex("x");
  await instance.stop();
  const first = await run("backup", root, "--to", backupFolder);
  assert.match(first.stdout, /^full backup 1 up to [0-9a-f]{32}:\d+ \(\d{4}-.*Z\)\n$/);
  const secondResult = await run("backup", root, "--to", backupFolder);
  assert.match(secondResult.stdout, /^nothing new after /);
  const verified = await run("backup", "verify", backupFolder, "--scratch", folder);
  assert.equal([verified.code, verified.stderr], [0, ""]);
  assert.match(verified.stdout, /^1 graphs restored up to .*, without digests to compare$/m);
  const target = join(folder, "restored");
  const [position] = /[0-9a-f]{32}:\d+/.exec(first.stdout)!;
  const restoredResult = await run("restore", backupFolder, target, "--to-position", position);
  assert.equal([restoredResult.code, restoredResult.stderr], [0, ""]);
  assert.match(restoredResult.stdout, `${target} restored up to ${position} (`);
  const refusedResult = await run("restore", backupFolder, target);
  assert.is(refusedResult.code, 1);
  assert.match(refusedResult.stderr, "SVC3420");
});

test("a full backup succeeds although expired parts cannot be removed", async (context) => {
  const { root, backupFolder } = context;
  const instance = await Instance.start(root);
  instance.graph().createVertex("x");
  await instance.stop();
  const { now } = Date;
  const { remove } = FolderStore.prototype;
  FolderStore.prototype.remove = () => Promise.reject(new Error("denied"));
  try {
    for (let number = 1; number <= 4; number++) {
      Date.now = () => now() + number * 2000;
      const options = ["--to", backupFolder, "--full", "1s", "--keep", "1s"];
      const { code, stdout, stderr } = await run("backup", root, ...options);
      assert.equal([code, stdout.split(" up to")[0]], [0, `full backup ${number}`]);
      const warning = "svc: warning: expired parts of the backup were not removed: denied\n";
      assert.is(stderr, number < 4 ? "" : warning);
    }
  } finally {
    Date.now = now;
    FolderStore.prototype.remove = remove;
  }
});

test("an interrupted restore is neither backed up nor checked", async ({ root, backupFolder }) => {
  const instance = await Instance.start(root);
  instance.graph().createVertex("x");
  await instance.stop();
  writeFileSync(join(root, "_restoring"), "");
  for (const words of [
    ["backup", root, "--to", backupFolder],
    ["log", "check", root],
    ["log", "repair", root, `${root}.repaired`],
  ]) {
    const { code, stdout, stderr } = await run(...words);
    assert.equal([code, stdout], [1, ""], words.join(" "));
    assert.match(stderr, "SVC3421");
  }
});

test("--every backs up new data repeatedly until it fails", async (context) => {
  const { root, backupFolder } = context;
  const instance = await Instance.start(root);
  instance.graph().createVertex("x");
  await instance.stop();
  // Each addition begins and ends at these milliseconds.
  const times = [0, 0, 20_000, 22_000, 30_000, 39_000];
  const pauses: number[] = [];
  const { now } = performance;
  const { setTimeout: sleep } = timers;
  performance.now = () => times.shift() ?? now.call(performance);
  Object.assign(timers, {
    setTimeout: async (ms: number) => {
      pauses.push(ms);
      if (times.length === 0) rmSync(root, { recursive: true });
    },
  });
  syncBuiltinESMExports();
  try {
    const { code, stdout, stderr } = await run(
      "backup",
      root,
      "--to",
      backupFolder,
      "--every",
      "10s",
    );
    assert.match(stdout, /^full backup 1 .*\nnothing new .*\nnothing new .*\n$/);
    assert.is(code, 1);
    assert.match(stderr, "SVC3050");
  } finally {
    performance.now = now;
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
  }
  assert.equal(pauses, [10_000, 6000, 1000]);
});

test("refuses invalid options and folders", async ({ root, backupFolder }) => {
  const codeAndError = async (...words: string[]): Promise<[unknown, string]> => {
    const { code, stderr } = await run(...words);
    return [code, /SVC\d{4}/.exec(stderr)?.[0] ?? stderr];
  };
  mkdirSync(root);
  assert.equal(await codeAndError("backup", root), [2, "SVC3003"]);
  assert.equal(await codeAndError("backup", root, "--to", backupFolder), [1, "SVC3050"]);
  const url = "http://127.0.0.1:9001";
  assert.equal(await codeAndError("backup", url, "--to", backupFolder), [2, "SVC3003"]);
  assert.equal(await codeAndError("backup", root, "--to", backupFolder, "--keep", "0d"), [
    2,
    "SVC3003",
  ]);
  assert.equal(await codeAndError("restore", backupFolder, root), [1, "SVC3420"]);
  assert.equal(await codeAndError("backup", "verify", backupFolder), [1, "SVC3420"]);
  assert.not(existsSync(backupFolder));
});

test("parses periods, times and positions", () => {
  assert.equal(
    ["10s", "5m", "2h", "30d"].map((text) => periodOption("every", text)),
    [10_000, 300_000, 7_200_000, 2_592_000_000],
  );
  for (const text of ["", "10", "0s", "1.5h", "-1d", "10s ", "1w", "1234567s"]) {
    assert.throws(
      () => periodOption("every", text),
      ({ code }: { code: string }) => code === "SVC3003",
    );
  }
  assert.equal(parseTarget(), { kind: "end" });
  const second = Date.UTC(2026, 0, 31, 16, 5) / 1000;
  for (const text of ["2026-01-31T16:05Z", "2026-01-31T17:05:00.9+01:00"]) {
    assert.equal(parseTarget(text), { kind: "time", second });
  }
  const id = "0123456789abcdef".repeat(2);
  assert.equal(parseTarget(undefined, `${id}:12`), { kind: "position", id, sn: 12 });
  const invalidArguments: [string | undefined, string?][] = [
    ["2026-01-31"],
    ["2026-01-31T16:05:00"],
    ["2026-13-31T16:05Z"],
    ["yesterday"],
    [undefined, "12"],
    [undefined, `${id}:`],
    [undefined, `${id}:-1`],
    ["2026-01-31T16:05Z", `${id}:12`],
  ];
  for (const [time, position] of invalidArguments) {
    const isRefused = ({ code }: { code: string }): boolean => code === "SVC3003";
    assert.throws(() => parseTarget(time, position), isRefused);
  }
});

test.run();
