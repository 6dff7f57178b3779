// The machine's Python, for tests of generated Python code. Without a recent one such tests report
// that they are skipped.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { pythonRuntime } from "../../scripts/python-runtime.mjs";

const MIN_VERSION = "import sys; sys.exit(sys.version_info < (3, 9))";

export const PYTHON = "python3";
export const HAS_PYTHON = spawnSync(PYTHON, ["-c", MIN_VERSION]).status === 0;

/** The runtime part of Python clients, as built. */
export const PYTHON_RUNTIME = pythonRuntime(packageRoot());

/** Prints that a suite is skipped, to explain its totals. */
export function sayIfSkipped(name: string): void {
  if (!HAS_PYTHON) console.log(`${name}: skipped (no python3 of version 3.9 or later)`);
}

/** A folder with Python modules that can run in parallel. */
export class PythonFolder {
  readonly path = mkdtempSync(join(tmpdir(), "svc-python-"));

  constructor(modules: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(modules)) this.write(name, text);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Output of a script that runs without any warning. */
  run(script: string, ...args: string[]): string {
    const options = { cwd: this.path, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr } = spawnSync(PYTHON, ["-W", "error", "-c", script, ...args], {
      ...options,
      env: { ...process.env, PYTHONPATH: this.path, PYTHONIOENCODING: "utf8" },
    });
    assert.is(stderr, "");
    assert.is(status, 0);
    return stdout;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
