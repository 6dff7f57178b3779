// The built package in this process, with a temporary data folder.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { atExit } from "../../scripts/at-exit.mjs";
import { PACKAGE } from "./package-folder.mjs";

export const svc = await import(pathToFileURL(join(PACKAGE, "dist/index.js")).href);

/** Initializes graphs; returns their folder, which is removed when the process ends. */
export async function initialize() {
  const root = mkdtempSync(join(tmpdir(), "svc-bench-"));
  atExit(() => rmSync(root, { recursive: true, force: true }));
  await svc.system.initialize("bench", { root });
  return root;
}
