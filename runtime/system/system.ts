// A system as programs work with it: the descriptor, checked, with every default filled in.

import type { InstanceType, SystemTls } from "./descriptor.js";

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
  /** 0: it takes no transactions. */
  readonly tport: number;
  readonly durable: boolean;
  readonly description: string;
}

export interface System {
  readonly name: string;
  readonly graphs: readonly string[];
  /** In the order of the descriptor. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** What whoever asks instances believes and shows; null: they speak no TLS. */
  readonly tls: SystemTls | null;
  /** By provider; everybody is in here. */
  readonly subscribers: ReadonlyMap<string, readonly string[]>;
  /** By subscriber. */
  readonly providers: ReadonlyMap<string, string>;
  /** The matrix of each dispatcher, ids by partition, then replica. */
  readonly matrices: ReadonlyMap<string, SystemMatrix>;
  /** What was given, with the names that are in use today. */
  readonly descriptor: object;
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
}
