// Settings of the replication of an instance, and the components that it uses.

import type { ArchiveConfig } from "../base/archive-config.js";
import type { LogLine } from "../base/log-settings.js";
import type { TrafficCounters } from "../metrics/traffic.js";
import type { LeadershipSettings } from "../settings/server-settings.js";
import type { DurableLog } from "./durable-log.js";
import type { OpenEngine } from "./leadership/engines.js";
import type { ReplicaGraphsParts } from "./replica-graphs.js";

export interface ReplicationSettings {
  readonly root: string;
  /** Listen address; null: all. */
  readonly ip: string | null;
  readonly txPort: number | null;
  /** `host:port` of each subscriber. */
  readonly attach: readonly string[];
  readonly txKeyFile: string | null;
  /** URI of a broker stream that receives all transactions; null: none. */
  readonly publishStream: string | null;
  /** URI of a broker stream to follow; null: none. */
  readonly followStream: string | null;
  /** Location of a continuous backup; null: none. */
  readonly archive: string | ArchiveConfig | null;
  /** Group of instances that elect their leader; null: none. */
  readonly leadership: LeadershipSettings | null;
}

export interface ReplicationParts extends ReplicaGraphsParts {
  readonly settings: ReplicationSettings;
  readonly log: DurableLog | null;
  readonly board: TrafficCounters;
  readonly warn: LogLine;
  /** Called when it changes why the graphs are not ready for service; null: they are ready. */
  readonly readiness: (notReady: string | null) => void;
  readonly openEngine: OpenEngine;
  /** Exits, so that the next start can replace the contents of the data folder. */
  readonly restart: () => void;
}

/** Returns whether an instance provides or follows from its start. */
export function isReplicationConfigured({
  txPort,
  attach,
  publishStream,
  followStream,
}: Pick<ReplicationSettings, "txPort" | "attach" | "publishStream" | "followStream">): boolean {
  return txPort !== null || attach.length > 0 || publishStream !== null || followStream !== null;
}
