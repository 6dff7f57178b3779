// An earlier commit of this repository, built in a folder of its own: for comparisons with it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atExit } from "./at-exit.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const RELEASES = join(ROOT, "bench/releases");

/**
 * The last file of bench/releases; undefined if there is none.
 * @returns {{ release: string, commit: string, rows: Record<string, number> } | undefined}
 */
export function lastRelease() {
  const files = readdirSync(RELEASES).filter((file) => file.endsWith(".json"));
  const releases = files.map((file) => JSON.parse(readFileSync(join(RELEASES, file), "utf8")));
  const byVersion = new Intl.Collator("en", { numeric: true });
  return releases.sort((a, b) => byVersion.compare(a.release, b.release)).at(-1);
}

/** Whether this clone has a commit; a shallow one lacks earlier ones. */
export function hasCommit(commit) {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Checks out a commit and builds it; returns the folder, which is removed at the end. */
export function buildCommit(commit) {
  const folder = join(mkdtempSync(join(tmpdir(), "svc-commit-")), "checkout");
  const git = (...words) => execFileSync("git", words, { cwd: ROOT, stdio: "pipe" });
  atExit(() => {
    rmSync(dirname(folder), { recursive: true, force: true });
    git("worktree", "prune");
  });
  git("worktree", "add", "--detach", folder, commit);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: folder, stdio: "pipe" });
  return folder;
}
