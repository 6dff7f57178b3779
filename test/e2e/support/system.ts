// A system of several instances as its operators run it: `svc up` in a process of its own, on a
// loopback address that no other test uses, so that ports need not be free.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { COMPILED_CODE } from "../../runner/node-command.mjs";
import { buildProject, type DecodedResponse, get, svcHere } from "./server.js";

const POLL_MS = 100;
/** Long enough for a loaded machine. */
export const LIMIT_MS = 120_000;
const SVC = [...COMPILED_CODE, join(packageRoot(), "bin", "svc.cjs")];

/** All of 127.0.0.0/8 is loopback; the process id makes the address unique. */
export function ownHost(): string {
  const [high, low] = [(process.pid >> 8) & 0xff, process.pid & 0xff];
  return `127.${64 + (Date.now() % 128)}.${high}.${Math.max(1, Math.min(254, low))}`;
}

export interface AdminResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Fields of `/svc/nodestat` that tests read. */
export interface Nodestat {
  readonly pid: number;
  readonly instance: string;
  readonly build: string;
  readonly "service-in": number;
  readonly "service-out-reason": string | null;
  readonly "graph-order": number;
  readonly digest: string;
  readonly readonly: boolean;
  readonly procedure: { readonly what: string; readonly operator: string } | null;
  readonly subscribers: readonly { readonly status: string }[];
}

/**
 * Resolves once a condition holds; a failing request counts as false.
 * @throws Error with the condition, long before the time limit of the test
 */
export async function until(holds: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const timeoutError = new Error(`the condition did not hold within ${limitMs} ms: ${holds}`);
  const deadline = performance.now() + limitMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw timeoutError;
    await delay(POLL_MS);
  }
}

/** A running `svc up`. Its instances share an operator key of their own. */
export class UpSystem {
  readonly root = mkdtempSync(join(tmpdir(), "svc-system-"));
  readonly file = join(this.root, "system.json");
  readonly #project: string;
  readonly #descriptor: { readonly instances: Readonly<Record<string, { hport: number }>> };
  readonly #host: string;
  #child: ChildProcess | null = null;
  readonly #otherProcesses: ChildProcess[] = [];
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

  /** Builds the project, and resolves once all instances serve. */
  static async start(...args: ConstructorParameters<typeof UpSystem>): Promise<UpSystem> {
    await buildProject(args[0]);
    const system = new UpSystem(...args);
    await system.up();
    return system;
  }

  /** Replaces the descriptor in the file. */
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
    const child = spawn(process.execPath, [...SVC, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment(),
    });
    this.#child = child;
    this.#exited = once(child, "close");
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.out += text;
        this.#changed();
      });
    }
    await this.until(/all instances are up/);
  }

  /** Starts instances that the file names now, with a root of their own; `close` ends them. */
  async upOnly(ids: string): Promise<ChildProcess> {
    const root = join(this.root, `data-${ids}`);
    mkdirSync(root, { recursive: true });
    const words = ["up", this.#project, "--descriptor", this.file, "--root", root, "--only", ids];
    const child = spawn(process.execPath, [...SVC, ...words], {
      stdio: ["ignore", "pipe", "inherit"],
      env: environment(),
    });
    this.#otherProcesses.push(child);
    let out = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      out += text;
      if (/all instances are up/.test(out)) break;
    }
    child.stdout.resume();
    return child;
  }

  /** Resolves once the output contains a text. */
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

  /** Runs `svc admin` to completion in this process, after the commands before. */
  async admin(...words: string[]): Promise<AdminResult> {
    const { code, stdout, stderr } = await inEnvironment(() => svcHere(...this.#command(words)));
    return { code, out: stdout, err: stderr };
  }

  /** The same in a process of its own, for commands that run at the same time. */
  adminApart(...words: string[]): Promise<AdminResult> {
    return this.run(...this.#command(words));
  }

  /** Starts `svc admin`, which can be killed at any time. */
  spawnAdmin(...words: string[]): ChildProcess {
    const command = [...SVC, ...this.#command(words)];
    return spawn(process.execPath, command, {
      stdio: ["ignore", "ignore", "pipe"],
      env: environment(),
    });
  }

  /** Stops the system with `svc down`. */
  down(...words: string[]): Promise<AdminResult> {
    return this.run("down", this.#project, ...this.#data(), ...words);
  }

  async run(...words: string[]): Promise<AdminResult> {
    const child = spawn(process.execPath, [...SVC, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment(),
    });
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

  /** A request to the main port of an instance, or to its admin port. */
  get(id: string, path: string, port: 0 | 1 = 0, init: RequestInit = {}): Promise<DecodedResponse> {
    const { hport } = this.#descriptor.instances[id]!;
    return get(hport + port, path, init, this.#host);
  }

  async nodestat(id: string): Promise<Nodestat> {
    return (await this.get(id, "/svc/nodestat", 1)).json.response as Nodestat;
  }

  /** Resolves when `svc up` has ended. */
  async ended(): Promise<void> {
    await this.#exited;
  }

  /** Ends all processes in any state, and removes their files. */
  async close(): Promise<void> {
    for (const otherProcess of this.#otherProcesses) {
      if (endSystem(otherProcess)) await once(otherProcess, "exit");
    }
    if (this.#child !== null && endSystem(this.#child)) await this.#exited;
    rmSync(this.root, { recursive: true, force: true });
  }

  #command(words: readonly string[]): string[] {
    return ["admin", ...words, "--descriptor", this.file, "--project", this.#project];
  }

  #data(): string[] {
    return ["--root", join(this.root, "data")];
  }
}

/**
 * Ends a running `svc up` whose instances are not needed any more; each shutdown would cost a fifth
 * of a second.
 */
function endSystem(up: ChildProcess): boolean {
  if (up.exitCode !== null || up.signalCode !== null) return false;
  for (const instance of listChildren(up.pid!)) {
    try {
      process.kill(instance, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
  return up.kill("SIGTERM");
}

/** Process ids; empty where /proc is missing. */
function listChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Providers require a key. No test of a system needs warm code, which takes time. */
function environment(): NodeJS.ProcessEnv {
  return { SVC_TX_KEY: "a key that nobody else has", SVC_NO_WARM_UP: "true", ...process.env };
}

/** Runs a command in this process, in that environment. */
async function inEnvironment<T>(run: () => Promise<T>): Promise<T> {
  const added = Object.entries(environment()).filter(([name]) => !(name in process.env));
  Object.assign(process.env, Object.fromEntries(added));
  try {
    return await run();
  } finally {
    for (const [name] of added) delete process.env[name];
  }
}
