// The graph and replication part of an instance, in this thread: several of them replicate over
// real sockets without processes.

import { mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as assert from "uvu/assert";
import type { ArchiveConfig } from "../../../../runtime/base/archive-config.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import type { SharedGraph } from "../../../../runtime/graph/manager/graph-source.js";
import { requireIdentity } from "../../../../runtime/graph/manager/logging-entry-points.js";
import { eraseStoredGraph } from "../../../../runtime/graph/manager/snapshot/stored-graphs.js";
import { removeEverywhere } from "../../../../runtime/graph/manager/track-graph.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { GraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import type { Control } from "../../../../runtime/interconnect/control.js";
import type { Durability } from "../../../../runtime/interconnect/durable-log.js";
import { Interconnect } from "../../../../runtime/interconnect/interconnect.js";
import type { OpenEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { type Disk, realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { TrafficCounters, type TrafficReport } from "../../../../runtime/metrics/traffic.js";
import type { LeadershipSettings } from "../../../../runtime/settings/server-settings.js";
import { comparable } from "../../../property/support/comparable.js";
import { openStore } from "../../graph/support/make-graph.js";

/** Two numbers for each: of the thread that manages graphs, and of the one that uses them. */
let instances = 0;

export interface InstanceOptions {
  readonly txPort?: number | null;
  readonly attach?: readonly string[];
  readonly disk?: Disk;
  readonly durability?: Durability;
  readonly retainLogBytes?: number;
  readonly publishStream?: string | null;
  readonly followStream?: string | null;
  readonly archive?: string | ArchiveConfig | null;
  readonly leadership?: LeadershipSettings | null;
  readonly openEngine?: OpenEngine;
  /** Called when a server would end, to start again. */
  readonly restart?: () => void;
  /** Called with why its graphs are not ready for service; null: they are. */
  readonly readiness?: (notReady: string | null) => void;
}

export class Instance {
  readonly lines: string[] = [];
  /** Why its graphs were not ready for service, one after the other; null: they were. */
  readonly readiness: (string | null)[] = [];
  readonly clock = new CommitClock();
  readonly #root: string;
  readonly #thread = 100 + 2 * (instances++ % 50);
  readonly #interconnect: Interconnect;
  readonly #board = new TrafficCounters();
  readonly #shares = new Set<SharedGraph["share"]>();

  private constructor(root: string, options: InstanceOptions) {
    const { txPort = null, attach = [], disk, durability: mode = "async" } = options;
    const { publishStream = null, followStream = null, retainLogBytes = 0 } = options;
    const { archive = null, leadership = null, openEngine } = options;
    this.#root = root;
    const settings = {
      ...{ root, readonly: false, graphs: {}, durability: mode, retainLogBytes },
      ...{ events: false, saveEvery: 0 },
      ...{ ip: null, txPort, attach, txKeyFile: null, publishStream, followStream, archive },
      leadership,
    };
    const log = (line: string): number => this.lines.push(line);
    this.#interconnect = new Interconnect(
      this.#thread,
      settings,
      this.clock,
      log,
      disk ?? realDisk,
      openEngine,
    );
  }

  static async start(root: string, options: InstanceOptions = {}): Promise<Instance> {
    mkdirSync(root, { recursive: true });
    const instance = new Instance(root, options);
    for (const { share } of instance.#interconnect.recover(true).graphs) {
      instance.#shares.add(share);
    }
    const opened = ({ share }: SharedGraph): void => void instance.#shares.add(share);
    const everywhere = { opened, remove: async () => undefined };
    const readiness = (notReady: string | null): void => {
      instance.readiness.push(notReady);
      options.readiness?.(notReady);
    };
    const { restart } = options;
    await instance.#interconnect.replicate(everywhere, instance.#board, readiness, restart);
    return instance;
  }

  graph(name = "g"): Graph {
    return openStore(this.store(name));
  }

  store(name = "g", isLocal = false): GraphStore {
    const folder = join(this.#root, name);
    const request = { name, path: name, folder, isLocal, isReadonly: false };
    const { share } = this.#interconnect.keep({ ...request, isStorable: true });
    this.#shares.add(share);
    return GraphStore.attach(share, this.#thread + 1);
  }

  /** Returns a graph that is open; null: it is not. */
  find(name: string): GraphStore | null {
    for (const share of [...this.#shares].reverse()) {
      if (share.name !== name || share.memories.length === 0) continue;
      const store = GraphStore.attach(share, this.#thread + 1);
      if (!store.memory.isRemoved) return store;
    }
    return null;
  }

  /** Erases an open graph, in the order of a server. */
  erase(name: string): void {
    const store = this.find(name)!;
    removeEverywhere(store);
    this.#interconnect.erase(requireIdentity(store));
    eraseStoredGraph(join(this.#root, name));
  }

  async control(control: Control): Promise<unknown> {
    return this.#interconnect.control(control);
  }

  save(): Promise<boolean> | boolean {
    return this.#interconnect.save(0);
  }

  get shown(): TrafficReport {
    return this.#board.read();
  }

  get log(): string {
    return this.lines.join("\n");
  }

  /** Resolves when all commits so far may be acknowledged; false: they never may. */
  isConfirmed(): Promise<boolean> {
    return this.clock.waitConfirmed(this.clock.nextFlush);
  }

  async isFlushed(): Promise<boolean> {
    return this.clock.wait(this.clock.nextFlush);
  }

  /** Also frees its graphs, as the end of a process does. */
  async stop(): Promise<void> {
    await this.#interconnect.closeLog();
    this.free();
  }

  /** Frees its graphs only: all that a killed process does. */
  free(): void {
    for (const share of this.#shares) {
      // A replaced graph has been freed.
      if (share.memories.length === 0) continue;
      removeEverywhere({ memory: new GraphMemory(share) });
    }
  }
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean, describe: () => string): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`it never came: ${describe()}`);
    await delay(5);
  }
}

/** Waits until both have equal contents of a graph. */
export async function same(first: Instance, second: Instance, name = "g"): Promise<void> {
  const store = first.store(name);
  const isCaughtUp = (): boolean => second.store(name).operationCount === store.operationCount;
  await until(isCaughtUp, () => `${first.log}\n---\n${second.log}`);
  const [a, b] = [contents(store), contents(second.store(name))];
  assert.equal(b, a);
}

function contents(store: GraphStore): unknown {
  const { graph, vertices } = comparable(store) as { graph: object; vertices: unknown };
  return { graph: { ...graph, isReadonly: null }, vertices };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
