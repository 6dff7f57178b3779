// One instance of a local matrix: `svc serve` in a child process, restarted on the same port if it
// exits. It exits when its parent's channel closes.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { backoffMs } from "../../runtime/base/backoff.js";
import { SvcError } from "../../runtime/base/errors.js";
import { packageRoot } from "../../runtime/base/package-info.js";

/** Makes the C library release large buffers at once; read only at process start. */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: String(128 * 1024) };
/** Minimum restart delay; instances that exit early restart with backoff. */
const RESTART_DELAY_MS = 1000;
const MAX_RESTART_DELAY_MS = 60_000;
const LONG_LIFE_MS = 30_000;

export interface InstanceEvents {
  /** Called when the instance starts to serve, also after restarts. */
  up(instance: Instance): void;
  /** Called when the instance has exited and will be restarted. */
  down(instance: Instance, reason: string, delayMs: number): void;
  /** Called with a line of its log. */
  line(instance: Instance, text: string): void;
}

export class Instance {
  readonly name: string;
  readonly #options: readonly string[];
  readonly #events: InstanceEvents;
  #child: ChildProcess | null = null;
  #restart: NodeJS.Timeout | undefined;
  #isStopping = false;
  #startedAtMs = 0;
  #shortLives = 0;
  #exitCode = 0;
  /** Main port; 0: any until it listens; null: the one in `options`. */
  port: number | null;

  /** @param options of `svc serve` including the folder, without the port unless it is null */
  constructor(
    name: string,
    port: number | null,
    options: readonly string[],
    events: InstanceEvents,
    /** True to inherit this process's output instead of passing lines to `events`. */
    readonly isInherited = false,
  ) {
    this.name = name;
    this.port = port;
    this.#options = options;
    this.#events = events;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /**
   * Resolves when it serves.
   * @param once options for this start only
   * @throws SvcError SVC3013 if it ends or is stopped before
   */
  async start(once: readonly string[] = []): Promise<void> {
    if (this.#isStopping) throw new SvcError("SVC3013", `${this.name} was stopped`);
    const port = this.port === null ? [] : ["--port", String(this.port)];
    const words = ["serve", ...this.#options, ...port, ...once];
    this.#startedAtMs = performance.now();
    // In its own process group, so that Ctrl-C in the terminal does not reach it.
    const child = fork(join(packageRoot(), "bin", "svc.cjs"), words, {
      detached: true,
      ...(this.isInherited
        ? {
            stdio: ["ignore", "inherit", "inherit", "ipc"],
            env: { ...MALLOC, ...process.env },
          }
        : {
            stdio: ["ignore", "ignore", "pipe", "ipc"],
            // Text, because the name of the instance precedes each line.
            env: { ...MALLOC, SVC_LOG_FORMAT: "text", ...process.env },
          }),
    });
    this.#child = child;
    const lines = child.stderr && createInterface(child.stderr);
    lines?.on("line", (text) => this.#events.line(this, text));
    return new Promise((resolve, reject) => {
      let hasServed = false;
      child.once("message", (message) => {
        hasServed = true;
        this.port = (message as { port: number }).port;
        this.#events.up(this);
        resolve();
      });
      // A process that cannot be created counts as exited.
      child.on("error", (error) => {
        if (child.pid !== undefined) return;
        this.#child = null;
        reject(new SvcError("SVC3013", `${this.name} failed to start: ${error.message}`));
      });
      child.once("close", (code, signal) => {
        this.#child = null;
        this.#exitCode = code ?? 1;
        const reason = signal ?? `exit code ${code}`;
        if (!hasServed) reject(new SvcError("SVC3013", `${this.name} exited: ${reason}`));
        if (hasServed && !this.#isStopping) this.#scheduleRestart(reason);
      });
    });
  }

  /** Stops after the running requests; resolves with the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === null) return this.#exitCode;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill(signal);
    await closed;
    return this.#exitCode;
  }

  /** Kills its process. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  #scheduleRestart(reason: string): void {
    const livedLong = performance.now() - this.#startedAtMs > LONG_LIFE_MS;
    this.#shortLives = livedLong ? 0 : this.#shortLives + 1;
    const delayMs = restartDelayMs(this.#shortLives);
    this.#events.down(this, reason, delayMs);
    this.#restart = setTimeout(() => {
      this.start().catch((error: SvcError) => {
        if (!this.#isStopping) this.#scheduleRestart(error.message);
      });
    }, delayMs);
  }
}

/** @param shortLives number of consecutive early exits, including the last one */
export function restartDelayMs(shortLives: number): number {
  const limits = { minMs: RESTART_DELAY_MS, maxMs: MAX_RESTART_DELAY_MS };
  return backoffMs(Math.max(1, shortLives), limits);
}
