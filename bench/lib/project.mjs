// Temporary projects outside the repository, like a user's.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atExit } from "../../scripts/at-exit.mjs";
import { PACKAGE } from "./package-folder.mjs";
import { SVC } from "./server.mjs";

const HYPER_EXPRESS = fileURLToPath(new URL("../node_modules/hyper-express", import.meta.url));

/** A `tsconfig.json` for plugins that use Node's modules. */
export const NODE_TYPES = JSON.stringify({
  compilerOptions: { types: ["node"], typeRoots: [join(PACKAGE, "node_modules/@types")] },
});

/**
 * Writes a project, which is removed when this process ends.
 * @param {Record<string, string>} files by path relative to the project
 * @returns {string} its folder
 */
export function makeProject(files) {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const contents = { "package.json": '{ "name": "bench", "type": "module" }\n', ...files };
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKAGE, join(folder, "node_modules/svc-server"), "dir");
  symlinkSync(HYPER_EXPRESS, join(folder, "node_modules/hyper-express"), "dir");
  return folder;
}

/** Runs `svc build`; throws if it fails. */
export function build(project) {
  const stdio = ["ignore", "ignore", "inherit"];
  const { status } = spawnSync(process.execPath, [SVC, "build", project], { stdio });
  if (status !== 0) throw new Error(`svc build ended with ${status}`);
}
