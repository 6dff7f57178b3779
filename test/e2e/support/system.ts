// A system of several instances as its operators meet it: `svc up` in a process of its own, on an
// address of this machine that no other test has, so that ports need not be free.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { type Answer, get } from "./server.js";

const BIN = join(packageRoot(), "bin", "svc.cjs");

/** All of 127.0.0.0/8 is this machine; the number of a process is nobody else's. */
export function ownHost(): string {
  const [high, low] = [(process.pid >> 8) & 0xff, process.pid & 0xff];
  return `127.${64 + (Date.now() % 128)}.${high}.${Math.max(1, Math.min(254, low))}`;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running `svc up`. */
export class UpSystem {
  readonly root = mkdtempSync(join(tmpdir(), "svc-system-"));
  readonly file = join(this.root, "system.json");
  readonly #project: string;
  readonly #descriptor: { readonly instances: Readonly<Record<string, { hport: number }>> };
  readonly #host: string;
  #child: ChildProcess | null = null;
  #exited: Promise<unknown> = Promise.resolve();
  #changed: () => void = () => {};
  out = "";

  /** @param descriptor without hosts */
  constructor(
    project: string,
    descriptor: { readonly instances: Readonly<Record<string, { hport: number }>> },
  ) {
    this.#project = project;
    this.#host = ownHost();
    this.#descriptor = descriptor;
    mkdirSync(join(this.root, "data"));
    this.write(descriptor);
  }

  /** Puts another descriptor in the file. */
  write(descriptor: object): void {
    const common = { ...(descriptor as { common?: object }).common, host: this.#host };
    writeFileSync(this.file, JSON.stringify({ ...descriptor, common }));
  }

  get host(): string {
    return this.#host;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Resolves once all instances serve. */
  async up(...more: string[]): Promise<void> {
    this.out = "";
    const words = ["up", this.#project, "--descriptor", this.file, ...this.#data(), ...more];
    const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    this.#exited = once(child, "close");
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.out += text;
        this.#changed();
      });
    }
    await this.until(/all are up/);
  }

  /** Resolves once the output holds a text. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.out)) {
      const isOver = await Promise.race([
        this.#exited.then(() => true),
        new Promise<boolean>((resolve) => {
          this.#changed = () => resolve(false);
        }),
      ]);
      assert.ok(!isOver || pattern.test(this.out), `ended with\n${this.out}`);
    }
  }

  /** Runs `svc admin` to its end. */
  admin(...words: string[]): Promise<Ended> {
    return this.run("admin", ...words, "--descriptor", this.file, "--project", this.#project);
  }

  /** Begins `svc admin`, to be ended at any time. */
  spawnAdmin(...words: string[]): ChildProcess {
    const where = ["--descriptor", this.file, "--project", this.#project];
    const all = [BIN, "admin", ...words, ...where];
    return spawn(process.execPath, all, { stdio: "ignore" });
  }

  /** Ends what runs with `svc down`. */
  down(...words: string[]): Promise<Ended> {
    return this.run("down", this.#project, ...this.#data(), ...words);
  }

  async run(...words: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [BIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, out, err };
  }

  /** One request to the main port of an instance, or to its admin port. */
  get(id: string, path: string, port: 0 | 1 = 0, init: RequestInit = {}): Promise<Answer> {
    const { hport } = this.#descriptor.instances[id]!;
    return get(hport + port, path, init, this.#host);
  }

  /** Resolves when `svc up` has ended. */
  async ended(): Promise<void> {
    await this.#exited;
  }

  /** Ends everything, however it is, and removes what it has written. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await this.#exited;
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  #data(): string[] {
    return ["--root", join(this.root, "data")];
  }
}
