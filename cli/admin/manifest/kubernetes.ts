// Kubernetes objects as a kustomize base, or as a Helm chart. An engine is a StatefulSet of size
// one, because it has its own name and data; it is updated only when its pod is deleted, which
// `svc admin rolling-update` decides. A dispatcher is a Deployment behind a Service.

import { createHash } from "node:crypto";
import type { System } from "../../../runtime/system/system.js";
import { leaseAccess, leasesFor } from "./kubernetes-access.js";
import {
  clientService,
  dispatcherService,
  disruptionBudget,
  networkPolicies,
  peerService,
} from "./kubernetes-network.js";
import { type Pod, placePods, podHost } from "./kubernetes-places.js";
import { podTemplate, type Sizes, STORAGE } from "./kubernetes-pods.js";
import { descriptorWith, type Manifests, platformName, toYaml } from "./placement.js";

/** To be adapted to the size of the graphs: a save may copy them, so there is room for two. */
const SIZES: Sizes = { memory: "2Gi", storage: "10Gi" };
const TAG = "1";

export function kubernetes(system: System): Manifests {
  const files = describeObjects(system, SIZES);
  const { app } = namesOf(system);
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
  const { app } = namesOf(system);
  const chart = { apiVersion: "v2", name: app, version: "1.0.0", type: "application" };
  const values = { image: `${app}:${TAG}`, ...SIZES };
  // A word in place of each value: a descriptor cannot contain its own hash.
  const text = JSON.stringify(system.descriptor);
  const mark = `value-${createHash("sha256").update(text).digest("hex")}`;
  const words = { memory: `${mark}-memory`, storage: `${mark}-storage` };
  const templates = [...describeObjects(system, words)].map(([name, plain]) => {
    const template = plain
      .replaceAll("{{", '{{ "{{" }}')
      .replaceAll(`image: ${app}\n`, "image: {{ .Values.image | quote }}\n")
      .replaceAll(new RegExp(`${mark}-(\\w+)`, "g"), "{{ .Values.$1 | quote }}");
    return [`templates/${name}`, template] as const;
  });
  return new Map([["Chart.yaml", toYaml(chart)], ["values.yaml", toYaml(values)], ...templates]);
}

function namesOf(system: System): { app: string } {
  return { app: `svc-${platformName(system.name)}` };
}

function describeObjects(system: System, sizes: Sizes): Map<string, string> {
  const { app } = namesOf(system);
  const pods = placePods(system);
  const hosts = new Map(pods.map((pod) => [pod.plan.id, podHost(app, pod)]));
  const descriptor = descriptorWith(system, (id) => hosts.get(id)!);
  const [engines, dispatchers] = [
    pods.filter((pod) => !isDispatcher(pod)),
    pods.filter(isDispatcher),
  ];
  const config = {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: app, labels: { app } } },
    data: { "system.json": descriptor },
  };
  const fronts = pods.filter(({ isFront }) => isFront);
  const rows = new Set(pods.map(({ row }) => row));
  const files: Record<string, readonly object[]> = {
    "system.yaml": [config],
    "services.yaml": [
      peerService(app),
      clientService(app, fronts),
      ...dispatchers.map((pod) => dispatcherService(app, pod)),
    ],
    "engines.yaml": engines.map((pod) => statefulSet(app, pod, sizes)),
    "dispatchers.yaml": dispatchers.map((pod) => deployment(app, pod, sizes, descriptor)),
    "availability.yaml": [...rows].map((row) => disruptionBudget(app, row)),
    "network.yaml": networkPolicies(app),
    "access.yaml": leaseAccess(app, [...new Set(pods.flatMap(leasesFor))]),
  };
  const present = Object.entries(files).filter(([, objects]) => objects.length > 0);
  return new Map(present.map(([name, objects]) => [name, objects.map(toYaml).join("---\n")]));
}

function isDispatcher({ plan }: Pod): boolean {
  return plan.dispatcher !== null;
}

function metadataOf(app: string, { name, plan }: Pod): object {
  const labels = { app, instance: name };
  return { name: `${app}-${name}`, labels, annotations: { "svc/instance": plan.id } };
}

function statefulSet(app: string, pod: Pod, sizes: Sizes): object {
  const claim = {
    metadata: { name: STORAGE },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: sizes.storage } } },
  };
  return {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: metadataOf(app, pod) },
    spec: {
      serviceName: `${app}-peers`,
      replicas: 1,
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: { app, instance: pod.name } },
      template: podTemplate(app, pod, sizes, null),
      ...(pod.hasData && { volumeClaimTemplates: [claim] }),
    },
  };
}

/** A dispatcher starts again when the descriptor has changed; engines get it while they run. */
function deployment(app: string, pod: Pod, sizes: Sizes, descriptor: string): object {
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: metadataOf(app, pod) },
    spec: {
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: { app, instance: pod.name } },
      template: podTemplate(app, pod, sizes, descriptor),
    },
  };
}
