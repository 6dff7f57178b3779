// The instances of a descriptor: what each may say of itself, and what no two may have.

import { isPlainObject } from "../settings/rules.js";
import { INSTANCE_TYPES, type InstanceType } from "./descriptor.js";
import type { DescriptorErrors } from "./descriptor-errors.js";
import { rejectMisspelledKeys } from "./reject-misspelled-keys.js";
import type { Instance } from "./system.js";

const MAX_INSTANCES = 4096;
export const MAX_PORT = 65_535;
/** No comma, no `*`, no blank: ids stand in lists, patterns and names of folders. */
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
  complaints: DescriptorErrors,
): ReadonlyMap<string, Instance> {
  const found = new Map<string, Instance>();
  const shared = isPlainObject(common ?? {}) ? ((common ?? {}) as Dict) : {};
  if (shared !== common && common !== undefined) complaints.at("common", "dict required");
  rejectMisspelledKeys(shared, KEYS, "common.", complaints);
  if (!isPlainObject(instances) || Object.keys(instances).length === 0) {
    complaints.at("instances", "dict with one instance or more required");
    return found;
  }
  const entries = Object.entries(instances);
  if (entries.length > MAX_INSTANCES) {
    complaints.at("instances", `${MAX_INSTANCES} at most, not ${entries.length}`);
    return found;
  }
  for (const [id, given] of entries) {
    const path = `instances.${id}`;
    if (!ID.test(id)) complaints.at(path, "id of letters, digits, . _ - required");
    if (!isPlainObject(given)) {
      complaints.at(path, "dict required");
      continue;
    }
    rejectMisspelledKeys(given, KEYS, `${path}.`, complaints);
    const fields = new Fields({ ...shared, ...given }, path, complaints);
    found.set(id, readInstance(id, fields, graphs, subscribers.get(id) ?? []));
  }
  refuseShared([...found.values()], complaints);
  return found;
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
  const usual = `${type[0]!.toUpperCase()}${type.slice(1)} ${id} at ${host}:${hport}`;
  return {
    id,
    type,
    group: fields.number("group", -1),
    graphs: fields.graphs(graphs),
    host,
    hport,
    prefix: prefixOf(fields),
    serviceIn: fields.flag("s-in", type !== "search" && type !== "txproxy"),
    attach,
    tport,
    durable,
    description: fields.text("description", usual, /^[^\p{Cc}]{1,1000}$/u, "string required"),
  };
}

function prefixOf(fields: Fields): string | null {
  const text = fields.text("prefix", "", PREFIX, "invalid characters in prefix path");
  return text === "" ? null : text;
}

/** What no two instances may have. */
function refuseShared(instances: readonly Instance[], complaints: DescriptorErrors): void {
  const ports = new Set<string>();
  const groups = new Set<number>();
  const [first] = instances;
  for (const { id, type, host, hport, tport, group, prefix } of instances) {
    const place = (port: number) => `${host}:${port}`;
    const refuseTaken = (key: string, ...wanted: readonly number[]): void => {
      const taken = wanted.find((port) => port > 0 && ports.has(place(port)));
      if (taken === undefined) return;
      complaints.at(`instances.${id}.${key}`, `duplicate port ${taken} on host ${host}`);
    };
    refuseTaken("hport", hport, hport + 1);
    refuseTaken("tport", tport);
    for (const port of [hport, hport + 1, tport]) ports.add(place(port));
    if (type === "builder" && group >= 0) {
      if (groups.has(group)) {
        complaints.at(`instances.${id}.group`, `duplicate builder group ${group}`);
      }
      groups.add(group);
    }
    if (prefix !== first!.prefix) {
      complaints.at(`instances.${id}.prefix`, "must be the same for all instances");
    }
  }
}

/** The values of one instance, and what is wrong with them. */
class Fields {
  constructor(
    readonly given: Dict,
    readonly path: string,
    readonly complaints: DescriptorErrors,
  ) {}

  wrong(key: string, detail: string): void {
    this.complaints.at(`${this.path}.${key}`, detail);
  }

  integer(key: string, usual: number | null, least: number, most: number): number {
    const value = this.given[key] ?? usual;
    const isRight =
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
    if (isRight) return value as number;
    this.wrong(key, `${least > 0 ? "positive " : ""}integer required, ${most} at most`);
    return usual ?? 0;
  }

  number(key: string, usual: number): number {
    const value = this.given[key] ?? usual;
    if (Number.isFinite(value)) return value as number;
    this.wrong(key, "number required");
    return usual;
  }

  flag(key: string, usual: boolean): boolean {
    const value = this.given[key] ?? usual;
    // Older descriptors have numbers here.
    if (typeof value === "boolean" || value === 0 || value === 1) return Boolean(value);
    this.wrong(key, "true or false required");
    return usual;
  }

  text(key: string, usual: string, form: RegExp, detail: string): string {
    const value = this.given[key] ?? usual;
    if (typeof value === "string" && form.test(value)) return value;
    this.wrong(key, detail);
    return usual;
  }

  oneOf(key: string, words: readonly InstanceType[], usual: InstanceType): InstanceType {
    const value = this.given[key] ?? usual;
    if (words.includes(value as InstanceType)) return value as InstanceType;
    this.wrong(key, `must be one of ${JSON.stringify(words)}`);
    return usual;
  }

  graphs(declared: readonly string[]): string[] {
    const value = this.given.graph ?? "";
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
