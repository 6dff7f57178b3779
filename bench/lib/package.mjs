// The built package in this process, with a folder of its own for its data.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as svc from "../../dist/index.js";

export { svc };

/** Starts what graphs need, and returns its folder, which goes when the process ends. */
export async function initialize() {
  const root = mkdtempSync(join(tmpdir(), "svc-bench-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  await svc.system.initialize("bench", { root });
  return root;
}
