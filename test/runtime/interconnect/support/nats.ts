// NATS servers with JetStream, as installed on this machine: one, or a cluster. They can be killed
// and restarted.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./instance.js";

const COMMAND = process.env.NATS_SERVER ?? "nats-server";
const HOST = "127.0.0.1";
const START_MS = 30_000;
const ATTEMPTS = 5;

/** Version of nats-server; null if it is not installed. */
export function natsVersion(): readonly number[] | null {
  const { stdout, status } = spawnSync(COMMAND, ["--version"], { encoding: "utf8" });
  const numbers = /v(\d+)\.(\d+)\.(\d+)/.exec(stdout ?? "");
  return status === 0 && numbers !== null ? numbers.slice(1).map(Number) : null;
}

interface Ports {
  readonly client: number;
  readonly cluster: number;
  readonly monitor: number;
}

export class NatsServers {
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-nats-"));
  readonly #settings: readonly string[];
  #ports: readonly Ports[] = [];
  readonly #processes: (ChildProcess | null)[] = [];

  private constructor(settings: readonly string[]) {
    this.#settings = settings;
  }

  /** @param settings additional JetStream settings */
  static async start(count: number, ...settings: readonly string[]): Promise<NatsServers> {
    const servers = new NatsServers(settings);
    for (let attempt = 1; ; attempt++) {
      servers.#ports = await Promise.all(Array.from({ length: count }, freePorts));
      try {
        await Promise.all(servers.#ports.map((_ports, n) => servers.revive(n)));
        return servers;
      } catch (error) {
        // Another process may have taken a port meanwhile.
        for (let n = 0; n < count; n++) await servers.kill(n);
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  uri(name: string, query = ""): string {
    const hosts = this.#ports.map(({ client }) => `${HOST}:${client}`);
    return `nats://${hosts.join(",")}/${name}${query}`;
  }

  get monitors(): string {
    return this.#ports.map(({ monitor }) => `127.0.0.1:${monitor}`).join(",");
  }

  get count(): number {
    return this.#ports.length;
  }

  /** The server that leads a stream; -1 if there is none at present. */
  async leader(stream: string): Promise<number> {
    const path = "jsz?streams=true&accounts=true";
    for (const [n, { monitor }] of this.#ports.entries()) {
      if (this.#processes[n] === null) continue;
      try {
        const response = await fetch(`http://127.0.0.1:${monitor}/${path}`);
        const text = await response.text();
        const details = JSON.parse(text).account_details?.[0]?.stream_detail ?? [];
        const detail = details.find(({ name }: { name: string }) => name === stream);
        const leader = /^n(\d)$/.exec(detail?.cluster?.leader ?? "");
        if (leader !== null) return Number(leader[1]);
      } catch {
        // It is starting or stopping.
      }
    }
    return -1;
  }

  async kill(n: number): Promise<void> {
    const child = this.#processes[n];
    this.#processes[n] = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  /** Deletes the data of a server that was killed. */
  forget(n: number): void {
    rmSync(this.#store(n), { recursive: true, force: true });
  }

  async revive(n: number): Promise<void> {
    const { client } = this.#ports[n]!;
    const file = join(this.#folder, `${n}.conf`);
    mkdirSync(this.#store(n), { recursive: true });
    writeFileSync(file, this.#config(n));
    const child = spawn(COMMAND, ["-c", file], { stdio: "ignore" });
    this.#processes[n] = child;
    const giveUpAt = performance.now() + START_MS;
    while (!(await isResponding(client)) || !(await this.#isUp(n))) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || performance.now() > giveUpAt) throw new Error("nats-server does not start");
      await delay(20);
    }
  }

  /** Returns whether this server answers, and not another process that took its port meanwhile. */
  async #isUp(n: number): Promise<boolean> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#ports[n]!.monitor}/varz`);
      return (await response.text()).includes(this.#store(n));
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    for (let n = 0; n < this.count; n++) await this.kill(n);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #store(n: number): string {
    return join(this.#folder, `store${n}`);
  }

  #config(n: number): string {
    const { client, cluster, monitor } = this.#ports[n]!;
    const routes = this.#ports.map((ports) => `nats://127.0.0.1:${ports.cluster}`).join(", ");
    const lines = [
      `server_name: n${n}`,
      `listen: ${HOST}:${client}`,
      `http: 127.0.0.1:${monitor}`,
      `jetstream { ${[`store_dir: "${this.#store(n)}"`, ...this.#settings].join(", ")} }`,
    ];
    if (this.count > 1) {
      lines.push(`cluster { name: c, listen: "127.0.0.1:${cluster}", routes: [${routes}] }`);
    }
    return lines.join("\n");
  }
}

async function freePorts(): Promise<Ports> {
  const [client, cluster, monitor] = [await freePort(), await freePort(), await freePort()];
  return { client, cluster, monitor };
}

function isResponding(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
