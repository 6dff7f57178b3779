// Input of the manifests of all platforms: the instances of a system, their resources, and names
// that platforms accept.

import { stringify } from "yaml";
import { SvcError } from "../../../runtime/base/errors.js";
import { listRange, type RangeName } from "../../../runtime/system/expand-ranges.js";
import { type InstancePlan, planInstance } from "../../../runtime/system/instance-plan.js";
import type { System } from "../../../runtime/system/system.js";

/** Sufficient for two saves of all graphs, and for the requests that run in between. */
export const STOP_SECONDS = 40;
/** Time for load balancers to detect the shutdown. */
const DRAIN_SECONDS = 5;
/** File descriptors for clients, files and threads, in addition to connections to back-ends. */
const OTHER_FILES = 16_384;
/** Maximum length of a system or instance name: pod names consist of both. */
const MAX_NAME = 20;

/** File contents by name. */
export type Manifests = ReadonlyMap<string, string>;

export interface PlacedInstance {
  readonly plan: InstancePlan;
  /** Unique name such as `s1-1`: letters, digits and `-`. */
  readonly name: string;
  /** Maximum number of open file descriptors. */
  readonly maxFiles: number;
  /** Health probe: platforms present no client certificate, so some instances allow TCP only. */
  readonly probe: "http" | "https" | "tcp";
  /** Whether its data folder must survive restarts. */
  readonly hasData: boolean;
}

/** @throws SvcError SVC2810 if two ids result in one name */
export function placeInstances(system: System): PlacedInstance[] {
  const taken = new Map<string, string>();
  return [...system.instances.keys()].map((id) => {
    const name = platformName(id);
    const firstId = taken.get(name);
    if (firstId !== undefined) {
      throw new SvcError("SVC2810", `${firstId} and ${id} would both get the name ${name}`);
    }
    taken.set(name, id);
    const plan = planInstance(system, id);
    const { dispatcher } = plan;
    const hasData = Object.keys(plan.graphs).length > 0;
    const maxFiles = OTHER_FILES + countChannels(dispatcher);
    return { plan, name, maxFiles, probe: chooseProbe(system), hasData };
  });
}

/** Instances that require client certificates can only be probed by TCP. */
function chooseProbe({ tls }: System): PlacedInstance["probe"] {
  if (tls === null) return "http";
  return tls.cert === undefined ? "https" : "tcp";
}

/** Returns a name that platforms accept. */
export function platformName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, "");
  return /^[a-z]/.test(name) ? name : `i-${name}`;
}

/** @param folder the platform's data folder */
export function serveWords(ids: string, descriptor: string, folder: string): readonly string[] {
  const data = ["--descriptor", descriptor, "--root", folder];
  return ["--instance", ids, ...data, "--drain", String(DRAIN_SECONDS)];
}

/** Network address of an instance on a platform; omitted ports are those of the descriptor. */
export interface InstanceAddress {
  readonly host: string;
  readonly hport?: number;
  readonly tport?: number;
}

/** Returns the descriptor with other addresses; keeps ranges whose hosts follow a pattern. */
export function descriptorWith(
  system: System,
  addressFor: (id: string) => InstanceAddress,
): string {
  const {
    common = {},
    instances,
    ...rest
  } = system.descriptor as {
    readonly common?: object;
    readonly instances: Readonly<Record<string, object>>;
  };
  const { host: _, ...shared } = common as { readonly host?: string };
  const entries = Object.entries(instances).flatMap(([key, instance]) => {
    const names = listRange(key);
    const addresses = names.map(({ name }) => addressFor(name));
    const host = names.length > 1 ? findTemplate(names, addresses) : null;
    if (host !== null) return [[key, { ...instance, ...addresses[0], host }]];
    return names.map(({ name }, at) => [
      name,
      { ...system.namedInstances[name], ...addresses[at] },
    ]);
  });
  const whole = { ...rest, common: shared, instances: Object.fromEntries(entries) };
  return JSON.stringify(whole, null, 2);
}

/** Returns a pattern such as `b{1}-{2}` of the hosts of all names; null: they follow none. */
function findTemplate(
  names: readonly RangeName[],
  addresses: readonly InstanceAddress[],
): string | null {
  const ports = addresses.map(({ hport, tport }) => `${hport} ${tport}`);
  if (new Set(ports).size > 1) return null;
  const hosts = addresses.map(({ host }) => host.split(/(\d+)/));
  const parts = hosts[0]!.map((part, at) => {
    if (hosts.every((host) => host[at] === part)) return part;
    const range = names[0]!.numbers.findIndex((_, n) => {
      return hosts.every((host, index) => host[at] === `${names[index]!.numbers[n]}`);
    });
    return range < 0 ? null : `{${range + 1}}`;
  });
  const isWhole = hosts.every(({ length }) => length === parts.length);
  return isWhole && !parts.includes(null) ? parts.join("") : null;
}

function countChannels(dispatcher: InstancePlan["dispatcher"]): number {
  if (dispatcher === null) return 0;
  const { partitions, replicas } = dispatcher as {
    readonly partitions: readonly unknown[];
    readonly replicas: readonly { readonly channels: number }[];
  };
  return partitions.length * replicas.reduce((sum, { channels }) => sum + channels, 0);
}

/** Returns plain data as YAML. Docker and Kubernetes read version 1.1, where `on` is a boolean. */
export function toYaml(value: object): string {
  return stringify(value, { version: "1.1", lineWidth: 0, indentSeq: true });
}
