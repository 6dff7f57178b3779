// Client of the API of the Kubernetes cluster that this process runs in, with its service account.
// Reads token and certificate for each request, because Kubernetes replaces them while pods run.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../base/errors.js";
import { type JsonRequest, type JsonResponse, requestJson } from "./json-request.js";

/** Where Kubernetes mounts the credentials of a service account. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const MAX_BYTES = 2 ** 20;

/** URL of the API, and the credentials for it. */
export interface ClusterAccess {
  readonly url: string;
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string;
}

/** @throws SvcError SVC3400 outside of a pod */
export function findCluster(env: NodeJS.ProcessEnv = process.env): ClusterAccess {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = env;
  const account = env.SVC_KUBERNETES_ACCOUNT ?? ACCOUNT;
  const { SVC_KUBERNETES_API: url } = env;
  if (url !== undefined) return { url: url.replace(/\/+$/, ""), account };
  if (host === "") {
    const text = "leadership: there is no Kubernetes API: KUBERNETES_SERVICE_HOST is not set";
    throw new SvcError("SVC3400", `${text}; run in a pod, or choose another engine`);
  }
  return { url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`, account };
}

export class KubernetesApi {
  readonly #cluster: ClusterAccess;
  readonly namespace: string;

  /** @throws SvcError SVC3400 without the credentials of a service account */
  constructor(cluster: ClusterAccess) {
    this.#cluster = cluster;
    this.namespace = this.#read("namespace");
    this.#read("token");
  }

  /** @throws Error without a complete response within `timeoutMs` */
  request(
    method: NonNullable<JsonRequest["method"]>,
    path: string,
    timeoutMs: number,
    body?: object,
  ): Promise<JsonResponse> {
    const { url } = this.#cluster;
    const headers = {
      ...{ Accept: "application/json", Authorization: `Bearer ${this.#read("token")}` },
      ...(method === "PATCH" && { "Content-Type": "application/strategic-merge-patch+json" }),
    };
    const ca = url.startsWith("https:") ? this.#read("ca.crt") : undefined;
    return requestJson(`${url}${path}`, {
      method,
      headers,
      body,
      ca,
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
  }

  #read(name: string): string {
    const path = join(this.#cluster.account, name);
    try {
      return readFileSync(path, "utf8").trim();
    } catch (error) {
      const text =
        `leadership: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}): ` +
        "set `automountServiceAccountToken: true` and `serviceAccountName` in the pod";
      throw new SvcError("SVC3400", text, { cause: error });
    }
  }
}
