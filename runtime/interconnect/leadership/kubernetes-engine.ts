// Leadership engine on Leases of Kubernetes (`coordination.k8s.io/v1`): one Lease per record. The
// API server replaces an object only if the request names its latest `resourceVersion`. The record
// is an annotation; the fields of the Lease only show the holder to people and tools.
//
//   kubernetes://PREFIX

import { SvcError } from "../../base/errors.js";
import { leaseName } from "../../base/lease-name.js";
import type { JsonResponse } from "./json-request.js";
import { type ClusterAccess, findCluster, KubernetesApi } from "./kubernetes-api.js";
import { findRecord, type LeadershipEngine, type TextReading } from "./leadership.js";

const ADDRESS = /^kubernetes:\/\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;
const RECORD = "svc/record";
const NAME = "svc/name";
const ABSENT = "";
const [OK, CREATED, FORBIDDEN, NOT_FOUND, CONFLICT] = [200, 201, 403, 404, 409];
/** The call timeout is half of the `ttl`. */
const CALLS_PER_TTL = 2;

interface Lease {
  readonly metadata?: {
    readonly resourceVersion?: unknown;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
  readonly spec?: { readonly acquireTime?: unknown };
}

type Verb = "get" | "create" | "update";

export class KubernetesEngine implements LeadershipEngine {
  readonly #api: KubernetesApi;
  readonly #lease: string;
  /** Name of the record, which the Lease contains. */
  readonly #name: string;
  readonly #timeoutMs: number;
  /** Last epoch that this instance has seen, and `acquireTime` of its leader. */
  #acquired: { readonly epoch: number; readonly time: string } | null = null;

  /** @throws SvcError SVC3400 */
  constructor(uri: string, name: string, timeoutMs: number, cluster?: ClusterAccess) {
    const match = ADDRESS.exec(uri);
    if (match === null) {
      const text = `leadership: ${JSON.stringify(uri.slice(0, 200))} is not kubernetes://PREFIX`;
      throw new SvcError("SVC3400", `${text}, in lower case, with up to 63 letters and digits`);
    }
    this.#api = new KubernetesApi(cluster ?? findCluster());
    this.#lease = leaseName(match[1]!, name);
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<TextReading> {
    // Without `resourceVersion` in the query, the API server bypasses its cache.
    const { status, json } = await this.#call("get", "GET", `/${this.#lease}`);
    if (status === NOT_FOUND) return { revision: ABSENT, text: null };
    if (status !== OK) throw failure(status, json);
    const { metadata, spec } = json as Lease;
    const { [RECORD]: stored, [NAME]: name } = metadata?.annotations ?? {};
    if (name !== undefined && name !== this.#name) throw this.#takenError(name);
    const text = typeof stored === "string" ? stored : null;
    const record = findRecord(text);
    if (record !== null && typeof spec?.acquireTime === "string") {
      this.#acquired = { epoch: record.epoch, time: spec.acquireTime };
    }
    return { revision: String(metadata?.resourceVersion ?? ABSENT), text };
  }

  async swap(revision: string, text: string): Promise<string | null> {
    const lease = this.#leaseWith(revision, text);
    const { status, json } =
      revision === ABSENT
        ? await this.#call("create", "POST", "", lease)
        : await this.#call("update", "PUT", `/${this.#lease}`, lease);
    // Another instance has created, replaced or removed the Lease.
    if (status === CONFLICT || status === NOT_FOUND) return null;
    if (status !== OK && status !== CREATED) throw failure(status, json);
    return String((json as Lease).metadata?.resourceVersion);
  }

  async close(): Promise<void> {}

  #leaseWith(revision: string, text: string): object {
    return {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
      metadata: {
        name: this.#lease,
        ...(revision !== ABSENT && { resourceVersion: revision }),
        annotations: { [NAME]: this.#name, [RECORD]: text },
      },
      spec: this.#describe(text),
    };
  }

  /** Returns the fields of the Lease that show the leader; none for other records. */
  #describe(text: string): object {
    const record = findRecord(text);
    if (record === null) return {};
    const { holder, epoch } = record;
    const now = microTime();
    const acquireTime = this.#acquired?.epoch === epoch ? this.#acquired.time : now;
    this.#acquired = { epoch, time: acquireTime };
    return {
      ...(holder !== null && { holderIdentity: holder }),
      leaseDurationSeconds: Math.max(1, Math.ceil((this.#timeoutMs * CALLS_PER_TTL) / 1000)),
      ...{ acquireTime, renewTime: now, leaseTransitions: epoch },
    };
  }

  async #call(
    verb: Verb,
    method: "GET" | "POST" | "PUT",
    name: string,
    lease?: object,
  ): Promise<JsonResponse> {
    const { namespace } = this.#api;
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name}`;
    const response = await this.#api.request(method, path, this.#timeoutMs, lease);
    if (response.status === FORBIDDEN) throw this.#permissionError(verb);
    return response;
  }

  #permissionError(verb: Verb): SvcError {
    const rule =
      '{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] }, ' +
      '{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], ' +
      `resourceNames: ["${this.#lease}"], verbs: ["get", "update"] }`;
    const text = `the service account may not ${verb} Lease ${this.#lease}`;
    return new SvcError("SVC3400", `leadership: ${text}; add to the rules of its Role: ${rule}`);
  }

  #takenError(name: unknown): SvcError {
    const text = `Lease ${this.#lease} is that of ${JSON.stringify(name)}`;
    return new SvcError("SVC3400", `leadership: ${text}; choose another PREFIX`);
  }
}

/** Returns the current time in the format of Leases, with microseconds. */
function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}

function failure(status: number, { message }: JsonResponse["json"]): Error {
  const text = typeof message === "string" ? `: ${message.slice(0, 200)}` : "";
  return new Error(`the Kubernetes API answers ${status}${text}`);
}
