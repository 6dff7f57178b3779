// A Kubernetes API server for Leases and the pods of sets, with the documented semantics: objects
// have a resourceVersion that changes with each write, a write that names another one is a
// conflict, a strategic merge patch finds containers by their names, a deleted pod is there until
// its process has ended, then its set creates another one, and requests need the token of the
// moment.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server as TlsServer } from "node:tls";
import type { ClusterAccess } from "../../../../runtime/interconnect/leadership/kubernetes-api.js";
import { certificateFile } from "../../../support/certificates.js";

export interface StoredLease {
  metadata: Record<string, unknown> & { name: string; resourceVersion?: string };
  spec: Record<string, unknown>;
}

/** A StatefulSet or a Deployment of one container. */
export interface StoredSet {
  kind: "statefulsets" | "deployments";
  metadata: { name: string; generation: number; labels: object; annotations: object };
  spec: { replicas: number; template: { spec: { containers: [{ name: string; image: string }] } } };
  status: Record<string, number>;
}

export interface StoredPod {
  metadata: { name: string; uid: string; deletionTimestamp?: string };
  spec: { containers: readonly { name: string; image: string }[] };
}

const APPS =
  /^\/apis\/apps\/v1\/namespaces\/shops\/(\w+)(?:\/([\w-]+)|\?labelSelector=app%3D([\w-]+))$/;
const PODS = /^\/api\/v1\/namespaces\/shops\/pods\/([\w-]+)$/;
const MERGE = "application/strategic-merge-patch+json";
const LEASES = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/([\w-]+)\/leases(?:\/([\w.-]+))?$/;
export const NAMESPACE = "shops";

export class FakeKubernetes {
  readonly leases = new Map<string, StoredLease>();
  readonly sets: StoredSet[] = [];
  readonly pods = new Map<string, StoredPod>();
  /** Ends the process of a pod. */
  terminate: (pod: string) => Promise<void> = async () => undefined;
  /** Verbs that the service account may not use. */
  readonly forbidden = new Set<string>();
  /** Requests as `METHOD path`. */
  readonly requests: string[] = [];
  /** The status to answer the next requests with. */
  statuses: number[] = [];
  /** Requests are received, and never answered. */
  isStuck = false;
  readonly account: string;
  readonly #server: Server;
  #token = "";
  #version = 100;

  private constructor(server: Server) {
    this.#server = server;
    this.account = join(mkdtempSync(join(tmpdir(), "svc-account-")), "serviceaccount");
    mkdirSync(this.account);
    writeFileSync(join(this.account, "namespace"), NAMESPACE);
    this.rotate("first");
    server.on("request", (request, response) => void this.#respond(request, response));
  }

  /** @param certificate its name in test/fixtures/tls; null: without TLS */
  static async start(certificate: string | null = null): Promise<FakeKubernetes> {
    const read = (suffix: string) => readFileSync(certificateFile(`${certificate}${suffix}.pem`));
    const server =
      certificate === null
        ? createServer()
        : createTlsServer({ cert: read(""), key: read("-key") });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new FakeKubernetes(server);
  }

  get access(): ClusterAccess {
    const { port } = this.#server.address() as AddressInfo;
    const scheme = this.#server instanceof TlsServer ? "https" : "http";
    return { url: `${scheme}://127.0.0.1:${port}`, account: this.account };
  }

  /** Accepts another token from now on. */
  rotate(token: string, isMounted = true): void {
    this.#token = token;
    if (isMounted) writeFileSync(join(this.account, "token"), `${token}\n`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(join(this.account, ".."), { recursive: true, force: true });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    this.requests.push(`${method} ${url}`);
    let text = "";
    for await (const part of request) text += part;
    if (this.isStuck) return;
    const send = (status: number, json: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    };
    const refuse = (status: number, reason: string): void =>
      send(status, { kind: "Status", status: "Failure", message: reason, reason, code: status });
    const scripted = this.statuses.shift();
    if (scripted !== undefined) return refuse(scripted, "scripted");
    if (headers.authorization !== `Bearer ${this.#token}`) return refuse(401, "Unauthorized");
    if (APPS.test(url)) return this.#answerSets(method, url, headers, text, send, refuse);
    if (PODS.test(url)) return this.#answerPods(method, PODS.exec(url)![1]!, text, send, refuse);
    const match = LEASES.exec(url);
    if (match === null || match[1] !== NAMESPACE) return refuse(404, "NotFound");
    const verb = { GET: "get", POST: "create", PUT: "update" }[method] ?? method;
    if (this.forbidden.has(verb)) return refuse(403, "Forbidden");
    const sent = text === "" ? null : (JSON.parse(text) as StoredLease);
    const name = match[2] ?? sent!.metadata.name;
    const stored = this.leases.get(name);
    if (verb === "create") {
      if (stored !== undefined) return refuse(409, "AlreadyExists");
      return send(201, this.#store(sent!));
    }
    if (stored === undefined) return refuse(404, "NotFound");
    if (verb === "get") return send(200, stored);
    const { resourceVersion } = sent!.metadata;
    if (resourceVersion !== stored.metadata.resourceVersion) return refuse(409, "Conflict");
    send(200, this.#store(sent!));
  }

  #store(lease: StoredLease): StoredLease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...lease, metadata };
    this.leases.set(metadata.name, stored);
    return stored;
  }

  #answerSets(
    method: string,
    url: string,
    headers: IncomingMessage["headers"],
    text: string,
    send: (status: number, json: object) => void,
    refuse: (status: number, reason: string) => void,
  ): void {
    const [, kind, name, app] = APPS.exec(url)!;
    const matching = this.sets.filter((set) => {
      const { metadata } = set;
      const isNamed = name === undefined || metadata.name === name;
      return set.kind === kind && isNamed && (app === undefined || hasLabel(metadata.labels, app));
    });
    const verb = method === "GET" ? (name === undefined ? "list" : "get") : method.toLowerCase();
    if (this.forbidden.has(`${verb} ${kind}`)) return refuse(403, "Forbidden");
    if (verb === "list") return send(200, { kind: "List", items: matching });
    const [set] = matching;
    if (set === undefined) return refuse(404, "NotFound");
    if (verb === "get") {
      // The controller has acted by the next look.
      const response = structuredClone(set);
      const { replicas } = set.spec;
      const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
      set.status = { ...counts, observedGeneration: set.metadata.generation };
      return send(200, response);
    }
    if (headers["content-type"] !== MERGE) return refuse(415, "UnsupportedMediaType");
    const { containers } = (JSON.parse(text) as Pick<StoredSet, "spec">).spec.template.spec;
    for (const { name: containerName, image } of containers) {
      for (const container of set.spec.template.spec.containers)
        if (container.name === containerName) container.image = image;
    }
    set.metadata.generation++;
    send(200, set);
  }

  #answerPods(
    method: string,
    name: string,
    text: string,
    send: (status: number, json: object) => void,
    refuse: (status: number, reason: string) => void,
  ): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return refuse(404, "NotFound");
    if (method === "GET") return send(200, pod);
    const { preconditions } = JSON.parse(text) as { readonly preconditions: { uid: string } };
    if (preconditions.uid !== pod.metadata.uid) return refuse(409, "Conflict");
    pod.metadata.deletionTimestamp = new Date().toISOString();
    void this.terminate(name).then(() => {
      this.pods.delete(name);
      setImmediate(() => this.create(name));
    });
    send(200, pod);
  }

  /** Creates the pod of a StatefulSet. */
  create(name: string): void {
    const set = this.sets.find(({ metadata }) => metadata.name === name.replace(/-\d+$/, ""))!;
    const { containers } = structuredClone(set.spec.template.spec);
    const uid = `uid-${++this.#version}`;
    this.pods.set(name, { metadata: { name, uid }, spec: { containers } });
  }
}

function hasLabel(labels: object, app: string): boolean {
  return (labels as { readonly app?: string }).app === app;
}
