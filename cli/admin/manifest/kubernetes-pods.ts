// Pod templates: container, probes, volumes, and settings of the restricted security profile.

import { createHash } from "node:crypto";
import { leasesFor } from "./kubernetes-access.js";
import { findTxPort, type PodSet } from "./kubernetes-pod-sets.js";
import { STOP_SECONDS, serveWords } from "./placement.js";

export interface Sizes {
  readonly memory: string;
  readonly storage: string;
}

/** Name of the volume with the data folder. */
export const STORAGE = "data";
/** Name of the container of each pod. */
export const CONTAINER = "svc";
const USER = 1000;

/** @param descriptor text whose changes replace the pod; null: none do */
export function podTemplate(
  app: string,
  set: PodSet,
  sizes: Sizes,
  descriptor: string | null,
): object {
  const { name, matrix, isFront, hasData } = set;
  const needsAccount = leasesFor(set).length > 0;
  const labels = {
    ...{ app, row: name },
    ...(matrix !== null && { matrix }),
    ...(isFront && { front: "true" }),
  };
  const volumes = [
    { name: "system", configMap: { name: app } },
    { name: "temporary", emptyDir: {} },
    ...(hasData ? [] : [{ name: STORAGE, emptyDir: {} }]),
  ];
  const hash = descriptor === null ? "" : createHash("sha256").update(descriptor).digest("hex");
  return {
    metadata: { labels, ...(hash !== "" && { annotations: { "checksum/system": hash } }) },
    spec: {
      terminationGracePeriodSeconds: STOP_SECONDS,
      ...(needsAccount && { serviceAccountName: app }),
      automountServiceAccountToken: needsAccount,
      enableServiceLinks: false,
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
        seccompProfile: { type: "RuntimeDefault" },
      },
      ...(matrix !== null && spread({ app, matrix })),
      containers: [container(app, set, sizes)],
      volumes,
    },
  };
}

/**
 * Keeps replicas of a partition, which are the pods of a matrix with the same ordinal, on different
 * hosts and preferably in different zones.
 */
function spread(matchLabels: Readonly<Record<string, string>>): object {
  const labelSelector = { matchLabels };
  const matchLabelKeys = ["apps.kubernetes.io/pod-index"];
  const apart = { topologyKey: "kubernetes.io/hostname", labelSelector, matchLabelKeys };
  return {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } },
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone" },
        ...{ whenUnsatisfiable: "ScheduleAnyway", labelSelector, matchLabelKeys },
      },
    ],
  };
}

function container(app: string, { pods }: PodSet, { memory }: Sizes): object {
  const [pod] = pods;
  const { port } = pod.plan;
  const txPort = findTxPort(pods);
  // The ordinal of the pod selects its id from this list.
  const ids = pods.map(({ plan }) => plan.id).join();
  const stream = txPort > 0 ? [{ name: "stream", containerPort: txPort }] : [];
  const scheme = pod.probe === "https" ? { scheme: "HTTPS" } : {};
  const probe = (path: string, at: string) => ({
    ...(pod.probe === "tcp"
      ? { tcpSocket: { port: at } }
      : { httpGet: { path, port: at, ...scheme } }),
    periodSeconds: 5,
    timeoutSeconds: 3,
  });
  return {
    name: CONTAINER,
    image: app,
    command: ["node", "serve.mjs", ...serveWords(ids, "/etc/svc/system.json", "/data")],
    // SVC_ADMIN_KEY and SVC_TX_KEY.
    envFrom: [{ secretRef: { name: app, optional: true } }],
    ports: [
      { name: "main", containerPort: port },
      { name: "admin", containerPort: port + 1 },
      ...stream,
    ],
    // Not the health check, which fails while an instance is out of service.
    livenessProbe: probe("/svc/ping", "admin"),
    readinessProbe: probe("/svc/hc", "main"),
    startupProbe: { ...probe("/svc/ping", "admin"), failureThreshold: 120 },
    // Requests equal the limit, so that a host cannot run out of memory.
    resources: { requests: { cpu: "1", memory }, limits: { memory } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "system", mountPath: "/etc/svc", readOnly: true },
      { name: "temporary", mountPath: "/tmp" },
      { name: STORAGE, mountPath: "/data" },
    ],
  };
}
