// A running `svc dev` and its output.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { TemporaryProject } from "./temporary-project.js";

const SVC = join(packageRoot(), "bin", "svc.cjs");

export class Dev {
  readonly process: ChildProcess;
  /** Exit code, or the signal that ended the process. */
  readonly exited: Promise<number | string | null>;
  output = "";
  #waiting: () => void = () => {};

  constructor(folder: string, ...options: string[]) {
    // A process group of its own, which a test can signal as a terminal does.
    const args = [SVC, "dev", folder, "--port", "0", ...options];
    this.process = spawn(process.execPath, args, { detached: true });
    this.exited = new Promise((resolve) => {
      this.process.once("exit", (code, signal) => resolve(code ?? signal));
    });
    for (const stream of [this.process.stdout!, this.process.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#waiting();
      });
    }
  }

  /** Resolves once the unconsumed output matches; consumes it up to there. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) {
        this.output = this.output.slice(match.index + match[0].length);
        return match;
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  stop(): Promise<number | string | null> {
    this.process.kill("SIGTERM");
    return this.exited;
  }
}

/** The response of a plugin. */
export async function call(port: string, path: string): Promise<unknown> {
  const url = `http://127.0.0.1:${port}/svc/plugin/${path}`;
  const response = await fetch(url, { headers: { connection: "close" } });
  return ((await response.json()) as { response?: unknown }).response;
}

/** Runs `svc dev` on a project of these files, and ends both. */
export async function withDev(
  files: Readonly<Record<string, string>> | undefined,
  check: (dev: Dev, project: TemporaryProject) => Promise<void>,
  ...options: string[]
): Promise<void> {
  const project = new TemporaryProject(files);
  const dev = new Dev(project.folder, ...options);
  try {
    await check(dev, project);
    assert.is(await dev.stop(), 0);
  } finally {
    dev.process.kill("SIGKILL");
    project.remove();
  }
}
