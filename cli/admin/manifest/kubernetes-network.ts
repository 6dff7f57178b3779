// Services, network policies and disruption budgets of the pods.

import type { PodSet } from "./kubernetes-pod-sets.js";

/** Label of pods that may call admin ports. */
const OPERATOR = { "svc/operator": "true" };

/** Resolves instances for each other, also while they start or are out of service. */
export function peerService(app: string): object {
  return {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: `${app}-peers`, labels: { app } } },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: { app } },
  };
}

/** The service for clients: selects the dispatchers, or all instances if there are none. */
export function clientService(app: string, fronts: readonly PodSet[]): object {
  const [first] = fronts;
  return {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: app, labels: { app } } },
    spec: {
      selector: { app, front: "true" },
      ports: [{ name: "main", port: first?.pods[0].plan.port ?? 9000, targetPort: "main" }],
    },
  };
}

export function dispatcherService(app: string, { name, pods }: PodSet): object {
  const [{ plan }] = pods;
  const { port } = plan;
  const labels = { app, row: name };
  return {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: `${app}-${name}`, labels } },
    spec: {
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [
        { name: "main", port, targetPort: "main" },
        { name: "admin", port: port + 1, targetPort: "admin" },
      ],
    },
  };
}

/** Allows one instance of a row to move to another host, while the other rows serve. */
export function disruptionBudget(app: string, row: string): object {
  return {
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
    metadata: { name: `${app}-${row}`, labels: { app } },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app, row } } },
  };
}

/** Denies all connections except from instances of the system, operators and clients. */
export function networkPolicies(app: string): readonly object[] {
  const policy = (name: string, matchLabels: object, ingress: readonly object[]): object => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
    metadata: { name, labels: { app } },
    spec: { podSelector: { matchLabels }, policyTypes: ["Ingress"], ingress },
  });
  return [
    policy(app, { app }, [
      { from: [{ podSelector: { matchLabels: { app } } }] },
      {
        from: [{ namespaceSelector: {}, podSelector: { matchLabels: OPERATOR } }],
        ports: [{ port: "admin" }],
      },
    ]),
    policy(`${app}-clients`, { app, front: "true" }, [{ ports: [{ port: "main" }] }]),
  ];
}
