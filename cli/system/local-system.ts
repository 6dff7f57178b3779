// `svc up`: runs all local instances of a system in child processes, restarts them when they exit,
// and shows their logs in one terminal.

import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ignoreBrokenPipe } from "../../runtime/base/log.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import type { System } from "../../runtime/system/system.js";
import { Instance, type InstanceEvents } from "../serving/instance.js";
import { InstanceColors } from "./instance-colors.js";
import { type DownRequest, SupervisorSocket } from "./supervisor-socket.js";

/** Stop timeout: an instance may save graphs twice, and complete requests in between. */
const STOP_TIMEOUT_MS = 40_000;

export interface LocalSystemParts {
  readonly system: System;
  /** Ids of the instances on this machine. */
  readonly ids: readonly string[];
  /** Folder of the project. */
  readonly folder: string;
  /** File of the descriptor, if the user named one. */
  readonly descriptor: string | undefined;
  /** Folder of all data. */
  readonly root: string;
}

export class LocalSystem implements InstanceEvents {
  readonly #parts: LocalSystemParts;
  readonly #instances: ReadonlyMap<string, Instance>;
  readonly #colors: InstanceColors;
  readonly #socket: SupervisorSocket;
  #end: () => void = () => {};
  #isEnding = false;

  constructor(parts: LocalSystemParts) {
    ignoreBrokenPipe();
    this.#parts = parts;
    const { ids, root } = parts;
    this.#colors = new InstanceColors(ids);
    this.#instances = new Map(ids.map((id) => [id, this.#instance(id)]));
    this.#socket = new SupervisorSocket(root, (request, report) => this.#down(request, report));
  }

  /**
   * Starts everything; resolves when a signal or `svc down` has ended it.
   * @throws SvcError SVC3013 if an instance cannot be started; the others are stopped
   */
  async run(): Promise<void> {
    const { system, ids, root } = this.#parts;
    await this.#socket.open(root);
    console.log(`svc up: ${system.name}, ${ids.length} of ${system.instances.size} instances`);
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    onTerminationSignal(
      () => void this.#endAll(),
      () => this.#kill(),
    );
    try {
      // Dispatchers start last, so that their first probes find the back-ends.
      const isDispatcher = (id: string) => system.matrices.has(id);
      await this.#start(ids.filter((id) => !isDispatcher(id)));
      await this.#start(ids.filter(isDispatcher));
      if (!this.#isEnding)
        console.log("svc up: all instances are up; stop with `svc down` or Ctrl-C");
    } catch (error) {
      const wasAsked = this.#isEnding;
      await this.#endAll();
      if (!wasAsked) throw error;
    }
    await ended;
  }

  up(instance: Instance): void {
    const { instances, tls } = this.#parts.system;
    const { host } = instances.get(instance.name)!;
    const scheme = tls === null ? "http" : "https";
    this.#print(instance.name, `up at ${scheme}://${host}:${instance.port}, pid ${instance.pid}`);
  }

  down(instance: Instance, reason: string, delayMs: number): void {
    this.#print(instance.name, `down (${reason}); restarting in ${delayMs} ms`);
  }

  line({ name }: Instance, text: string): void {
    this.#print(name, text.replace(/^svc: /, ""));
  }

  #instance(id: string): Instance {
    const { system, folder, descriptor, root } = this.#parts;
    const { hport } = system.instances.get(id)!;
    const file = descriptor === undefined ? [] : ["--descriptor", resolve(descriptor)];
    return new Instance(id, hport, [folder, "--instance", id, "--root", root, ...file], this);
  }

  async #start(ids: readonly string[]): Promise<void> {
    const starts = ids.map((id) => this.#instances.get(id)!.start());
    // Waits for all, because no instance may start while the others are being stopped.
    const results = await Promise.allSettled(starts);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #down({ ids, force }: DownRequest, report: (text: string) => void): Promise<boolean> {
    const chosen = (ids ?? this.#parts.ids).filter((id) => this.#instances.has(id));
    const ended = await this.#stop(chosen, force, report);
    // Flushes the last lines before the process exits.
    if (ids === null && ended) setImmediate(() => this.#close());
    return ended;
  }

  /** Dispatchers stop first, so that their requests still have engines. */
  async #stop(
    ids: readonly string[],
    isForced: boolean,
    report: (text: string) => void,
  ): Promise<boolean> {
    const { matrices } = this.#parts.system;
    const stop = async (id: string): Promise<boolean> => {
      const ending = this.#instances.get(id)!.stop(isForced ? "SIGKILL" : "SIGTERM");
      const isEnded = await Promise.race([
        ending.then(() => true),
        sleep(STOP_TIMEOUT_MS, false, { ref: false }),
      ]);
      report(
        isEnded ? `${id} has ended` : `${id} does not exit; kill it with \`svc down --force\``,
      );
      return isEnded;
    };
    const dispatchers = await Promise.all(ids.filter((id) => matrices.has(id)).map(stop));
    const others = await Promise.all(ids.filter((id) => !matrices.has(id)).map(stop));
    return [...dispatchers, ...others].every((isEnded) => isEnded);
  }

  async #endAll(): Promise<void> {
    this.#isEnding = true;
    const isEnded = await this.#stop(this.#parts.ids, false, (text) => {
      if (!text.endsWith("has ended")) console.log(`svc up: ${text}`);
    });
    if (isEnded) this.#close();
  }

  #close(): void {
    this.#isEnding = true;
    this.#socket.close();
    this.#end();
  }

  #kill(): void {
    const ending = [...this.#instances.values()].map((instance) => instance.stop("SIGKILL"));
    void Promise.all(ending).then(() => this.#close());
  }

  #print(id: string, text: string): void {
    console.log(`${this.#colors.name(id)} ${text}`);
  }
}

/** Default data folder of a system. */
export function systemRoot(
  folder: string,
  configured: string,
  requested: string | undefined,
): string {
  return requested === undefined ? join(folder, configured) : resolve(requested);
}
