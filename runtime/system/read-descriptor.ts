// From what somebody wrote to a system: every rule of a descriptor, all mistakes at once, each with
// the path of what is wrong. Nothing here looks anything up.

import { createHash } from "node:crypto";
import { SvcError } from "../base/errors.js";
import { isPlainObject } from "../settings/rules.js";
import { DescriptorErrors } from "./descriptor-errors.js";
import { readInstances } from "./read-instances.js";
import { readTls } from "./read-tls.js";
import { readDispatch, readTransactions } from "./read-topology.js";
import { rejectMisspelledKeys } from "./reject-misspelled-keys.js";
import type { System } from "./system.js";

const KEYS = ["name", "graphs", "instances", "common", "topology", "tls", "$schema", "comment"];
const TOPOLOGY_KEYS = ["transaction", "dispatch"];
export const GRAPH_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Reads and checks a descriptor.
 * @throws SvcError SVC2700 with everything that is wrong with it, a line each
 */
export function readDescriptor(given: unknown): System {
  if (!isPlainObject(given)) throw new SvcError("SVC2700", "System descriptor must be dict");
  const complaints = new DescriptorErrors();
  const descriptor = modernised(given);
  rejectMisspelledKeys(descriptor, KEYS, "", complaints);
  const graphs = readGraphs(descriptor.graphs, complaints);
  const topology = readObject(descriptor.topology, "topology", complaints);
  rejectMisspelledKeys(topology, TOPOLOGY_KEYS, "topology.", complaints);
  const transactions = readTransactions(topology.transaction, descriptor.instances, complaints);
  const instances = readInstances(descriptor, graphs, transactions.subscribers, complaints);
  const matrices = readDispatch(topology.dispatch, instances, complaints);
  const tls = readTls(descriptor.tls, complaints);
  const usual = `Unspecified ${instances.size}-node System`;
  const { name = usual } = descriptor;
  if (typeof name !== "string" || name === "") complaints.at("name", "string required");
  complaints.raise();
  const whole = { ...descriptor, name };
  const read = { name: name as string, graphs, instances, tls, ...transactions, matrices };
  return { ...read, descriptor: whole };
}

/** What tells one descriptor from another, whatever the order of its keys. */
export function descriptorHash(descriptor: object): string {
  return createHash("sha256").update(canonical(descriptor)).digest("hex").slice(0, 16);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}

/** Names of older descriptors; whose instances had all graphs unless they said otherwise. */
function modernised(given: Record<string, unknown>): Record<string, unknown> {
  const { topology, graphs, instances } = given;
  if (!isPlainObject(topology)) return given;
  const { input, search, ...rest } = topology;
  if (input === undefined && search === undefined) return given;
  const renamed = {
    ...rest,
    ...(input !== undefined && { transaction: input }),
    ...(search !== undefined && { dispatch: search }),
  };
  if (!Array.isArray(graphs) || !isPlainObject(instances)) return { ...given, topology: renamed };
  const all = graphs.join(" ");
  const named = Object.entries(instances).map(([id, instance]) => {
    if (!isPlainObject(instance) || instance.graph !== undefined || all === "") {
      return [id, instance];
    }
    return [id, { ...instance, graph: all }];
  });
  return { ...given, topology: renamed, instances: Object.fromEntries(named) };
}

function readGraphs(given: unknown, complaints: DescriptorErrors): string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    complaints.at("graphs", "list of strings required");
    return [];
  }
  for (const [index, name] of given.entries()) {
    const isName = typeof name === "string" && GRAPH_NAME.test(name);
    if (!isName) complaints.at(`graphs[${index}]`, "name of a graph required");
  }
  return given;
}

function readObject(
  given: unknown,
  path: string,
  complaints: DescriptorErrors,
): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  if (isPlainObject(given)) return given;
  complaints.at(path, "dict required");
  return {};
}
