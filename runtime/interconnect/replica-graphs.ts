// The graphs of this process, as one that follows a provider opens, changes and removes them.

import type { RecoverableGraph } from "../graph/manager/graph-log.js";
import type { GraphManager, OpenGraphRequest } from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { GraphStore } from "../graph/store/graph-store.js";
import type { DurableLog } from "./durable-log.js";
import type { OfferedGraph } from "./wire/positions.js";

/** What other threads have to do so that a graph is opened or removed everywhere. */
export interface CrossThreadGraphs {
  opened(graph: SharedGraph): void;
  remove(name: string, isErased: boolean): Promise<void>;
}

/** What a replica can do with graphs of its process. */
export interface ReplicaGraphs {
  readonly root: string;
  /** The graphs that are open and not local, by name. */
  stores(): Map<string, GraphStore>;
  /** Opens a graph, a new one with this identity, for all threads. */
  open(graph: OfferedGraph): SharedGraph;
  /** Closes a graph for all threads, and removes its files where that is wanted. */
  remove(name: string, isErased: boolean): Promise<void>;
  /** The highest that the log has heard of. */
  epoch: number;
  /** Lets the log take what waits for it, where there is much. */
  drainIfFull(): void;
  /** Resolves when all that was applied so far is on this instance's disk; false: it never is. */
  flushed(): Promise<boolean>;
}

export interface ReplicaGraphsParts {
  readonly settings: { readonly root: string };
  readonly keeper: GraphManager;
  readonly everywhere: CrossThreadGraphs;
  readonly requestOf: (graph: RecoverableGraph) => OpenGraphRequest;
}

export function replicaGraphs(parts: ReplicaGraphsParts, log: DurableLog): ReplicaGraphs {
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
