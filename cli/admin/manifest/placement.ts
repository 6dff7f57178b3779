// The common input of the manifests of all platforms: every instance of a system, its resources,
// and names that the platform accepts.

import { stringify } from "yaml";
import { SvcError } from "../../../runtime/base/errors.js";
import { type InstancePlan, planInstance } from "../../../runtime/system/instance-plan.js";
import type { System } from "../../../runtime/system/system.js";

/** Longer than saving graphs twice and the requests in between may take. */
export const STOP_SECONDS = 40;
/** Load balancers learn of the shutdown first. */
const DRAIN_SECONDS = 5;
/** Beside connections to back-ends: clients, files, threads. */
const OTHER_FILES = 16_384;
/** Of a system and of an instance: names of pods are made of both. */
const MAX_NAME = 20;

/** Texts of files by their names. */
export type Manifests = ReadonlyMap<string, string>;

export interface PlacedInstance {
  readonly plan: InstancePlan;
  /** Unique, such as `s1-1`: letters, digits and `-`. */
  readonly name: string;
  /** File descriptors that it may need. */
  readonly maxFiles: number;
  /** Health probe: platforms present no client certificate, so some instances allow TCP only. */
  readonly probe: "http" | "https" | "tcp";
  /** The data exist nowhere else, or would have to be resent. */
  readonly hasData: boolean;
}

/** @throws SvcError SVC2810 where two ids become one name */
export function placeInstances(system: System): PlacedInstance[] {
  const taken = new Map<string, string>();
  return [...system.instances.keys()].map((id) => {
    const name = platformName(id);
    const other = taken.get(name);
    if (other !== undefined) {
      throw new SvcError("SVC2810", `${other} and ${id} would both get the name ${name}`);
    }
    taken.set(name, id);
    const plan = planInstance(system, id);
    const { dispatcher } = plan;
    const hasData = Object.keys(plan.graphs).length > 0;
    const maxFiles = OTHER_FILES + channelsOf(dispatcher);
    return { plan, name, maxFiles, probe: probeOf(system), hasData };
  });
}

/** Instances that require client certificates can only be probed by TCP. */
function probeOf({ tls }: System): PlacedInstance["probe"] {
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

/** @param folder where the platform puts its data */
export function serveWords(
  { plan }: PlacedInstance,
  descriptor: string,
  folder: string,
): readonly string[] {
  const data = ["--descriptor", descriptor, "--root", folder];
  return ["--instance", plan.id, ...data, "--drain", String(DRAIN_SECONDS)];
}

/** The descriptor, with other hosts. */
export function descriptorWith(system: System, hostOf: (id: string) => string): string {
  const {
    common = {},
    instances,
    ...rest
  } = system.descriptor as {
    readonly common?: object;
    readonly instances: Readonly<Record<string, object>>;
  };
  const { host: _, ...shared } = common as { readonly host?: string };
  const placed = Object.entries(instances).map(([id, instance]) => {
    return [id, { ...instance, host: hostOf(id) }];
  });
  return JSON.stringify(
    { ...rest, common: shared, instances: Object.fromEntries(placed) },
    null,
    2,
  );
}

function channelsOf(dispatcher: InstancePlan["dispatcher"]): number {
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
