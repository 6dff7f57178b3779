// Pods of a system in the Kubernetes cluster that this process runs in. A new image is set in all
// templates at once. Kubernetes then replaces the dispatchers by itself, but an engine only after
// its pod has been deleted.

import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "../../../runtime/base/plain-object.js";
import {
  findCluster,
  KubernetesApi,
} from "../../../runtime/interconnect/leadership/kubernetes-api.js";
import { INSTANCES } from "../manifest/kubernetes.js";
import { FIRST_ORDINAL } from "../manifest/kubernetes-pod-sets.js";
import { CONTAINER } from "../manifest/kubernetes-pods.js";
import { stopError } from "./instances.js";

const REQUEST_TIMEOUT_MS = 10_000;
const POLL_MS = 200;
/** Includes the time to pull the image and to load the graphs. */
const REPLACEMENT_MS = 600_000;
const OK = 200;
const ACCEPTED = 202;
const NOT_FOUND = 404;

interface Template {
  readonly spec?: { readonly containers?: readonly { name?: string; image?: string }[] };
}

/** The fields of Kubernetes objects that this module reads. */
interface ClusterObject {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Template["spec"] & { readonly replicas?: number; readonly template?: Template };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly containerStatuses?: readonly { state?: { waiting?: { reason?: string } } }[];
  };
}

export class ClusterPods {
  readonly #api: KubernetesApi;
  readonly #app: string;
  readonly #image: string;
  /** Pod of each instance that is in a StatefulSet. */
  readonly #pods = new Map<string, string>();

  /**
   * @param app label of all objects of the system
   * @throws SvcError SVC3119 outside of a cluster
   */
  constructor(app: string, image: string) {
    this.#app = app;
    this.#image = image;
    try {
      this.#api = new KubernetesApi(findCluster());
    } catch (error) {
      throw stopError(`--image: ${(error as Error).message}`);
    }
  }

  /**
   * Sets the image of all new pods. Resolves when all dispatchers run it.
   * @throws SvcError SVC3119
   */
  async setImage(): Promise<void> {
    for (const kind of ["statefulsets", "deployments"]) {
      const query = `?labelSelector=${encodeURIComponent(`app=${this.#app}`)}`;
      const { items } = await this.#request("GET", `${this.#appsPath(kind)}${query}`);
      const objects = (Array.isArray(items) ? items : []) as readonly ClusterObject[];
      if (kind === "statefulsets") this.#readPods(objects);
      for (const object of objects) await this.#patch(kind, object);
    }
    if (this.#pods.size === 0) throw stopError(`no StatefulSet has the label app=${this.#app}`);
  }

  /** Returns whether Kubernetes replaces the pod of an instance only when it is deleted. */
  has(id: string): boolean {
    return this.#pods.has(id);
  }

  /** Returns whether the pod of an instance has the image. @throws SvcError SVC3119 */
  async isCurrent(id: string): Promise<boolean> {
    const pod = await this.#pod(id);
    return pod !== null && isAlive(pod) && imageOf(pod) === this.#image;
  }

  /** Replaces the pod of an instance. @throws SvcError SVC3119 */
  async replace(id: string): Promise<void> {
    const uid = (await this.#pod(id))?.metadata?.uid;
    // The precondition protects a pod that Kubernetes may have created since.
    if (uid !== undefined)
      await this.#request("DELETE", this.#podPath(id), { preconditions: { uid } });
    let reason = "";
    const isReplaced = async (): Promise<boolean> => {
      const pod = await this.#pod(id);
      reason = pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? "";
      return pod !== null && isAlive(pod) && pod.metadata?.uid !== uid && reason === "";
    };
    await this.#waitUntil(isReplaced, () => `the pod of ${id} does not start: ${reason}`);
    if (await this.isCurrent(id)) return;
    throw stopError(`the pod of ${id} has another image: its StatefulSet has changed meanwhile`);
  }

  #readPods(sets: readonly ClusterObject[]): void {
    for (const { metadata } of sets) {
      const ids = metadata?.annotations?.[INSTANCES]?.split(",") ?? [];
      for (const [at, id] of ids.entries()) {
        this.#pods.set(id, `${metadata?.name}-${FIRST_ORDINAL + at}`);
      }
    }
  }

  async #patch(kind: string, object: ClusterObject): Promise<void> {
    const path = `${this.#appsPath(kind)}/${object.metadata?.name}`;
    if (imageOf(object.spec?.template) !== this.#image) {
      const containers = [{ name: CONTAINER, image: this.#image }];
      await this.#request("PATCH", path, { spec: { template: { spec: { containers } } } });
    }
    if (kind === "statefulsets") return;
    const isComplete = async () => isRolledOut(await this.#request("GET", path));
    await this.#waitUntil(isComplete, () => `${object.metadata?.name} is not available`);
  }

  async #waitUntil(isDone: () => Promise<boolean>, describeFailure: () => string): Promise<void> {
    const deadline = performance.now() + REPLACEMENT_MS;
    while (!(await isDone())) {
      if (performance.now() > deadline) throw stopError(describeFailure());
      await sleep(POLL_MS);
    }
  }

  /** Returns the pod of an instance; null: it does not exist now. */
  async #pod(id: string): Promise<ClusterObject | null> {
    const response = await this.#request("GET", this.#podPath(id));
    return response.kind === "Status" ? null : response;
  }

  #podPath(id: string): string {
    return `/api/v1/namespaces/${this.#api.namespace}/pods/${this.#pods.get(id)}`;
  }

  #appsPath(kind: string): string {
    return `/apis/apps/v1/namespaces/${this.#api.namespace}/${kind}`;
  }

  /** @throws SvcError SVC3119 unless the request succeeds; a missing object fails only a PATCH */
  async #request(
    method: "GET" | "PATCH" | "DELETE",
    path: string,
    body?: object,
  ): Promise<ClusterObject & { readonly kind?: string; readonly items?: unknown }> {
    try {
      const { status, json } = await this.#api.request(method, path, REQUEST_TIMEOUT_MS, body);
      if ([OK, ACCEPTED].includes(status)) return json;
      if (status === NOT_FOUND && method !== "PATCH") return { kind: "Status" };
      const { message } = isPlainObject(json) ? json : {};
      throw new Error(`${status} ${String(message ?? "").slice(0, 200)}`);
    } catch (error) {
      throw stopError(`Kubernetes: ${method} ${path}: ${(error as Error).message}`);
    }
  }
}

function isAlive({ metadata }: ClusterObject): boolean {
  return metadata?.deletionTimestamp === undefined;
}

function imageOf(template: Template | undefined): string | undefined {
  return template?.spec?.containers?.find(({ name }) => name === CONTAINER)?.image;
}

function isRolledOut({ metadata, spec, status = {} }: ClusterObject): boolean {
  const { replicas = 1 } = spec ?? {};
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  const isObserved = (status.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  return isObserved && counts.every((count) => (count ?? 0) === replicas);
}
