// Types of structured settings in `svc.config.ts`.

import type { Constraint, TextIndexOptions } from "../graph/api/entry-points.js";
import type {
  ConfiguredVectors,
  VectorIndexOptions,
  VectorSettings,
} from "../graph/api/public-names.js";
import type { ScopesConfig } from "./scope-rules.js";
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonObject = { readonly [key: string]: JsonValue };

export interface GraphConfig extends ScopesConfig {
  /** Folder below the root, with `/`. Default: the name of the graph. */
  readonly path?: string | null | undefined;
  /** Make the graph read-only. Default false. */
  readonly readonly?: boolean | undefined;
  /** Do not replicate its changes to other instances. Default false. */
  readonly local?: boolean | undefined;
  /** Maximum size of the graph, for which it reserves addresses. Default: as it was created. */
  readonly memory?: "auto" | "large" | "small" | null | undefined;
  /** Indexes to create at startup if missing. */
  readonly indexes?: readonly IndexConfig[] | undefined;
  /** Constraints to declare at startup, in place of earlier ones for the same properties. */
  readonly constraints?: readonly ConstraintConfig[] | undefined;
  readonly vectors?: VectorsConfig | null | undefined;
}

/** A constraint of a graph, as `graph.constrain` declares it. */
export type ConstraintConfig = Optional<Constraint>;

/** An index of a graph, as `graph.index` creates it. */
export type IndexConfig =
  | { readonly text: TextIndexConfig }
  | { readonly property: string }
  | { readonly ids: true }
  | { readonly vectors: VectorIndexConfig };
export type TextIndexConfig = Optional<TextIndexOptions>;
export type VectorIndexConfig = Optional<VectorIndexOptions>;
export type VectorsConfig = Optional<Omit<ConfiguredVectors, "named">> & {
  /** Settings of vectors by their name. */
  readonly named?: { readonly [name: string]: NamedVectorsConfig } | undefined;
};
export type NamedVectorsConfig = Optional<Partial<VectorSettings>>;
/** Missing members may be undefined. */
type Optional<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

/** A plugin that the configuration declares, in place of a tag in its source. */
export interface PluginDeclaration {
  /** Service name. */
  readonly name: string;
  /** Path of the module that holds the functions named without a module of their own. */
  readonly module?: string | undefined;
  /** Function to run: an export of `module`, or `path#export`. */
  readonly engine?: string | undefined;
  readonly pre?: string | undefined;
  readonly post?: string | undefined;
  /** Graph to bind. */
  readonly graph?: string | null | undefined;
}

/** Back-ends for dispatched requests: partitions, each with the same number of replicas. */
export interface DispatcherConfig {
  /** By partition, then replica. */
  readonly partitions: readonly (readonly DispatcherBackEnd[])[];
  /** One entry for each replica of a partition. */
  readonly replicas: readonly DispatcherReplicas[];
  readonly options?: {
    /** Allow partial results while partitions are down. Default false. */
    readonly "allow-incomplete"?: boolean;
    /** Timeout for a response of a back-end in ms (0: no limit). Default 30000. */
    readonly timeout?: number;
    /** Time after which a partial result is returned, in ms (0: never). Default 0. */
    readonly "soft-timeout"?: number;
    /** Timeout to connect to a back-end in ms. Default 2000. */
    readonly "connect-timeout"?: number;
    /** Hedge late requests of readonly plugins to a second replica. Default false. */
    readonly hedge?: boolean;
    /** Minimum coverage of a partial result, 0 to 1. Default 0. */
    readonly "min-coverage"?: number;
    /** Partitions that a partial result must include. Default: none. */
    readonly required?: readonly number[];
    /**
     * Connect by TLS: `true` with Node's built-in CA certificates, or these files. Default false.
     */
    readonly tls?: boolean | DispatcherTls;
    /** Slots, by which `X-SVC-Key` selects a partition. Set by the system descriptor. */
    readonly slots?: DispatcherSlots | null;
  };
  /** Port of back-ends without their own. */
  readonly port?: number;
  /** Channels of replicas without their own. */
  readonly channels?: number;
}

/** Partition of each slot. */
export interface DispatcherSlots {
  /** Number of slots, a power of two. */
  readonly count: number;
  /** First slot and partition of each run, -1 for no partition. Ascending from slot 0. */
  readonly runs: readonly (readonly [slot: number, partition: number])[];
  /** Id of the map with which back-ends must have made mergeable responses. Default: any. */
  readonly id?: string;
  /** Groups of each partition in a system whose slots can move. Default: none. */
  readonly groups?: readonly (readonly string[])[];
}

/** PEM files, relative to the project. */
export interface DispatcherTls {
  /** CA certificates of the back-ends. Default: Node's built-in ones. */
  readonly ca?: string;
  /** Client certificate for back-ends that require one. */
  readonly cert?: string;
  readonly key?: string;
  /** Name in the certificates of back-ends. Default: their host. */
  readonly name?: string;
}

export interface DispatcherBackEnd {
  readonly host: string;
  /** Main port. */
  readonly port?: number;
}

export interface DispatcherReplicas {
  /** Maximum connections to each back-end, 1 to 127. Default 32. */
  readonly channels?: number;
  /** Cost of one running request, 0 to 127. Default 2. */
  readonly priority?: number;
  /** Receives requests for the primary replica. Default: the first row. */
  readonly primary?: boolean | 0 | 1;
  /** The back-ends are members of a group: only its leader gets requests. Default false. */
  readonly leader?: boolean;
}
