// Operations of a replica on the graphs of this process.

import type { RecoverableGraph } from "../graph/manager/graph-log.js";
import type { GraphManager, OpenGraphRequest } from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { GraphStore } from "../graph/manager/logging-entry-points.js";
import type { DurableLog } from "./durable-log.js";
import type { Incarnation } from "./leadership/leadership.js";
import type { OfferedGraph } from "./wire/positions.js";

/** Opens and removes graphs in all threads. */
export interface CrossThreadGraphs {
  opened(graph: SharedGraph): void;
  remove(name: string, isErased: boolean): Promise<void>;
}

/** Graph operations of a replica. */
export interface ReplicaGraphs {
  readonly root: string;
  /** Returns the open graphs that are not local, by name. */
  stores(): Map<string, GraphStore>;
  /** Opens a graph in all threads. A new one is created with the offered identity. */
  open(graph: OfferedGraph): SharedGraph;
  /** Closes a graph in all threads, and removes its files if `isErased`. */
  remove(name: string, isErased: boolean): Promise<void>;
  /** Highest epoch in the log. */
  epoch: number;
  /** This instance as a member of its group; null: no group. */
  readonly member?: Incarnation | null;
  /** Returns a ticket for the transactions of several graphs that belong together. */
  nextTicket(): number;
  /** Flushes the log if a ring is nearly full. */
  drainIfFull(): void;
  /** Resolves with true when all changes applied so far are durable, or false if the log failed. */
  flushed(): Promise<boolean>;
}

export interface ReplicaGraphsParts {
  readonly settings: { readonly root: string };
  readonly manager: GraphManager;
  readonly everywhere: CrossThreadGraphs;
  readonly requestOf: (graph: RecoverableGraph) => OpenGraphRequest;
}

export function replicaGraphs(
  parts: ReplicaGraphsParts,
  log: DurableLog,
  member: Incarnation | null,
): ReplicaGraphs {
  const { settings, manager, everywhere, requestOf } = parts;
  return {
    root: settings.root,
    member,
    stores: () => manager.replicated(),
    open: ({ name, path, identity }) => {
      const request = { ...requestOf({ name, path, isLocal: false }), identity };
      const shared = manager.open(request);
      everywhere.opened(shared);
      return shared;
    },
    remove: async (name, isErased) => {
      await everywhere.remove(name, isErased);
      manager.drop(name, isErased);
    },
    nextTicket: () => log.nextTicket(),
    drainIfFull: () => log.drainIfFull(),
    flushed: () => log.settled(),
    get epoch() {
      return log.channel.log.epoch;
    },
    set epoch(epoch) {
      log.channel.log.epoch = epoch;
    },
  };
}
