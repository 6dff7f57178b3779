// Kubernetes objects: a StatefulSet of size one for each instance, because each has its own name
// and data; one headless Service, and the descriptor.

import type { System } from "../../../runtime/system/system.js";
import {
  descriptorWith,
  type Manifests,
  type PlacedInstance,
  placeInstances,
  platformName,
  STOP_SECONDS,
  serveWords,
  toYaml,
} from "./placement.js";

/** Room for two copies, because a save may copy the graphs. To be adapted to their size. */
const MEMORY = "2Gi";
const STORAGE = "10Gi";

export function kubernetes(system: System): Manifests {
  const app = `svc-${platformName(system.name)}`;
  const placed = placeInstances(system);
  // The first pod of a set, by the name that the Service gives it.
  const hosts = new Map(placed.map(({ plan, name }) => [plan.id, `${app}-${name}-0.${app}`]));
  const descriptor = descriptorWith(system, (id) => hosts.get(id)!);
  const objects = [
    configMap(app, descriptor),
    service(app),
    ...placed.map((one) => statefulSet(app, one)),
  ];
  return new Map([["system.yaml", objects.map(toYaml).join("---\n")]]);
}

function configMap(app: string, descriptor: string): object {
  const metadata = { name: app, labels: { app } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "system.json": descriptor } };
}

/** Instances must find each other while they start and while they are out of service. */
function service(app: string): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: app, labels: { app } },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: { app } },
  };
}

function statefulSet(app: string, placed: PlacedInstance): object {
  const { name, hasData, plan } = placed;
  const labels = { app, instance: name };
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: STORAGE } } },
  };
  const config = { name: "system", configMap: { name: app } };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: `${app}-${name}`, labels, annotations: { "svc/instance": plan.id } },
    spec: {
      serviceName: app,
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: STOP_SECONDS,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
          containers: [container(app, placed)],
          volumes: hasData ? [config] : [config, { name: "data", emptyDir: {} }],
        },
      },
      ...(hasData && { volumeClaimTemplates: [claim] }),
    },
  };
}

function container(app: string, placed: PlacedInstance): object {
  const { port, txPort } = placed.plan;
  const stream = txPort > 0 ? [{ name: "stream", containerPort: txPort }] : [];
  const scheme = placed.probe === "https" ? { scheme: "HTTPS" } : {};
  const probe = (path: string, at: string) => ({
    ...(placed.probe === "tcp"
      ? { tcpSocket: { port: at } }
      : { httpGet: { path, port: at, ...scheme } }),
    periodSeconds: 5,
    timeoutSeconds: 3,
  });
  return {
    name: "svc",
    image: `${app}:latest`,
    command: ["node", "serve.mjs", ...serveWords(placed, "/etc/svc/system.json", "/data")],
    // SVC_ADMIN_KEY and SVC_TX_KEY.
    envFrom: [{ secretRef: { name: app, optional: true } }],
    ports: [
      { name: "main", containerPort: port },
      { name: "admin", containerPort: port + 1 },
      ...stream,
    ],
    // Not the health check: an instance out of service responds with 503 but is alive.
    livenessProbe: probe("/svc/ping", "admin"),
    readinessProbe: probe("/svc/hc", "main"),
    startupProbe: { ...probe("/svc/ping", "admin"), failureThreshold: 120 },
    resources: { limits: { memory: MEMORY } },
    volumeMounts: [
      { name: "system", mountPath: "/etc/svc", readOnly: true },
      { name: "data", mountPath: "/data" },
    ],
  };
}
