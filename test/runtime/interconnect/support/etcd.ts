// An etcd server, as installed on this machine.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./instance.js";

const START_MS = 30_000;

export function hasEtcd(): boolean {
  return spawnSync("etcd", ["--version"]).status === 0;
}

export class EtcdServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-etcd-"));
  readonly #child: ChildProcess;
  readonly #client: string;

  private constructor(client: string, peer: string) {
    this.#client = client;
    const words = [
      ...["--data-dir", this.#folder, "--log-level", "error"],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...["--initial-cluster", `default=${peer}`],
    ];
    this.#child = spawn("etcd", words, { stdio: "ignore" });
  }

  static async start(): Promise<EtcdServer> {
    const [client, peer] = [await freePort(), await freePort()];
    const server = new EtcdServer(`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`);
    const giveUpAt = performance.now() + START_MS;
    for (;;) {
      const response = await fetch(`${server.#client}/health`).catch(() => null);
      if (response?.ok) return server;
      if (performance.now() > giveUpAt) throw new Error("etcd does not start");
      await delay(20);
    }
  }

  uri(prefix: string): string {
    return `${this.#client}/${prefix}`;
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
