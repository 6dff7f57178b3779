// All that an instance has to do with others: it provides its graphs to those that it is attached
// to, and listens for one that provides them to it.

import { hostname } from "node:os";
import { SvcError } from "../base/errors.js";
import type { GraphKeeper, KeepRequest } from "../graph/keeper/graph-keeper.js";
import type { RecoverableGraph } from "../graph/keeper/graph-log.js";
import type { SharedGraph } from "../graph/keeper/graph-source.js";
import { graphDigest } from "../graph/status/graph-sums.js";
import { Traffic, type TrafficBoard } from "../metrics/traffic.js";
import type { DurableLog } from "./durable-log.js";
import { serialBase } from "./log/log-id.js";
import { Provider } from "./provider.js";
import { Replica, type ReplicaGraphs } from "./replica.js";
import { Subscriber } from "./subscriber.js";
import { isThisMachine, SharedKey } from "./wire/shared-key.js";
import type { PeerStatus } from "./wire/status.js";

const SAVE_TIMEOUT_MS = 60_000;
const SHOWN_MS = 1_000;

export interface ReplicationSettings {
  readonly root: string;
  /** Address to listen on; null: all. */
  readonly ip: string | null;
  readonly txPort: number | null;
  /** `host:port` of each subscriber. */
  readonly attach: readonly string[];
  readonly txKeyFile: string | null;
}

/** What other threads have to do so that a graph is opened or removed everywhere. */
export interface Everywhere {
  opened(graph: SharedGraph): void;
  remove(name: string, isErased: boolean): Promise<void>;
}

export interface ReplicationParts {
  readonly settings: ReplicationSettings;
  readonly keeper: GraphKeeper;
  readonly log: DurableLog | null;
  readonly everywhere: Everywhere;
  readonly board: TrafficBoard;
  readonly requestOf: (graph: RecoverableGraph) => KeepRequest;
  readonly warn: (line: string) => void;
}

export class Replication {
  readonly #traffic = new Traffic();
  readonly #providers: readonly Provider[];
  readonly #subscriber: Subscriber | null;
  readonly #timer: NodeJS.Timeout;

  /** @throws SvcError SVC2530, SVC2534 */
  private constructor(parts: ReplicationParts, log: DurableLog) {
    const { settings, keeper, board, warn } = parts;
    const key = SharedKey.read(settings.txKeyFile);
    const traffic = this.#traffic;
    const status = (): PeerStatus => ({
      at: Date.now(),
      host: hostname(),
      adminPort: board.adminPort,
      serial: traffic.serial,
      digest: digestOf(keeper),
    });
    const snapshots = { saveNow: (name: string) => keeper.saveNow(name, SAVE_TIMEOUT_MS) };
    this.#providers = settings.attach.map((address) => {
      const { host, port } = hostAndPort(address, key);
      return new Provider({ host, port, key, log, snapshots, traffic, status, warn });
    });
    log.keptSn = () => Math.min(...this.#providers.map(({ keptSn }) => keptSn));
    this.#subscriber = null;
    const { ip, txPort: port } = settings;
    if (port !== null) {
      const replica = new Replica(replicaGraphs(parts, log));
      this.#subscriber = new Subscriber({ port, ip, key, replica, traffic, status, warn });
      traffic.txPort = port;
    }
    const { log: changes } = log.channel;
    const show = (): void => {
      // Before a first unit there is no log.
      const isBegun = changes.safe > 0;
      if (port === null && isBegun) traffic.serial = serialBase(changes.logId) + changes.safe;
      const subscribers = this.#providers.map((provider) => provider.shown());
      board.write(traffic.shown(subscribers, changes.bytes));
    };
    show();
    this.#timer = setInterval(show, SHOWN_MS).unref();
  }

  /** Null: there is no log. @throws SvcError SVC2530, SVC2534 */
  static async start(parts: ReplicationParts): Promise<Replication | null> {
    const { txPort, attach } = parts.settings;
    const isWanted = txPort !== null || attach.length > 0;
    if (parts.log === null || !parts.log.isOn) {
      if (!isWanted) return null;
      const text =
        "replication needs the log of changes: `log` is off, or the root is not writable";
      throw new SvcError("SVC2530", text);
    }
    const replication = new Replication(parts, parts.log);
    try {
      await replication.#subscriber?.listen();
    } catch (error) {
      replication.stop();
      throw error;
    }
    for (const provider of replication.#providers) void provider.run();
    return replication;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#subscriber?.stop();
    for (const provider of this.#providers) provider.stop();
  }
}

function replicaGraphs(parts: ReplicationParts, log: DurableLog): ReplicaGraphs {
  const { settings, keeper, everywhere, requestOf } = parts;
  return {
    root: settings.root,
    stores: () => keeper.replicated(),
    open: ({ name, path, identity }) => {
      const request = { ...requestOf({ name, path, isLocal: false }), identity };
      const shared = keeper.keep(request);
      everywhere.opened(shared);
      return shared;
    },
    remove: async (name, isErased) => {
      await everywhere.remove(name, isErased);
      keeper.drop(name, isErased);
    },
    relieve: () => log.relieve(),
  };
}

function digestOf(keeper: GraphKeeper): string {
  return graphDigest([...keeper.replicated().values()].map((store) => ({ store })));
}

/** @throws SvcError SVC2530 */
function hostAndPort(address: string, key: SharedKey): { host: string; port: number } {
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[|\]$/g, "");
  if (!key.isThere && !isThisMachine(host)) {
    const text = `replication to ${address} needs a key: set txKeyFile, or the variable SVC_TX_KEY`;
    throw new SvcError("SVC2530", text);
  }
  return { host, port: Number(address.slice(at + 1)) };
}
