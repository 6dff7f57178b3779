// A Python client in a process of its own, controlled by commands: see python-driver.py.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import * as assert from "uvu/assert";
import type { Argspec } from "../../../argspec/argspec.js";
import { emitPythonClient } from "../../../argspec/python/client.js";
import { PYTHON, PYTHON_RUNTIME, PythonFolder } from "../../support/python.js";

const DRIVER = readFileSync(new URL("python-driver.py", import.meta.url), "utf8");

export interface Order {
  /** Method of the client, such as `builtin.ping`, or a command of the driver. */
  readonly do: string;
  readonly url?: string;
  /** Options of the client; one client is created for each set. */
  readonly client?: object;
  /** Options of the call. */
  readonly with?: object;
  readonly params?: object;
  readonly [member: string]: unknown;
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: Failure;
  /** Class of any other exception. */
  readonly raised?: string;
  /** Warnings of the client so far. */
  readonly warnings?: readonly string[];
}

/** A SvcError. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly status: number | null;
  readonly exception: string | null;
  readonly traceback: readonly string[] | null;
  readonly chain: readonly object[];
  readonly envelope: unknown;
  /** A SvcError too, or the class of the exception. */
  readonly cause: Failure | string;
}

export class PythonClient {
  readonly #folder: PythonFolder;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #log = "";

  constructor(argspec: Argspec) {
    const client = emitPythonClient(argspec, PYTHON_RUNTIME);
    this.#folder = new PythonFolder({ "client.py": client, "driver.py": DRIVER });
    this.#process = spawn(PYTHON, ["-W", "error", "driver.py"], {
      cwd: this.#folder.path,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log += text;
    });
    // The next reply reports that the process has ended.
    this.#process.stdin.on("error", () => {});
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  async call(order: Order): Promise<Reply> {
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the driver ended:\n${this.#log}`);
    return JSON.parse(value);
  }

  /** Ends the process, which must not have written errors. */
  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.stdin.end();
    const [code] = await exited;
    this.#folder.remove();
    assert.is(this.#log, "");
    assert.is(code, 0);
  }
}
