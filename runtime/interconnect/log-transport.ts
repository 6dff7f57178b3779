// Log transport: a way for the transaction log to leave an instance, and to reach another one. Each
// transport is one module with a row in transports.ts, chosen by the scheme of a URI.

import type { LogLine } from "../base/log-settings.js";
import type { RepairAction } from "../graph/manager/graph-source.js";
import type { ReplicaReport, SubscriberReport, Traffic } from "../metrics/traffic.js";
import type { StartingPoint } from "./catch-up-plan.js";
import type { ReplicatedLog } from "./durable-log.js";
import type { FlowControl } from "./flow-control.js";
import type { Incarnation } from "./leadership/leadership.js";
import type { Replica } from "./replica.js";
import type { SnapshotSource } from "./snapshot-transfer.js";
import type { PeerStatus, Positions } from "./wire/positions.js";
import type { SharedKey } from "./wire/shared-key.js";

export interface LogTransport {
  /** Scheme of its URIs. */
  readonly scheme: string;
  /**
   * Returns the one URI by which a destination is known.
   * @param root data folder of this instance
   * @throws SvcError if the URI is invalid
   */
  canonicalUri(uri: string, root: string): string;
  /** @throws SvcError if the destination cannot be used */
  createSender(uri: string, parts: SenderParts): LogSender;
  /**
   * Missing if the log cannot be followed at a URI.
   * @throws SvcError if the source cannot be used
   */
  createFollower?(uri: string, parts: FollowerParts): LogFollower & { run(): Promise<void> };
}

export interface SenderParts {
  /** Data folder of this instance. */
  readonly root: string;
  readonly key: SharedKey;
  readonly log: ReplicatedLog;
  readonly snapshots: SnapshotSource;
  readonly traffic: Traffic;
  /** Throttles or pauses outbound traffic. */
  readonly gate: FlowControl;
  readonly origin: () => StartingPoint;
  readonly status: () => PeerStatus;
  /** Called when the destination has seen a higher epoch: this provider is superseded. */
  readonly fenced: (epoch: number) => void;
  /** Called when the sender has stopped by itself. */
  readonly ended: () => void;
  /** Receives how far members of a group are; missing: no group. */
  readonly members?: MemberProgress | undefined;
  readonly warn: LogLine;
}

export interface MemberProgress {
  /** Maximum delay between two attempts to connect to a member. */
  readonly maxDelayMs: number;
  /** Interval of acknowledgements, and of heartbeats of the leader. */
  readonly ackMs: number;
  /** A member has everything up to a transaction on disk. */
  acknowledged(member: Incarnation, sn: number): void;
  lost(member: Incarnation): void;
}

/** Sends the transaction log to one destination. */
export interface LogSender {
  /** Canonical URI of the destination. */
  readonly uri: string;
  /** First transaction that the destination may still need. */
  readonly keptSn: number;
  /** True until a requested repair has arrived. */
  readonly isRepairing: boolean;
  /** Returns whether everything up to a transaction has arrived. */
  has(sn: number): boolean;
  /** Requests a repair; null cancels it. */
  repair(repair: RepairAction | null): void;
  /** Called when the flow control opens. */
  wake(): void;
  /** Returns the state; called about once a second. */
  report(): SubscriberReport;
  stop(): void;
  run(): Promise<void>;
}

export interface FollowerParts {
  /** Creates the replica, which marks the data folder: called once the source is usable. */
  readonly createReplica: () => Replica;
  /** Pauses inbound traffic. */
  readonly gate: FlowControl;
  readonly traffic: Traffic;
  readonly warn: LogLine;
}

/** Applies the transaction log of another instance. */
export interface LogFollower {
  /** Log id of the root provider, across any chain of replicas; null: nothing received yet. */
  readonly origin: string | null;
  /** When its provider was last heard, monotonic milliseconds; missing: not known. */
  readonly heardAtMs?: number;
  /** Returns what is here; null: not known. */
  positions?(): Positions | null;
  /** Returns how far the replica is. */
  report(): ReplicaReport;
  stop(): void;
  /** Stops applying, before the data folder loses its replica marker. */
  retire(): Promise<void>;
  /** Resolves when the marker states how far the replica is, after a stop. */
  settle(): Promise<void>;
  /** Refuses providers of lower epochs: an instance leads the group in this one. */
  meet?(epoch: number): void;
  /** Stops following, and fences providers of earlier epochs. */
  promoted(epoch: number): void;
  /** Called when the flow control opens. */
  wake(): void;
}
