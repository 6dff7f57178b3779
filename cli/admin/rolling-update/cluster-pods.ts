// Pods of a system in the Kubernetes cluster that this process runs in. A new image is set in the
// templates at once: Kubernetes replaces the dispatchers by itself, and an engine when its pod is
// deleted.

import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "../../../runtime/base/plain-object.js";
import {
  findCluster,
  KubernetesApi,
} from "../../../runtime/interconnect/leadership/kubernetes-api.js";
import { INSTANCES } from "../manifest/kubernetes.js";
import { FIRST_ORDINAL } from "../manifest/kubernetes-places.js";
import { CONTAINER } from "../manifest/kubernetes-pods.js";
import { hasStopped } from "./instances.js";

const CALL_MS = 10_000;
const POLL_MS = 200;
/** The image may have to be fetched, and graphs are loaded. */
const REPLACEMENT_MS = 600_000;
const OK = 200;
const ACCEPTED = 202;
const NOT_FOUND = 404;

interface Template {
  readonly spec?: { readonly containers?: readonly { name?: string; image?: string }[] };
}

/** Fields of Kubernetes objects that are read here. */
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
      throw hasStopped(`--image: ${(error as Error).message}`);
    }
  }

  /**
   * Sets the image of all pods that are created from now on. Resolves when all dispatchers have it.
   * @throws SvcError SVC3119
   */
  async setImage(): Promise<void> {
    for (const kind of ["statefulsets", "deployments"]) {
      const query = `?labelSelector=${encodeURIComponent(`app=${this.#app}`)}`;
      const { items } = await this.#call("GET", `${this.#apps(kind)}${query}`);
      const objects = (Array.isArray(items) ? items : []) as readonly ClusterObject[];
      if (kind === "statefulsets") this.#readPods(objects);
      for (const object of objects) await this.#patch(kind, object);
    }
    if (this.#pods.size === 0) throw hasStopped(`no StatefulSet has the label app=${this.#app}`);
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
    // Not the pod that Kubernetes may have created since.
    if (uid !== undefined) await this.#call("DELETE", this.#path(id), { preconditions: { uid } });
    let reason = "";
    const isReplaced = async (): Promise<boolean> => {
      const pod = await this.#pod(id);
      reason = pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? "";
      return pod !== null && isAlive(pod) && pod.metadata?.uid !== uid && reason === "";
    };
    await this.#until(isReplaced, () => `the pod of ${id} does not start: ${reason}`);
    if (await this.isCurrent(id)) return;
    throw hasStopped(`the pod of ${id} has another image: its StatefulSet has changed meanwhile`);
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
    const path = `${this.#apps(kind)}/${object.metadata?.name}`;
    if (imageOf(object.spec?.template) !== this.#image) {
      const containers = [{ name: CONTAINER, image: this.#image }];
      await this.#call("PATCH", path, { spec: { template: { spec: { containers } } } });
    }
    if (kind === "statefulsets") return;
    const isComplete = async () => isRolledOut(await this.#call("GET", path));
    await this.#until(isComplete, () => `${object.metadata?.name} is not available`);
  }

  async #until(holds: () => Promise<boolean>, fault: () => string): Promise<void> {
    const deadline = performance.now() + REPLACEMENT_MS;
    while (!(await holds())) {
      if (performance.now() > deadline) throw hasStopped(fault());
      await sleep(POLL_MS);
    }
  }

  /** Returns null while there is none. */
  async #pod(id: string): Promise<ClusterObject | null> {
    const answer = await this.#call("GET", this.#path(id));
    return answer.kind === "Status" ? null : answer;
  }

  #path(id: string): string {
    return `/api/v1/namespaces/${this.#api.namespace}/pods/${this.#pods.get(id)}`;
  }

  #apps(kind: string): string {
    return `/apis/apps/v1/namespaces/${this.#api.namespace}/${kind}`;
  }

  /** @throws SvcError SVC3119 for any other answer than success, and that there is no object */
  async #call(
    method: "GET" | "PATCH" | "DELETE",
    path: string,
    body?: object,
  ): Promise<ClusterObject & { readonly kind?: string; readonly items?: unknown }> {
    try {
      const { status, json } = await this.#api.request(method, path, CALL_MS, body);
      if ([OK, ACCEPTED].includes(status)) return json;
      if (status === NOT_FOUND && method !== "PATCH") return { kind: "Status" };
      const { message } = isPlainObject(json) ? json : {};
      throw new Error(`${status} ${String(message ?? "").slice(0, 200)}`);
    } catch (error) {
      throw hasStopped(`Kubernetes: ${method} ${path}: ${(error as Error).message}`);
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
