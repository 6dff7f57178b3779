// Kubernetes objects as a kustomize base or a Helm chart. The engines of a row are the pods of a
// StatefulSet, because each has its own name and data. Their pods are updated only when deleted,
// by `svc admin rolling-update`. Each dispatcher is a Deployment and a Service.

import { createHash } from "node:crypto";
import type { System } from "../../../runtime/system/system.js";
import { leaseAccess, leasesFor, operatorAccess } from "./kubernetes-access.js";
import {
  clientService,
  dispatcherService,
  disruptionBudget,
  networkPolicies,
  peerService,
} from "./kubernetes-network.js";
import {
  FIRST_ORDINAL,
  isDispatcher,
  type PodSet,
  placePods,
  podAddresses,
} from "./kubernetes-pod-sets.js";
import { podTemplate, type Sizes, STORAGE } from "./kubernetes-pods.js";
import { descriptorWith, type Manifests, platformName, toYaml } from "./placement.js";

/** Defaults, to be adapted to the graphs: a save may need twice their memory. */
const SIZES: Sizes = { memory: "2Gi", storage: "10Gi" };
const TAG = "1";
/** Annotation with the ids of the instances of a set, in the order of their ordinals. */
export const INSTANCES = "svc/instances";

export function kubernetes(system: System): Manifests {
  const files = describeObjects(system, SIZES);
  const app = kubernetesApp(system);
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...files.keys()],
    images: [{ name: app, newTag: TAG }],
  };
  return new Map([["kustomization.yaml", toYaml(kustomization)], ...files]);
}

/** The same objects as a chart. */
export function helm(system: System): Manifests {
  const app = kubernetesApp(system);
  const chart = { apiVersion: "v2", name: app, version: "1.0.0", type: "application" };
  const values = { image: `${app}:${TAG}`, ...SIZES };
  // Placeholders contain the hash of the descriptor, so that the descriptor cannot contain them.
  const text = JSON.stringify(system.descriptor);
  const placeholder = `value-${createHash("sha256").update(text).digest("hex")}`;
  const placeholders = { memory: `${placeholder}-memory`, storage: `${placeholder}-storage` };
  const templates = [...describeObjects(system, placeholders)].map(([name, plain]) => {
    const template = plain
      .replaceAll("{{", '{{ "{{" }}')
      .replaceAll(`image: ${app}\n`, "image: {{ .Values.image | quote }}\n")
      .replaceAll(new RegExp(`${placeholder}-(\\w+)`, "g"), "{{ .Values.$1 | quote }}");
    return [`templates/${name}`, template] as const;
  });
  return new Map([["Chart.yaml", toYaml(chart)], ["values.yaml", toYaml(values)], ...templates]);
}

/** Returns the label of all objects of a system. */
export function kubernetesApp(system: System): string {
  return `svc-${platformName(system.name)}`;
}

function describeObjects(system: System, sizes: Sizes): Map<string, string> {
  const app = kubernetesApp(system);
  const sets = placePods(system);
  const addresses = new Map(sets.flatMap((set) => podAddresses(app, set)));
  const descriptor = descriptorWith(system, (id) => addresses.get(id)!);
  const isFrontEnd = ({ pods: [{ plan }] }: PodSet): boolean => isDispatcher(plan);
  const engines = sets.filter((set) => !isFrontEnd(set));
  const dispatchers = sets.filter(isFrontEnd);
  const config = {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: app, labels: { app } } },
    data: { "system.json": descriptor },
  };
  const fronts = sets.filter(({ isFront }) => isFront);
  const files: Record<string, readonly object[]> = {
    "system.yaml": [config],
    "services.yaml": [
      peerService(app),
      clientService(app, fronts),
      ...dispatchers.map((set) => dispatcherService(app, set)),
    ],
    "engines.yaml": engines.map((set) => statefulSet(app, set, sizes)),
    "dispatchers.yaml": dispatchers.map((set) => deployment(app, set, sizes, descriptor)),
    "availability.yaml": sets.map(({ name }) => disruptionBudget(app, name)),
    "network.yaml": networkPolicies(app),
    "access.yaml": leaseAccess(app, [...new Set(sets.flatMap(leasesFor))]),
    "operator.yaml": operatorAccess(app),
  };
  const present = Object.entries(files).filter(([, objects]) => objects.length > 0);
  return new Map(present.map(([name, objects]) => [name, objects.map(toYaml).join("---\n")]));
}

function createMetadata(app: string, { name, pods }: PodSet): object {
  const ids = pods.map(({ plan }) => plan.id).join();
  const labels = { app, row: name };
  return { name: `${app}-${name}`, labels, annotations: { [INSTANCES]: ids } };
}

function statefulSet(app: string, set: PodSet, sizes: Sizes): object {
  const claim = {
    metadata: { name: STORAGE },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: sizes.storage } } },
  };
  return {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: createMetadata(app, set) },
    spec: {
      serviceName: `${app}-peers`,
      replicas: set.pods.length,
      ordinals: { start: FIRST_ORDINAL },
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: { app, row: set.name } },
      template: podTemplate(app, set, sizes, null),
      ...(set.hasData && { volumeClaimTemplates: [claim] }),
    },
  };
}

/** A changed descriptor restarts dispatchers; engines receive it while they run. */
function deployment(app: string, set: PodSet, sizes: Sizes, descriptor: string): object {
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: createMetadata(app, set) },
    spec: {
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: { app, row: set.name } },
      template: podTemplate(app, set, sizes, descriptor),
    },
  };
}
