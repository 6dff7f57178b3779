// One instance of a matrix: `svc serve` in a process of its own, which is started again at the same
// port when it ends by itself. It ends with the process that holds its channel.

import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { SvcError } from "../../runtime/base/errors.js";
import { packageRoot } from "../../runtime/base/package-info.js";

/** Pause before a new start: what ends at once must not be started without end at full speed. */
const RESTART_DELAY_MS = 1000;

export interface InstanceEvents {
  /** It serves: first, or again. */
  up(instance: Instance): void;
  /** It has ended by itself, and will be started again. */
  down(instance: Instance, reason: string): void;
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
  /** Main port; until it serves the one that is wanted, 0 for any. */
  port: number;

  /** @param options of `svc serve`, its folder among them, without the port */
  constructor(name: string, port: number, options: readonly string[], events: InstanceEvents) {
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
   * @throws SvcError SVC3013 when it ends before, and when it was stopped
   */
  async start(): Promise<void> {
    if (this.#isStopping) throw new SvcError("SVC3013", `${this.name} was stopped`);
    const words = ["serve", ...this.#options, "--port", String(this.port)];
    // In a group of its own, or Ctrl-C in the terminal would stop it beside us.
    const child = fork(join(packageRoot(), "bin", "svc.cjs"), words, {
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Its lines get its name before them, so that they are for people.
      env: { SVC_LOG_FORMAT: "text", ...process.env },
    });
    this.#child = child;
    createInterface(child.stderr!).on("line", (text) => this.#events.line(this, text));
    return new Promise((resolve, reject) => {
      let hasServed = false;
      child.once("message", (message) => {
        hasServed = true;
        this.port = (message as { port: number }).port;
        this.#events.up(this);
        resolve();
      });
      child.once("close", (code, signal) => {
        this.#child = null;
        const reason = signal ?? `exit code ${code}`;
        if (!hasServed) reject(new SvcError("SVC3013", `${this.name} has ended with ${reason}`));
        if (hasServed && !this.#isStopping) this.#startAgain(reason);
      });
    });
  }

  /** Resolves once its process has ended, which may take as long as its requests. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === null) return;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill(signal);
    await closed;
  }

  #startAgain(reason: string): void {
    this.#events.down(this, reason);
    this.#restart = setTimeout(() => {
      this.start().catch((error: SvcError) => {
        if (!this.#isStopping) this.#startAgain(error.message);
      });
    }, RESTART_DELAY_MS);
  }
}
