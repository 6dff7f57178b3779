// Permissions of instances that elect their leader with Kubernetes Leases.

import { leaseName } from "../../../runtime/base/lease-name.js";
import type { PodSet } from "./kubernetes-pod-sets.js";
import type { PlacedInstance } from "./placement.js";

const SCHEME = "kubernetes://";

/** Returns the Leases that the pods of a set use. */
export function leasesFor({ pods }: PodSet): readonly string[] {
  return pods.flatMap(listLeases);
}

/** Returns the Leases of an instance's group: of its leader, and of its jobs. */
function listLeases({ plan: { leadership } }: PlacedInstance): readonly string[] {
  if (leadership === null || !leadership.engine.startsWith(SCHEME)) return [];
  const prefix = leadership.engine.slice(SCHEME.length);
  const { group } = leadership;
  return [group, `${group}/jobs`].map((name) => leaseName(prefix, name));
}

/** Returns the service account and its permission to use Leases; empty if no group uses them. */
export function leaseAccess(app: string, leases: readonly string[]): readonly object[] {
  if (leases.length === 0) return [];
  const rule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return grant(app, app, false, [
    // Kubernetes cannot limit `create` to names.
    { ...rule, verbs: ["create"] },
    { ...rule, resourceNames: leases, verbs: ["get", "update"] },
  ]);
}

/** Returns the service account of operators, which may replace images and pods. */
export function operatorAccess(app: string): readonly object[] {
  const resources = ["statefulsets", "deployments"];
  return grant(app, `${app}-operator`, true, [
    { apiGroups: ["apps"], resources, verbs: ["get", "list", "patch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "delete"] },
  ]);
}

function grant(
  app: string,
  name: string,
  automountServiceAccountToken: boolean,
  rules: readonly object[],
): readonly object[] {
  const metadata = { name, labels: { app } };
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken },
    { ...rbac, kind: "Role", metadata, rules },
    {
      ...{ ...rbac, kind: "RoleBinding", metadata },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name }],
    },
  ];
}
