// A validated system descriptor with all defaults filled in.

import type { ArchiveConfig } from "../base/archive-config.js";
import type { SlotRuns } from "../base/slot-map.js";
import type { InstanceType, SystemLeadership, SystemTls } from "./descriptor.js";

export interface Instance {
  readonly id: string;
  readonly type: InstanceType;
  /** Negative: that of its partition. */
  readonly group: number;
  readonly graphs: readonly string[];
  readonly host: string;
  readonly hport: number;
  readonly prefix: string | null;
  readonly serviceIn: boolean;
  readonly attach: boolean;
  /** 0: accepts no transactions. */
  readonly tport: number;
  readonly durable: boolean;
  readonly description: string;
}

export interface System {
  readonly name: string;
  readonly graphs: readonly string[];
  /** In the order of the descriptor. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** TLS settings of clients of the instances; null: plain. */
  readonly tls: SystemTls | null;
  /** Continuous backup, and the instance that makes it; null: none. */
  readonly archive: { readonly from: string; readonly config: ArchiveConfig } | null;
  /** Null: operators promote replicas. */
  readonly leadership: Required<SystemLeadership> | null;
  /** By provider; contains every instance. */
  readonly subscribers: ReadonlyMap<string, readonly string[]>;
  /** By subscriber. */
  readonly providers: ReadonlyMap<string, string>;
  /** Matrix by dispatcher; ids by partition, then replica. */
  readonly matrices: ReadonlyMap<string, SystemMatrix>;
  /** Null: partitions divide their data as their plugins do. */
  readonly slots: SystemSlots | null;
  /** The descriptor with current key names. */
  readonly descriptor: object;
  /** Its instances with one key each, in place of ranges. */
  readonly namedInstances: Readonly<Record<string, object>>;
}

/** Division of the data by key. */
export interface SystemSlots {
  readonly graphs: readonly string[];
  /** Types of vertices that exist in every group. */
  readonly everywhere: readonly string[];
  /** Ids of the tops of the replication trees; those of slots are their offsets. */
  readonly groups: readonly string[];
  readonly map: SlotRuns;
}

export interface SystemMatrix {
  /** By partition, then replica. */
  readonly partitions: readonly (readonly string[])[];
  readonly rows: readonly SystemRow[];
  readonly allowIncomplete: boolean;
}

export interface SystemRow {
  readonly channels: number;
  readonly priority: number;
  readonly primary: boolean;
  /** Its engines are members of a group, and the one that leads gets the requests. */
  readonly leader: boolean;
}
