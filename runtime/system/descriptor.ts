// Public entry "svc-server/system": types of a system descriptor, which declares the instances of a
// system, their addresses and topology, and a function for editor support. Commands read the
// descriptor as JSON and check its values.

import type { ArchiveConfig } from "../base/archive-config.js";

export const INSTANCE_TYPES = [
  "admin",
  "dispatch",
  "builder",
  "txproxy",
  "search",
  "generic",
] as const;

export type InstanceType = (typeof INSTANCE_TYPES)[number];

/** Parameters of an instance; omitted ones come from `common`. */
export interface InstanceParameters {
  /**
   * Admin and generic: all plugins. Dispatch: dispatcher plugins. Builder, txproxy and search:
   * engine plugins.
   */
  readonly type?: InstanceType;
  /** Position in displays; negative: computed. */
  readonly group?: number;
  /** Names of graphs, separated by blanks. */
  readonly graph?: string | null;
  /** Host name or address. Default 127.0.0.1. */
  readonly host?: string;
  /** Main port; the admin port is the next one. */
  readonly hport?: number;
  /** Prefix below which all paths are also served; the same for all instances. */
  readonly prefix?: string | null;
  /** Whether it starts Service-IN. Default: all but search and txproxy do. */
  readonly "s-in"?: boolean;
  /** Whether it attaches its subscribers at start. */
  readonly attach?: boolean;
  /** Port for incoming transactions; 0: none. */
  readonly tport?: number;
  /** Whether it keeps a transaction log. */
  readonly durable?: boolean;
  readonly description?: string;
}

export interface CountedParameters extends InstanceParameters {
  /** Number of equal dispatchers, `<id>1` to `<id><count>`. Default: one, `<id>`. */
  readonly count?: number;
}

/** Replication topology: which instance provides which others; a list contains leaves. */
export type TransactionTree<Id extends string = string> =
  | readonly (Id | readonly [Id, TransactionTree<Id>])[]
  | { readonly [I in Id]?: TransactionTree<Id> }
  | null;

/** Ids that a topology may contain: all, if the descriptor has ranges such as `S{1..9}`. */
export type InstanceName<Id extends string> = Id extends `${string}{${string}..${string}}${string}`
  ? string
  : Id;

export interface RowParameters {
  /** Maximum connections to each back-end, 1 to 127. Default 32. */
  readonly channels?: number;
  /** Cost of one running request, 0 to 127; negative without partitions: allow partial results. */
  readonly priority?: number;
  /** Receives requests for a single replica. Default: the first row. */
  readonly primary?: boolean | 0 | 1;
}

export interface DispatchRow<Id extends string = string> extends RowParameters {
  /**
   * One instance per partition, in the same order in all rows. `@<id>` is the instance that leads
   * the group of this first member.
   */
  readonly partitions: readonly (Id | `@${Id}`)[];
}

/** TLS settings of clients of the instances. Paths are relative to the project. */
export interface SystemTls {
  /** File with the CA certificates of instances. Default: the ones that Node trusts. */
  readonly ca?: string;
  /** Client certificate and key, for instances that require one. */
  readonly cert?: string;
  readonly key?: string;
  /** Name in the certificates of instances, if not their host. */
  readonly name?: string;
}

/** Division of the data by key: each vertex belongs to the group that owns its slot. */
export interface SystemSlotsDescriptor {
  /** Graphs whose vertices are divided. */
  readonly graphs: readonly string[];
  /** Number of slots, a power of two. Default: 4096, or 16384 above 127 groups. */
  readonly count?: number;
  /** Types of vertices that exist in every group. */
  readonly everywhere?: readonly string[];
}

/** Continuous backup of the system by one of its instances. */
export interface SystemArchive<Id extends string = string> extends ArchiveConfig {
  /** Instance that makes the backup, preferably a replica. */
  readonly from: Id;
}

/** How the instances of each replication tree choose which of them provides. */
export interface SystemLeadership {
  /**
   * Service that keeps one record for each group: NATS at `nats://host:port[,host:port...]/NAME`,
   * etcd at `http://host:port[,host:port...]/PREFIX`; or "none": operators promote replicas.
   */
  readonly engine: string;
  /** Milliseconds after which a silent leader is replaced. Default 2000. */
  readonly ttl?: number;
  /** Other members that a change must reach before it is acknowledged. Default 1. */
  readonly minSynced?: number;
  /** Whether a leader with fewer members refuses changes, or goes on alone. Default "refuse". */
  readonly whenAlone?: "refuse" | "go-on";
}

export interface SystemDescriptor<Id extends string = string> {
  /** Format of the descriptor. Default 1. */
  readonly format?: 1;
  readonly name?: string;
  /** All graphs of the system. */
  readonly graphs?: readonly string[];
  readonly instances: { readonly [I in Id]: CountedParameters };
  /** Defaults for instance parameters. */
  readonly common?: InstanceParameters;
  /** Default: the plugins divide the data. */
  readonly slots?: SystemSlotsDescriptor | null;
  /** Instances use TLS, each with its own certificate (`http.tls`). */
  readonly tls?: boolean | SystemTls | null;
  readonly archive?: SystemArchive<NoInfer<Id>> | null;
  readonly leadership?: SystemLeadership | null;
  readonly topology?: {
    readonly transaction?: TransactionTree<InstanceName<NoInfer<Id>>>;
    /** The rows of each dispatcher, or its replicas if there is one partition. */
    readonly dispatch?: {
      readonly [I in InstanceName<NoInfer<Id>>]?:
        | readonly DispatchRow<InstanceName<NoInfer<Id>>>[]
        | { readonly [J in InstanceName<NoInfer<Id>>]?: RowParameters };
    };
  };
}

/**
 * Gives a descriptor its types: an id that is no instance is an error in the editor.
 *
 * @param descriptor of the system, which is returned as it is
 * @example
 * export default defineSystem({
 *   instances: { TD: { type: "dispatch", hport: 9990 }, S1: { type: "search", hport: 9100 } },
 *   topology: { dispatch: { TD: [{ partitions: ["S1"] }] } },
 * });
 */
export function defineSystem<const Id extends string>(
  descriptor: SystemDescriptor<Id>,
): SystemDescriptor<Id> {
  return descriptor;
}
