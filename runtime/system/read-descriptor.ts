// Parses a descriptor into a system: applies all rules and reports all errors at once, each with
// its path. Resolves no names or files.

import { SvcError } from "../base/errors.js";
import { explainLaterFormat } from "../base/later-release.js";
import { isPlainObject } from "../base/plain-object.js";
import type { SystemTls } from "./descriptor.js";
import { DescriptorErrors, rejectUnknownKeys } from "./descriptor-errors.js";
import { expandCounts } from "./expand-counts.js";
import { RangeExpander } from "./expand-ranges.js";
import { readArchive } from "./read-archive.js";
import { readInstances, requireReplicationPorts } from "./read-instances.js";
import { listGroups, readLeadership } from "./read-leadership.js";
import { readSlots } from "./read-slots.js";
import { readDispatch, readTransactions } from "./read-topology.js";
import type { System } from "./system.js";

const KEYS = [
  ...["name", "graphs", "instances", "common", "topology"],
  ...["tls", "slots", "archive", "leadership", "format", "$schema", "comment"],
];
export const DESCRIPTOR_FORMAT = 1;
const TOPOLOGY_KEYS = ["transaction", "dispatch"];
const NO_GROUPS: ReadonlyMap<string, readonly string[]> = new Map();
export const GRAPH_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Parses and checks a descriptor.
 * @throws SvcError SVC2700 with all errors, one per line
 */
export function readDescriptor(value: unknown): System {
  if (!isPlainObject(value)) throw new SvcError("SVC2700", "System descriptor must be dict");
  const { format = null } = value;
  const reason = explainLaterFormat(format, DESCRIPTOR_FORMAT);
  if (reason !== null) throw new SvcError("SVC2700", `System descriptor: ${reason}`);
  const errors = new DescriptorErrors();
  if (format !== null && format !== DESCRIPTOR_FORMAT) {
    errors.at("format", `${DESCRIPTOR_FORMAT} required`);
  }
  const descriptor = expandCounts(renameOldKeys(value), errors);
  const ranges = new RangeExpander(errors);
  const named = {
    ...descriptor,
    ...(descriptor.instances !== undefined && { instances: ranges.expand(descriptor.instances) }),
  };
  rejectUnknownKeys(descriptor, KEYS, "", errors);
  const graphs = readGraphs(descriptor.graphs, errors);
  const topology = readObject(ranges.expand(descriptor.topology), "topology", errors);
  rejectUnknownKeys(topology, TOPOLOGY_KEYS, "topology.", errors);
  const transactions = readTransactions(topology.transaction, named.instances, errors);
  const instances = readInstances(named, graphs, transactions.subscribers, errors);
  requireReplicationPorts(instances, transactions.providers, errors);
  const tls = readTls(descriptor.tls, errors);
  const leadership = readLeadership(descriptor.leadership, instances, transactions, errors);
  const groups = leadership === null ? NO_GROUPS : listGroups(transactions);
  const matrices = readDispatch(topology.dispatch, instances, groups, errors);
  const divided = { graphs, instances, ...transactions, matrices };
  const slots = readSlots(descriptor.slots, divided, errors);
  const archive = readArchive(descriptor.archive, instances, errors);
  const usual = `Unspecified ${instances.size}-node System`;
  const { name = usual } = descriptor;
  if (typeof name !== "string" || name === "") errors.at("name", "string required");
  errors.raise();
  const whole = { ...descriptor, name };
  const read = { name: name as string, ...divided, tls, leadership, slots, archive };
  return {
    ...read,
    descriptor: whole,
    namedInstances: named.instances as System["namedInstances"],
  };
}

/** Renames keys of older descriptors, whose instances had all graphs by default. */
function renameOldKeys(descriptor: Record<string, unknown>): Record<string, unknown> {
  const { topology, graphs, instances } = descriptor;
  if (!isPlainObject(topology)) return descriptor;
  const { input, search, ...rest } = topology;
  if (input === undefined && search === undefined) return descriptor;
  const renamed = {
    ...rest,
    ...(input !== undefined && { transaction: input }),
    ...(search !== undefined && { dispatch: search }),
  };
  if (!Array.isArray(graphs) || !isPlainObject(instances))
    return { ...descriptor, topology: renamed };
  const all = graphs.join(" ");
  const named = Object.entries(instances).map(([id, instance]) => {
    if (!isPlainObject(instance) || instance.graph !== undefined || all === "") {
      return [id, instance];
    }
    return [id, { ...instance, graph: all }];
  });
  return { ...descriptor, topology: renamed, instances: Object.fromEntries(named) };
}

function readGraphs(value: unknown, errors: DescriptorErrors): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    errors.at("graphs", "list of strings required");
    return [];
  }
  for (const [index, name] of value.entries()) {
    const isName = typeof name === "string" && GRAPH_NAME.test(name);
    if (!isName) errors.at(`graphs[${index}]`, "name of a graph required");
  }
  return value;
}

function readObject(
  value: unknown,
  path: string,
  errors: DescriptorErrors,
): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (isPlainObject(value)) return value;
  errors.at(path, "dict required");
  return {};
}

const TLS_KEYS = ["ca", "cert", "key", "name"] as const;
const TLS_TEXT = /^(?=.*\S)[^\p{Cc}]{1,4096}$/u;

/** Returns null if the instances use no TLS. */
function readTls(input: unknown, errors: DescriptorErrors): SystemTls | null {
  if (input === undefined || input === null || input === false) return null;
  const dict = input === true ? {} : input;
  if (!isPlainObject(dict)) {
    errors.at("tls", "true, false or dict required");
    return null;
  }
  rejectUnknownKeys(dict, TLS_KEYS, "tls.", errors);
  const present = TLS_KEYS.filter((key) => (dict[key] ?? null) !== null);
  for (const key of present) {
    const value = dict[key];
    if (typeof value === "string" && TLS_TEXT.test(value)) continue;
    errors.at(`tls.${key}`, "string required");
  }
  if (present.includes("cert") !== present.includes("key")) {
    errors.at("tls", "cert and key required, or neither");
  }
  return Object.fromEntries(present.map((key) => [key, dict[key]]));
}
