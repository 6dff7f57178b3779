// Log transport: sends the transaction log of an instance to a destination, or receives that of
// another instance. Each transport is one module with a row in transports.ts; the scheme of a URI
// selects it.

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
   * Returns the canonical URI of a destination, which identifies it.
   * @param root data folder of this instance
   * @throws SvcError if the URI is invalid
   */
  canonicalUri(uri: string, root: string): string;
  /** @throws SvcError if the destination cannot be used */
  createSender(uri: string, parts: SenderParts): LogSender;
  /**
   * Missing if the transport only sends.
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
  readonly onFenced: (epoch: number) => void;
  /** Called when the sender has stopped on its own. */
  readonly onEnded: () => void;
  /** Receives the progress of members of the group; missing: no group. */
  readonly members?: MemberProgress | undefined;
  readonly warn: LogLine;
}

export interface MemberProgress {
  /** Maximum delay between two attempts to connect to a member. */
  readonly maxDelayMs: number;
  /** Interval of acknowledgments of members, and of heartbeats of the leader. */
  readonly ackMs: number;
  /** Called when a member has everything up to a transaction on disk. */
  onAcknowledged(member: Incarnation, sn: number): void;
  /** Called when a member has disconnected. */
  onLost(member: Incarnation): void;
}

/** Sends the transaction log to one destination. */
export interface LogSender {
  /** Canonical URI of the destination. */
  readonly uri: string;
  /** First transaction that the destination may still need. */
  readonly firstNeededSn: number;
  /** True until a requested repair is complete. */
  readonly isRepairing: boolean;
  /** Returns whether the destination has everything up to a transaction. */
  hasAcknowledged(sn: number): boolean;
  /** Requests a repair; null cancels it. */
  repair(repair: RepairAction | null): void;
  /** Called when the flow control opens. */
  wake(): void;
  /** Returns the state, for statistics. Called about once a second. */
  report(): SubscriberReport;
  stop(): void;
  run(): Promise<void>;
}

export interface FollowerParts {
  /** Creates the replica, which marks the data folder. Called only once the source is usable. */
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
  /** When the provider last sent anything, in monotonic milliseconds; missing: not known. */
  readonly heardAtMs?: number;
  /** Returns the positions of this instance; null: not known. */
  positions?(): Positions | null;
  /** Returns the progress of the replica. */
  report(): ReplicaReport;
  stop(): void;
  /** Stops applying changes, before a promotion removes the replica marker. */
  retire(): Promise<void>;
  /** Resolves when the marker contains the final position, after `stop`. */
  settle(): Promise<void>;
  /** Rejects providers of lower epochs, because an instance leads the group in this one. */
  rejectEpochsBelow?(epoch: number): void;
  /** Stops following, and fences providers of earlier epochs. */
  onPromoted(epoch: number): void;
  /** Called when the flow control opens. */
  wake(): void;
}
