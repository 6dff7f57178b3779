// Processes that are killed while they back up or restore: a backup keeps its previous state, and a
// folder whose restore was interrupted is not served. SEED=n repeats a run.
// limit: 60 s

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../runtime/base/errors.js";
import { RESTORE_MARKER } from "../../runtime/base/graph-names.js";
import { GraphRoot } from "../../runtime/graph/manager/graph-root.js";
import { digestCheckpoint } from "../../runtime/graph/store/verify-digest.js";
import { ArchiveWriter } from "../../runtime/interconnect/archive/archive-writer.js";
import { FolderStore } from "../../runtime/interconnect/archive/folder-store.js";
import { planRestore } from "../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../runtime/interconnect/archive/restore-root.js";
import { verifyBackup } from "../../runtime/interconnect/archive/verify-backup.js";
import { realDisk } from "../../runtime/interconnect/log/disk.js";
import { nodeCommand } from "../runner/node-command.mjs";
import { Instance } from "../runtime/interconnect/support/instance.js";
import { rounds } from "../support/rounds.js";
import { bundleSource } from "./support/bundle-source.js";
import { Random, SEED } from "./support/random.js";
import { changeAtRandom } from "./support/random-changes.js";

const KILLS = rounds(3);
/** A step or a restore takes some milliseconds: most kills interrupt one. */
const MAX_DELAY_MS = 60;
const SOURCE = new URL("./support/archiving-process.ts", import.meta.url);
const [NODE, ...NODE_ARGS] = nodeCommand();

interface Context {
  folder: string;
  program: string;
  /** Data folder, backup, and digest of the graph. */
  root: string;
  backupFolder: string;
  digest: string;
}

const test = suite<Context>("killed backups");
const random = new Random();

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-killed-"));
  context.program = join(context.folder, "archiving.cjs");
  context.root = join(context.folder, "a");
  context.backupFolder = join(context.folder, "backup");
  writeFileSync(context.program, bundleSource(SOURCE));
  const instance = await Instance.start(context.root);
  for (let index = 0; index < 500; index++) changeAtRandom(instance.graph(), random);
  await instance.save();
  for (let index = 0; index < 500; index++) changeAtRandom(instance.graph(), random);
  context.digest = digestCheckpoint(instance.store())!.digest;
  await instance.stop();
  const source = {
    ...{ root: context.root, disk: realDisk, safe: () => Number.POSITIVE_INFINITY },
    ...{ settle: () => Promise.resolve(), checkpoints: () => [], isReplica: false },
  };
  const periods = { fullMs: 1, keepMs: 1 };
  await new ArchiveWriter(new FolderStore(context.backupFolder), source, periods).step();
});

test.after(({ folder }) => {
  rmSync(folder, { recursive: true });
});

/** Lets a process work for a while, and kills it; returns the number of its last round. */
async function kill(program: string, ...words: string[]): Promise<string> {
  const child = spawn(NODE!, [...NODE_ARGS, program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, "close");
  let last = "";
  lines.on("line", (line: string) => {
    last = line.split(" ").at(-1)!;
  });
  await Promise.race([once(lines, "line"), ended]);
  await delay(random.below(MAX_DELAY_MS));
  child.kill("SIGKILL");
  await ended;
  return last;
}

async function readDigest(root: string): Promise<string> {
  const instance = await Instance.start(root);
  const { digest } = digestCheckpoint(instance.store())!;
  await instance.stop();
  return digest;
}

test(`a killed backup keeps its previous state (seed ${SEED})`, async (context) => {
  const { folder, program, root, backupFolder, digest } = context;
  for (let round = 0; round < KILLS; round++) {
    await kill(program, "backup", root, backupFolder);
    const store = new FolderStore(backupFolder);
    await verifyBackup(store, folder);
    const restored = join(folder, `r${round}`);
    await restoreRoot(store, await planRestore(store, { kind: "end" }), restored);
    assert.is(await readDigest(restored), digest);
  }
});

test(`a server rejects the folder of a killed restore (seed ${SEED})`, async (context) => {
  const { folder, program, backupFolder, digest } = context;
  for (let round = 0; round < KILLS; round++) {
    const prefix = join(folder, `k${round}-`);
    const last = await kill(program, "restore", backupFolder, prefix);
    const restored = prefix + last;
    if (existsSync(join(restored, RESTORE_MARKER))) {
      try {
        new GraphRoot(restored, {});
        assert.unreachable();
      } catch (error) {
        assert.is((error as SvcError).code, "SVC3421");
      }
    }
    const isWhole = existsSync(restored) && !existsSync(join(restored, RESTORE_MARKER));
    if (isWhole && readdirSync(restored).length > 0) assert.is(await readDigest(restored), digest);
    else {
      const store = new FolderStore(backupFolder);
      await restoreRoot(store, await planRestore(store, { kind: "end" }), restored);
      assert.is(await readDigest(restored), digest);
    }
  }
});

test.run();
