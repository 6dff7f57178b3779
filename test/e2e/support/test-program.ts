// Programs that test a project with `svc-server/testing`, as its users write them.

import { spawnSync } from "node:child_process";
import { plainNode } from "../../runner/node-command.mjs";
import type { TemporaryProject } from "./temporary-project.js";

/** Runs a program in the folder of a project; returns its output, with its errors if it failed. */
export function runProgram(project: TemporaryProject, program: string): string {
  project.write(
    "program.mjs",
    `import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { testMatrix, testService } from "svc-server/testing";
${program}
console.log("done");`,
  );
  const options = { cwd: project.folder, encoding: "utf8", timeout: 110_000 } as const;
  // Threads cannot have the first option, and must have the second one.
  const words = ["--max-old-space-size=2048", "--enable-source-maps", "program.mjs"];
  const { status, stdout, stderr } = spawnSync(plainNode(), words, options);
  return status === 0 ? stdout : stdout + stderr;
}
