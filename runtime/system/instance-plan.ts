// What one instance of a system is started with: pure, from the system and an id.

import { isIP } from "node:net";
import type { DispatcherConfig } from "../settings/config-values.js";
import type { InstanceType } from "./descriptor.js";
import { partitionOf } from "./partition.js";
import type { Instance, System, SystemMatrix } from "./system.js";

export interface InstancePlan {
  readonly id: string;
  readonly type: InstanceType;
  /** Folder of its data, below that of the system. */
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Address to listen on, null for all: `host` is a name. */
  readonly ip: string | null;
  readonly prefix: string | null;
  readonly serviceIn: boolean;
  readonly description: string;
  /** Which plugins it serves. */
  readonly role: "engine" | "dispatcher" | "all";
  readonly dispatcher: DispatcherConfig | null;
  /** Whether another instance dispatches to it. */
  readonly isBackEnd: boolean;
  /** By name: whether its changes concern nobody else. */
  readonly graphs: Readonly<Record<string, { readonly local: boolean }>>;
  /** Whether what expires is removed here; with a provider, that one says what. */
  readonly expires: boolean;
  readonly provider: string | null;
  readonly subscribers: readonly string[];
  /** `host:port` of those that it attaches when it starts. */
  readonly attached: readonly string[];
  /** 0 for none. */
  readonly txPort: number;
  readonly durable: boolean;
  /** As the interface writes it, with three decimals. */
  readonly partition: string;
  readonly group: number;
}

/** @param id of one of its instances */
export function planInstance(system: System, id: string): InstancePlan {
  const instance = system.instances.get(id)!;
  const { type, host, hport, prefix, serviceIn, description, attach, tport, durable } = instance;
  const provider = system.providers.get(id) ?? null;
  const subscribers = system.subscribers.get(id) ?? [];
  const isAlone = provider === null && subscribers.length === 0;
  const partition = partitionOf(system, id);
  const matrix = system.matrices.get(id);
  const matrices = [...system.matrices.values()];
  return {
    id,
    type,
    folder: `${type}_${id}`,
    host,
    port: hport,
    ip: isIP(host) === 0 ? null : host,
    prefix,
    serviceIn,
    description,
    role: roleOf(instance, matrix),
    dispatcher: matrix === undefined ? null : dispatcherOf(system, matrix),
    isBackEnd: matrices.some(({ partitions }) => partitions.flat().includes(id)),
    graphs: Object.fromEntries(instance.graphs.map((name) => [name, { local: isAlone }])),
    expires: provider === null,
    provider,
    subscribers,
    attached: attach ? subscribers.flatMap((other) => streamOf(system, other)) : [],
    txPort: provider === null ? 0 : tport,
    durable,
    partition,
    group: instance.group >= 0 ? instance.group : Number(partition),
  };
}

/** Where an instance takes transactions; nowhere without a port. */
function streamOf(system: System, id: string): string[] {
  const { host, tport } = system.instances.get(id)!;
  return tport > 0 ? [`${host}:${tport}`] : [];
}

function roleOf({ type }: Instance, matrix: SystemMatrix | undefined): InstancePlan["role"] {
  if (matrix !== undefined) return "dispatcher";
  return type === "generic" || type === "admin" ? "all" : "engine";
}

/** The rows of a descriptor as the `dispatcher` of a server. */
function dispatcherOf(system: System, matrix: SystemMatrix): DispatcherConfig {
  return {
    partitions: matrix.partitions.map((replicas) =>
      replicas.map((id) => {
        const { host, hport } = system.instances.get(id)!;
        return { host, port: hport };
      }),
    ),
    replicas: matrix.rows.map(({ channels, priority, primary }) => ({
      channels,
      priority,
      ...(primary && { primary }),
    })),
    options: {
      "allow-incomplete": matrix.allowIncomplete,
      ...(system.tls !== null && { tls: system.tls }),
    },
  };
}
