// Reported changes in a project folder: edits, new and removed files and folders.
// takes 4 s

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { watchFolder } from "../../../cli/serving/watch-folder.js";

interface Context {
  folder: string;
  unwatch: () => void;
  write(file: string): void;
  /** Resolves once all these files have been reported since the last call. */
  reported(...files: string[]): Promise<void>;
  /** All reports since the last call of `reported`. */
  reportedPaths: string[];
}

const test = suite<Context>("watch folder");

test.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-watch-"));
  let noticed = () => {};
  context.folder = folder;
  context.reportedPaths = [];
  context.write = (file) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "");
  };
  context.reported = async (...files) => {
    while (!files.every((file) => context.reportedPaths.includes(file))) {
      await new Promise<void>((resolve) => {
        noticed = resolve;
      });
    }
    context.reportedPaths = [];
  };
  context.write("plugins/a.ts");
  context.unwatch = watchFolder(folder, (files) => {
    context.reportedPaths.push(...files);
    noticed();
  });
});
test.after.each(({ folder, unwatch }) => {
  unwatch();
  rmSync(folder, { recursive: true });
});

test("reports edits and removals, also in new folders", async ({ folder, write, reported }) => {
  write("plugins/a.ts");
  await reported("plugins/a.ts");
  write("plugins/more/deep/b.ts");
  await reported("plugins/more/deep/b.ts");
  write("plugins/more/deep/b.ts");
  await reported("plugins/more/deep/b.ts");
  rmSync(join(folder, "plugins/more/deep/b.ts"));
  await reported("plugins/more/deep/b.ts");
  write("yarn.lock");
  await reported("yarn.lock");
});

test("follows a folder that is removed and created again", async ({ folder, write, reported }) => {
  rmSync(join(folder, "plugins"), { recursive: true });
  await reported("plugins/a.ts");
  write("plugins/a.ts");
  await reported("plugins/a.ts");
  write("plugins/a.ts");
  await reported("plugins/a.ts");
});

test("reports files removed with their folder", async ({ folder, reported }) => {
  renameSync(join(folder, "plugins"), join(folder, "other"));
  await reported("plugins/a.ts", "other/a.ts");
});

test("ignores hidden, installed and other files", async (context) => {
  const { write, reported } = context;
  for (const file of [".svc.config.ts.1.mjs", ".git/a.ts", "node_modules/m/a.ts", "notes.txt"]) {
    write(file);
  }
  write("plugins/a.ts");
  while (context.reportedPaths.length === 0) await new Promise((turn) => setImmediate(turn));
  assert.equal(context.reportedPaths, ["plugins/a.ts"]);
  await reported("plugins/a.ts");
});

test.run();
