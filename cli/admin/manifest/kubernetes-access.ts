// Permissions of the instances that choose their leader by Leases of Kubernetes.

import { leaseName } from "../../../runtime/base/lease-name.js";
import type { PlacedInstance } from "./placement.js";

const SCHEME = "kubernetes://";

/** Returns the Leases of an instance's group: of its leader, and of its jobs. */
export function leasesFor({ plan: { leadership } }: PlacedInstance): readonly string[] {
  if (leadership === null || !leadership.engine.startsWith(SCHEME)) return [];
  const prefix = leadership.engine.slice(SCHEME.length);
  const { group } = leadership;
  return [group, `${group}/jobs`].map((name) => leaseName(prefix, name));
}

/** Returns the service account and its permission to use Leases; empty if no group uses them. */
export function leaseAccess(app: string, leases: readonly string[]): readonly object[] {
  if (leases.length === 0) return [];
  const metadata = { name: app, labels: { app } };
  const rule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken: false },
    {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata },
      rules: [
        // Kubernetes cannot limit `create` to names.
        { ...rule, verbs: ["create"] },
        { ...rule, resourceNames: leases, verbs: ["get", "update"] },
      ],
    },
    {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: app },
      subjects: [{ kind: "ServiceAccount", name: app }],
    },
  ];
}
