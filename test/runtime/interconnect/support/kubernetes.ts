// A Kubernetes API server for Leases, with the documented semantics: objects have a resourceVersion
// that changes with each write, a write that names another one is a conflict, and requests need the
// token of the moment.

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

const LEASES = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/([\w-]+)\/leases(?:\/([\w.-]+))?$/;
export const NAMESPACE = "shops";

export class FakeKubernetes {
  readonly leases = new Map<string, StoredLease>();
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
    server.on("request", (request, response) => void this.#answer(request, response));
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    const match = LEASES.exec(url);
    if (match === null || match[1] !== NAMESPACE) return refuse(404, "NotFound");
    const verb = { GET: "get", POST: "create", PUT: "update" }[method] ?? method;
    if (this.forbidden.has(verb)) return refuse(403, "Forbidden");
    const given = text === "" ? null : (JSON.parse(text) as StoredLease);
    const name = match[2] ?? given!.metadata.name;
    const stored = this.leases.get(name);
    if (verb === "create") {
      if (stored !== undefined) return refuse(409, "AlreadyExists");
      return send(201, this.#store(given!));
    }
    if (stored === undefined) return refuse(404, "NotFound");
    if (verb === "get") return send(200, stored);
    const { resourceVersion } = given!.metadata;
    if (resourceVersion !== stored.metadata.resourceVersion) return refuse(409, "Conflict");
    send(200, this.#store(given!));
  }

  #store(lease: StoredLease): StoredLease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...lease, metadata };
    this.leases.set(metadata.name, stored);
    return stored;
  }
}
