// One instance of a local matrix: `svc serve` in a child process, restarted on the same port if it
// exits. It exits when its parent's channel closes.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { backoffMs } from "../../runtime/base/backoff.js";
import { SvcError } from "../../runtime/base/errors.js";
import { packageRoot } from "../../runtime/base/package-info.js";

/** The C library returns large buffers immediately only if configured at process start. */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: String(128 * 1024) };
/** Minimum restart delay; instances that exit early restart with backoff. */
const RESTART_DELAY_MS = 1000;
const MAX_RESTART_DELAY_MS = 60_000;
const LONG_LIFE_MS = 30_000;

export interface InstanceEvents {
  /** It serves: first, or again. */
  up(instance: Instance): void;
  /** It has ended by itself, and will be started again. */
  down(instance: Instance, reason: string, delayMs: number): void;
  /** A line of its log. */
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
  /** Main port; 0 for any until it listens, null for the one in `options`. */
  port: number | null;

  /** @param options of `svc serve`, its folder among them, without the port unless that is null */
  constructor(
    name: string,
    port: number | null,
    options: readonly string[],
    events: InstanceEvents,
    /** Inherit the output of this process instead of passing lines to `events`. */
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
   * Resolves once it serves.
   * @param once options for this start alone: a later one goes without them
   * @throws SvcError SVC3013 when it ends before, and when it was stopped
   */
  async start(once: readonly string[] = []): Promise<void> {
    if (this.#isStopping) throw new SvcError("SVC3013", `${this.name} was stopped`);
    const port = this.port === null ? [] : ["--port", String(this.port)];
    const words = ["serve", ...this.#options, ...port, ...once];
    this.#startedAtMs = performance.now();
    // In its own process group, or Ctrl-C in the terminal would stop it as well.
    const child = fork(join(packageRoot(), "bin", "svc.cjs"), words, {
      detached: true,
      ...(this.isInherited
        ? {
            stdio: ["ignore", "inherit", "inherit", "ipc"],
            env: { ...MALLOC, ...process.env },
          }
        : {
            stdio: ["ignore", "ignore", "pipe", "ipc"],
            // Its lines get its name before them, so that they are for people.
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
      // A process that cannot be made is one that has ended.
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
        if (hasServed && !this.#isStopping) this.#startAgain(reason);
      });
    });
  }

  /**
   * Resolves with its exit code once its process has ended, which may take as long as its requests.
   */
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

  /** Ends its process at once. */
  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  #startAgain(reason: string): void {
    const livedLong = performance.now() - this.#startedAtMs > LONG_LIFE_MS;
    this.#shortLives = livedLong ? 0 : this.#shortLives + 1;
    const delayMs = restartDelayMs(this.#shortLives);
    this.#events.down(this, reason, delayMs);
    this.#restart = setTimeout(() => {
      this.start().catch((error: SvcError) => {
        if (!this.#isStopping) this.#startAgain(error.message);
      });
    }, delayMs);
  }
}

/** @param shortLives how many in a row have ended soon, the last one included */
export function restartDelayMs(shortLives: number): number {
  const limits = { minMs: RESTART_DELAY_MS, maxMs: MAX_RESTART_DELAY_MS };
  return backoffMs(Math.max(1, shortLives), limits);
}
