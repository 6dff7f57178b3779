// All instances of a local matrix: engines first, then the dispatcher, whose configuration is
// written to a file for readers.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEFAULT_CHANNELS } from "../../runtime/base/limits.js";
import { ignoreBrokenPipe } from "../../runtime/base/log.js";
import { onTerminationSignal } from "../../runtime/lifecycle/termination-signals.js";
import { sampleCall } from "../serving/announce.js";
import { readBuild, warnIfStale } from "../serving/built-project.js";
import { Instance, type InstanceEvents } from "../serving/instance.js";

/** Instances listen on loopback only. */
const HOST = "127.0.0.1";
/** Ports of an instance: main and admin. */
const PORTS_PER_INSTANCE = 2;

export interface MatrixShape {
  readonly replicas: number;
  readonly partitions: number;
}

export interface MatrixValues {
  readonly port?: number;
  readonly channels?: number;
  readonly root?: string;
}

export class LocalMatrix implements InstanceEvents {
  readonly #folder: string;
  readonly #shape: MatrixShape;
  readonly #channels: number;
  readonly #port: number;
  readonly #root: string;
  /** By partition, then replica. */
  readonly #engines: readonly (readonly Instance[])[];
  readonly #dispatcher: Instance;
  readonly #configFile: string;
  #isStopping = false;

  /**
   * @param folder of a built project
   * @throws SvcError SVC3006 if there is no build
   */
  constructor(folder: string, shape: MatrixShape, { port, channels, root }: MatrixValues) {
    ignoreBrokenPipe();
    const manifest = readBuild(folder);
    this.#folder = folder;
    this.#shape = shape;
    this.#channels = channels ?? DEFAULT_CHANNELS;
    this.#port = port ?? manifest.config.http.port;
    this.#root = root === undefined ? join(folder, manifest.config.root, "matrix") : resolve(root);
    this.#configFile = join(this.#root, "dispatcher.json");
    this.#engines = Array.from({ length: shape.partitions }, (_, partition) =>
      Array.from({ length: shape.replicas }, (_, replica) => this.#engine(partition, replica)),
    );
    const dispatcher = ["--role", "dispatcher", "--dispatcher", this.#configFile];
    this.#dispatcher = this.#instance("dispatcher", "dispatcher", 0, dispatcher);
  }

  /**
   * Starts everything; resolves when a signal has ended it.
   * @throws SvcError SVC3013 if an instance cannot be started; the others are stopped
   */
  async run(): Promise<void> {
    await warnIfStale(this.#folder);
    const { partitions, replicas } = this.#shape;
    console.log(`svc matrix: ${partitions} partitions, ${replicas} replicas of each`);
    const stopped = this.#stopOnSignals();
    try {
      await Promise.all(this.#engines.flat().map((engine) => engine.start()));
      this.#writeConfig();
      await this.#dispatcher.start();
      this.#printHow();
    } catch (error) {
      await this.#stop();
      if (!this.#isStopping) throw error;
    }
    await stopped;
  }

  up(instance: Instance): void {
    this.#print(instance, `up, pid ${instance.pid}`);
  }

  down(instance: Instance, reason: string, delayMs: number): void {
    this.#print(instance, `down (${reason}); restarting in ${delayMs} ms`);
  }

  line({ name }: Instance, text: string): void {
    process.stderr.write(`${name}: ${text}\n`);
  }

  #engine(partition: number, replica: number): Instance {
    const index = 1 + partition * this.#shape.replicas + replica;
    const name = `partition ${partition} replica ${replica}`;
    // Only this transport understands the preamble of dispatchers.
    const isFirst = partition === 0 && replica === 0;
    const jobs = isFirst ? [] : ["--jobs", "false"];
    const options = ["--role", "engine", "--transport", "net", ...jobs];
    return this.#instance(name, `partition-${partition}-replica-${replica}`, index, options);
  }

  /** @param index number of instances before this one */
  #instance(name: string, root: string, index: number, options: readonly string[]): Instance {
    const port = this.#port === 0 ? 0 : this.#port + index * PORTS_PER_INSTANCE;
    const folder = join(this.#root, root);
    mkdirSync(folder, { recursive: true });
    return new Instance(
      name,
      port,
      [this.#folder, "--root", folder, "--ip", HOST, ...options],
      this,
    );
  }

  #writeConfig(): void {
    const row = { channels: this.#channels, priority: 1 };
    const config = {
      partitions: this.#engines.map((engines) => engines.map(({ port }) => ({ host: HOST, port }))),
      replicas: new Array(this.#shape.replicas).fill(row),
    };
    writeFileSync(this.#configFile, `${JSON.stringify(config, null, 2)}\n`);
  }

  #print({ name, port }: Instance, state: string): void {
    console.log(`  ${name.padEnd(24)}http://${HOST}:${port}  ${state}`);
  }

  #printHow(): void {
    const main = `http://${HOST}:${this.#dispatcher.port}`;
    console.log(
      [
        `svc matrix: serving ${this.#folder} on ${main}; press Ctrl-C to stop`,
        `  configuration ${this.#configFile}`,
        ...sampleCall(this.#folder, main),
      ].join("\n"),
    );
  }

  /** Resolves when everything has ended after a signal; a second signal kills it at once. */
  #stopOnSignals(): Promise<void> {
    return new Promise((resolve) => {
      const stop = (): void => {
        this.#isStopping = true;
        void this.#stop().then(resolve);
      };
      onTerminationSignal(stop, () => this.#kill());
    });
  }

  /** The dispatcher stops first, so that its requests still have engines. */
  async #stop(): Promise<void> {
    await this.#dispatcher.stop();
    await Promise.all(this.#engines.flat().map((engine) => engine.stop()));
  }

  #kill(): void {
    for (const instance of [this.#dispatcher, ...this.#engines.flat()]) {
      void instance.stop("SIGKILL");
    }
  }
}
