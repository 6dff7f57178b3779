// Parses the instances of a descriptor and rejects duplicate ids, ports and groups.

import { isPlainObject } from "../base/plain-object.js";
import { INSTANCE_TYPES, type InstanceType } from "./descriptor.js";
import type { DescriptorErrors } from "./descriptor-errors.js";
import { rejectUnknownKeys } from "./descriptor-errors.js";
import type { Instance } from "./system.js";

const MAX_INSTANCES = 16_384;
export const MAX_PORT = 65_535;
/** Excludes commas, `*` and blanks, because ids appear in lists, patterns and folder names. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const HOST = /^[A-Za-z0-9_:.%-]{1,253}$/;
export const PREFIX = /^[-./0-9=@A-Z_a-z~]*$/;
const KEYS = [
  "type",
  "group",
  "graph",
  "host",
  "hport",
  "prefix",
  "s-in",
  "attach",
  "tport",
  "durable",
  "description",
  "partition",
  "comment",
];

type Dict = Readonly<Record<string, unknown>>;

export function readInstances(
  { instances, common }: Dict,
  graphs: readonly string[],
  subscribers: ReadonlyMap<string, readonly string[]>,
  errors: DescriptorErrors,
): ReadonlyMap<string, Instance> {
  const parsed = new Map<string, Instance>();
  const shared = isPlainObject(common ?? {}) ? ((common ?? {}) as Dict) : {};
  if (shared !== common && common !== undefined) errors.at("common", "dict required");
  rejectUnknownKeys(shared, KEYS, "common.", errors);
  if (!isPlainObject(instances) || Object.keys(instances).length === 0) {
    errors.at("instances", "dict with one instance or more required");
    return parsed;
  }
  const entries = Object.entries(instances);
  if (entries.length > MAX_INSTANCES) {
    errors.at("instances", `${MAX_INSTANCES} at most, not ${entries.length}`);
    return parsed;
  }
  for (const [id, parameters] of entries) {
    const path = `instances.${id}`;
    if (!ID.test(id)) errors.at(path, "id of letters, digits, . _ - required");
    if (!isPlainObject(parameters)) {
      errors.at(path, "dict required");
      continue;
    }
    rejectUnknownKeys(parameters, KEYS, `${path}.`, errors);
    const overrides = withoutGraphs({ ...shared, ...parameters });
    const fields = new Fields({ ...shared, ...overrides, ...parameters }, path, errors);
    parsed.set(id, readInstance(id, fields, graphs, subscribers.get(id) ?? []));
  }
  rejectSimilarIds([...parsed.values()], errors);
  rejectDuplicates([...parsed.values()], errors);
  return parsed;
}

/** Dispatchers ignore graphs of `common`, which would hide the graphs of their engines. */
function withoutGraphs({ type }: Dict): Dict {
  return type === "dispatch" ? { graph: "" } : {};
}

function readInstance(
  id: string,
  fields: Fields,
  graphs: readonly string[],
  subscribers: readonly string[],
): Instance {
  const type = fields.oneOf("type", INSTANCE_TYPES, "generic");
  const host = fields.text("host", "127.0.0.1", HOST, "host name or address required");
  const hport = fields.integer("hport", null, 1, MAX_PORT - 1);
  const tport = fields.integer("tport", 0, 0, MAX_PORT);
  const durable = fields.flag("durable", false);
  const attach = fields.flag("attach", false);
  if (tport > 0 && (tport === hport || tport === hport + 1)) {
    fields.wrong("tport", "cannot be same as hport or hport+1");
  }
  if (durable && tport === 0) fields.wrong("tport", "tport required when durable is true");
  if (attach && !["builder", "txproxy", "search"].includes(type)) {
    fields.wrong("attach", `instance type ${type} cannot be attached`);
  } else if (attach && subscribers.length === 0) fields.wrong("attach", "no subscribers");
  const fallback = `${type[0]!.toUpperCase()}${type.slice(1)} ${id} at ${host}:${hport}`;
  return {
    id,
    type,
    group: fields.number("group", -1),
    graphs: fields.graphs(graphs),
    host,
    hport,
    prefix: readPrefix(fields),
    serviceIn: fields.flag("s-in", type !== "search" && type !== "txproxy"),
    attach,
    tport,
    durable,
    description: fields.text("description", fallback, /^[^\p{Cc}]{1,1000}$/u, "string required"),
  };
}

function readPrefix(fields: Fields): string | null {
  const text = fields.text("prefix", "", PREFIX, "invalid characters in prefix path");
  return text === "" ? null : text;
}

/** Reports subscribers without a port on which their provider can send them changes. */
export function requireReplicationPorts(
  instances: ReadonlyMap<string, Instance>,
  providers: ReadonlyMap<string, string>,
  errors: DescriptorErrors,
): void {
  for (const [id, provider] of providers) {
    if (instances.get(id)?.tport !== 0) continue;
    errors.at(`instances.${id}.tport`, `tport required: ${provider} provides its changes`);
  }
}

/** Reports ids that differ only in case: data folders and host names may ignore case. */
function rejectSimilarIds(instances: readonly Instance[], errors: DescriptorErrors): void {
  const idsByLowerCase = new Map<string, string>();
  for (const { id } of instances) {
    const other = idsByLowerCase.get(id.toLowerCase());
    if (other !== undefined) errors.at(`instances.${id}`, `differs from ${other} only in case`);
    idsByLowerCase.set(id.toLowerCase(), id);
  }
}

/** Reports ports and builder groups used twice, and differing prefixes. */
function rejectDuplicates(instances: readonly Instance[], errors: DescriptorErrors): void {
  const ports = new Set<string>();
  const groups = new Set<number>();
  const [first] = instances;
  for (const { id, type, host, hport, tport, group, prefix } of instances) {
    const addressOf = (port: number) => `${host}:${port}`;
    const rejectTaken = (key: string, ...requestedPorts: readonly number[]): void => {
      const conflicting = requestedPorts.find((port) => port > 0 && ports.has(addressOf(port)));
      if (conflicting === undefined) return;
      errors.at(`instances.${id}.${key}`, `duplicate port ${conflicting} on host ${host}`);
    };
    rejectTaken("hport", hport, hport + 1);
    rejectTaken("tport", tport);
    for (const port of [hport, hport + 1, tport]) ports.add(addressOf(port));
    if (type === "builder" && group >= 0) {
      if (groups.has(group)) {
        errors.at(`instances.${id}.group`, `duplicate builder group ${group}`);
      }
      groups.add(group);
    }
    if (prefix !== first!.prefix) {
      errors.at(`instances.${id}.prefix`, "must be the same for all instances");
    }
  }
}

/** Reads the parameters of one instance and reports errors. */
class Fields {
  constructor(
    readonly parameters: Dict,
    readonly path: string,
    readonly errors: DescriptorErrors,
  ) {}

  wrong(key: string, detail: string): void {
    this.errors.at(`${this.path}.${key}`, detail);
  }

  integer(key: string, fallback: number | null, min: number, max: number): number {
    const value = this.parameters[key] ?? fallback;
    const isValid =
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
    if (isValid) return value as number;
    this.wrong(key, `${min > 0 ? "positive " : ""}integer required, ${max} at most`);
    return fallback ?? 0;
  }

  number(key: string, fallback: number): number {
    const value = this.parameters[key] ?? fallback;
    if (Number.isFinite(value)) return value as number;
    this.wrong(key, "number required");
    return fallback;
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.parameters[key] ?? fallback;
    // Older descriptors use numbers.
    if (typeof value === "boolean" || value === 0 || value === 1) return Boolean(value);
    this.wrong(key, "true or false required");
    return fallback;
  }

  text(key: string, fallback: string, pattern: RegExp, detail: string): string {
    const value = this.parameters[key] ?? fallback;
    if (typeof value === "string" && pattern.test(value)) return value;
    this.wrong(key, detail);
    return fallback;
  }

  oneOf(key: string, words: readonly InstanceType[], fallback: InstanceType): InstanceType {
    const value = this.parameters[key] ?? fallback;
    if (words.includes(value as InstanceType)) return value as InstanceType;
    this.wrong(key, `must be one of ${JSON.stringify(words)}`);
    return fallback;
  }

  graphs(declared: readonly string[]): string[] {
    const value = this.parameters.graph ?? "";
    if (typeof value !== "string") {
      this.wrong("graph", "names with blanks between them required");
      return [];
    }
    const names = value.split(/\s+/).filter((name) => name !== "");
    for (const name of names) {
      if (declared.includes(name)) continue;
      this.wrong("graph", `${name} is undeclared, must be one of ${JSON.stringify(declared)}`);
    }
    return names;
  }
}
