// Computes the start parameters of one instance from its system.

import { isIP } from "node:net";
import type { ArchiveConfig } from "../base/archive-config.js";
import type { SlotPlan } from "../base/instance-slots.js";
import { leasePart } from "../base/lease-name.js";
import type { ResolvedConfig } from "../settings/config-rule.js";
import type { DispatcherConfig } from "../settings/config-values.js";
import type { LeadershipSettings, SettingName } from "../settings/server-settings.js";
import type { InstanceType } from "./descriptor.js";
import { planSlotPartitions, planSlots } from "./plan-slots.js";
import { findRoot } from "./read-slots.js";
import type { Instance, System, SystemMatrix } from "./system.js";

export interface InstancePlan {
  readonly id: string;
  readonly type: InstanceType;
  /** Its data folder, relative to that of the system. */
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  /** Listen address; null: all addresses, because `host` is a name. */
  readonly ip: string | null;
  readonly prefix: string | null;
  readonly serviceIn: boolean;
  readonly description: string;
  /** Determines the plugins that it serves. */
  readonly role: "engine" | "dispatcher" | "all";
  readonly dispatcher: DispatcherConfig | null;
  /** Whether another instance dispatches to it. */
  readonly isBackEnd: boolean;
  /** Graphs by name, and whether their changes stay local. */
  readonly graphs: Readonly<Record<string, { readonly local: boolean }>>;
  /** Whether it removes what expires; a replica receives these removals from its provider. */
  readonly expires: boolean;
  readonly provider: string | null;
  readonly subscribers: readonly string[];
  /** `host:port` of the subscribers attached at start. */
  readonly attached: readonly string[];
  /** 0: none. */
  readonly txPort: number;
  readonly durable: boolean;
  /** Continuous backup that this instance runs; null: none. */
  readonly archive: ArchiveConfig | null;
  /** Its group, if the instances of its replication tree elect the provider; null: they do not. */
  readonly leadership: LeadershipSettings | null;
  /** Partition number of the interface, with three decimals. */
  readonly partition: string;
  readonly group: number;
  /** Null: the system has no slots. */
  readonly slots: SlotPlan | null;
}

/** Returns the partition and group by which displays sort an instance. */
export function placeInstance(
  system: System,
  id: string,
): Pick<InstancePlan, "partition" | "group"> {
  const partition = computePartition(system, id);
  const { group } = system.instances.get(id)!;
  return { partition, group: group >= 0 ? group : Number(partition) };
}

/** @param id an instance of the system */
export function planInstance(system: System, id: string): InstancePlan {
  const instance = system.instances.get(id)!;
  const { type, host, hport, prefix, serviceIn, description, attach, tport, durable } = instance;
  const provider = system.providers.get(id) ?? null;
  const subscribers = system.subscribers.get(id) ?? [];
  const isAlone = provider === null && subscribers.length === 0;
  const matrix = system.matrices.get(id);
  const leadership = planLeadership(system, id);
  const isAttaching = attach && leadership === null;
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
    role: planRole(instance, matrix),
    dispatcher: matrix === undefined ? null : planDispatcher(system, id, matrix),
    isBackEnd: indexSystem(system).backEnds.has(id),
    graphs: Object.fromEntries(instance.graphs.map((name) => [name, { local: isAlone }])),
    expires: provider === null || leadership !== null,
    provider,
    subscribers,
    attached: isAttaching ? subscribers.flatMap((other) => replicationAddress(system, other)) : [],
    txPort: provider === null && leadership === null ? 0 : tport,
    durable,
    archive: system.archive?.from === id ? system.archive.config : null,
    leadership,
    ...placeInstance(system, id),
    slots: planSlots(system, id),
  };
}

/** Returns the settings of an instance whose group elects its leader; null: no such group. */
function planLeadership(system: System, id: string): LeadershipSettings | null {
  const group = findRoot(system.providers, id);
  const below = system.subscribers.get(group) ?? [];
  if (system.leadership === null || below.length === 0) return null;
  const others = [group, ...below].filter((other) => other !== id);
  const members = others.map((other) => [other, replicationAddress(system, other)[0]!]);
  const { engine } = system.leadership;
  const address = engine === "kubernetes" ? `kubernetes://svc-${leasePart(system.name)}` : engine;
  const settings = { ...system.leadership, engine: address };
  return { ...settings, group, id, members: Object.fromEntries(members) };
}

/** Returns the replication address of an instance; none without a port. */
function replicationAddress(system: System, id: string): string[] {
  const { host, tport } = system.instances.get(id)!;
  return tport > 0 ? [`${host}:${tport}`] : [];
}

function planRole({ type }: Instance, matrix: SystemMatrix | undefined): InstancePlan["role"] {
  if (matrix !== undefined) return "dispatcher";
  return type === "generic" || type === "admin" ? "all" : "engine";
}

/** Converts the rows of a descriptor to the `dispatcher` of a server. */
function planDispatcher(system: System, id: string, matrix: SystemMatrix): DispatcherConfig {
  const slots = planSlotPartitions(system, id);
  return {
    partitions: matrix.partitions.map((replicas) =>
      replicas.map((id) => {
        const { host, hport } = system.instances.get(id)!;
        return { host, port: hport };
      }),
    ),
    replicas: matrix.rows.map(({ channels, priority, primary, leader }) => ({
      channels,
      priority,
      ...(primary && { primary }),
      ...(leader && { leader }),
    })),
    options: {
      "allow-incomplete": matrix.allowIncomplete,
      ...(system.tls !== null && { tls: system.tls }),
      ...(slots !== null && { slots }),
    },
  };
}

const KIND: Readonly<Record<InstanceType, number>> = {
  admin: 1,
  generic: 1,
  dispatch: 2,
  builder: 3,
  txproxy: 3,
  search: 3,
};

/**
 * Returns the computed partition, `1000·k + n/1000`: k is the kind of instance (admin, dispatcher,
 * engine), n the number of its replication tree.
 */
function computePartition(system: System, id: string): string {
  const { type } = system.instances.get(id)!;
  const engines = new Set(system.matrices.get(id)?.partitions.flat() ?? []);
  const below = new Set(
    [...engines]
      .filter((engine) => KIND[system.instances.get(engine)!.type] !== KIND.dispatch)
      .map((engine) => computePartition(system, engine)),
  );
  if (type === "dispatch" && below.size === 1) return [...below][0]!;
  return (KIND[type] * 1000 + numberTree(system, id) / 1000).toFixed(3);
}

/** Returns the number of an instance's replication tree among those of its kind, from 1. */
function numberTree(system: System, id: string): number {
  const trees = indexSystem(system).trees.get(KIND[system.instances.get(id)!.type])!;
  // A root of another kind gets a number after the others.
  return trees.get(findRoot(system.providers, id)) ?? trees.size + 1;
}

/** Lookup tables that the plans of all instances share. */
interface SystemIndex {
  readonly backEnds: ReadonlySet<string>;
  /** Numbers of replication trees, from 1, by kind and root. */
  readonly trees: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

/** Cached, because a system of 10,000 instances may be planned as a whole. */
const indexes = new WeakMap<System, SystemIndex>();

function indexSystem(system: System): SystemIndex {
  const known = indexes.get(system);
  if (known !== undefined) return known;
  const partitions = [...system.matrices.values()].flatMap((matrix) => matrix.partitions);
  const trees = new Map(Object.values(KIND).map((kind) => [kind, new Map<string, number>()]));
  for (const { id, type } of system.instances.values()) {
    const ofKind = trees.get(KIND[type])!;
    if (!system.providers.has(id)) ofKind.set(id, ofKind.size + 1);
  }
  const index = { backEnds: new Set(partitions.flat()), trees };
  indexes.set(system, index);
  return index;
}

/** Returns the settings that a plan implies. Command-line options override them. */
export function plannedSettings(
  plan: InstancePlan,
  config: ResolvedConfig,
): Partial<Record<SettingName, unknown>> {
  const { id, port, ip, prefix, serviceIn, graphs, dispatcher, isBackEnd, expires } = plan;
  const { txPort, attached, archive } = plan;
  const { name, graphs: configured, http } = config;
  return {
    name: name === null ? id : `${id}: ${name}`,
    port,
    ip,
    prefix,
    servicein: serviceIn,
    dispatcher,
    graphs: { ...graphs, ...configured },
    // Dispatchers send an identity line, which only this transport understands.
    ...(isBackEnd && http.transport === "auto" && { transport: "net" }),
    ...(!expires && { events: false }),
    txPort: txPort > 0 ? txPort : null,
    attach: attached,
    ...(archive !== null && { archive }),
  };
}
