// The `net` transport: listens, admits connections up to the limit, and drives their shared state:
// one sweep timer, one budget for bodies.

import { createServer, type Server, Socket } from "node:net";
import { setImmediate as afterPoll } from "node:timers/promises";
import { nowMs } from "../../base/clock.js";
import {
  BUSY_MS,
  CLIENT_CONNECTION_RESERVE,
  CONNECTION_SWEEP_MS,
  HEAD_TIMEOUT_MS,
  LINGER_MS,
  LISTEN_BACKLOG,
  MAX_CLIENT_MEMORY_RATIO,
  POST_LISTEN_GRACE_MS,
  SMALL_BODY_RESERVE_RATIO,
} from "../../base/limits.js";
import { log } from "../../base/log.js";
import type { TlsMaterial } from "../../base/tls-files.js";
import type { ByteSocket } from "../../trunk/byte-socket.js";
import type { TrunkStream } from "../../trunk/trunk-stream.js";
import { ClientPermissions } from "../client-permissions.js";
import { Proxies } from "../proxies.js";
import { TOO_MANY_CONNECTIONS } from "../rejections.js";
import type {
  Connection,
  HttpServer,
  ServerEvents,
  ServerOptions,
  Transport,
  TransportMemory,
} from "../transport.js";
import { AcceptBurst } from "./accept-burst.js";
import { BodyBudget } from "./body-store.js";
import { Client, Clients } from "./clients.js";
import { NetConnection } from "./connection.js";
import type { ConnectionHost } from "./connection-host.js";
import { ProxyAcceptor } from "./proxy-acceptor.js";
import type { ProxySource } from "./proxy-header.js";
import { useReadBuffer } from "./read-buffer.js";
import { type ResponseHeads, responseHeads } from "./response-heads.js";
import { ResponseMemory, transportMemory } from "./response-memory.js";
import { type ArrivingBody, shedLargestBody } from "./shed-body.js";
import { TlsAcceptor } from "./tls-acceptor.js";
import { removeAbandonedUploads, UploadFolder } from "./upload-folder.js";

/** Fraction of the connection limit that may concurrently be refused with a response. */
const REFUSED_SHARE = 4;
/** IPv4-mapped addresses of clients on a dual-stack socket. */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/;

/** HTTP/1.1 on `node:net`: implements the interface byte for byte on every platform. */
export const netTransport: Transport = {
  name: "net",
  async listen(port, ip, options, events) {
    const server = new NetServer(options, events);
    await server.listen(port, ip);
    return server;
  },
};

type CreateServer = (
  settings: { readonly allowHalfOpen: boolean; readonly noDelay: boolean },
  admit: (socket: Socket) => void,
) => Server;

/** An accepted client. */
interface AcceptedClient {
  readonly address: string;
  readonly port: number;
  readonly owner: Client;
  /** The connection counts as a dispatcher's. */
  readonly isDispatcher: boolean;
}

export class NetServer implements HttpServer, ConnectionHost<NetConnection> {
  readonly heads: ResponseHeads;
  readonly lastHeads: ResponseHeads;
  isRetiring = false;
  readonly budget: BodyBudget;
  readonly responses: ResponseMemory;
  readonly clients: Clients;
  readonly maxBodyBytes: number;
  readonly uploads: UploadFolder;
  readonly idleTimeoutMs: number;
  readonly rights: ClientPermissions;
  readonly proxies: Proxies;
  readonly burst = new AcceptBurst();
  port = 0;
  readonly #server: Server;
  /** Maximum number of open connections. */
  readonly #maxConnections: number;
  readonly #connections = new Set<NetConnection>();
  /** Null if proxies name clients in header fields only. */
  readonly #proxyAcceptor: ProxyAcceptor | null;
  /** Null if connections are not encrypted. */
  readonly #tlsAcceptor: TlsAcceptor | null;
  /** Connections beyond the limit, until the refusal is sent. */
  readonly #refused = new Map<Socket, number>();
  readonly #lastRequest = { connectionId: 0, t0Ms: Number.NEGATIVE_INFINITY };
  #sweeper: NodeJS.Timeout | null = null;
  #nextId = 1;
  /** Connections accepted so far, including closed ones. */
  #accepted = 0;
  /** Connections of dispatchers. */
  #dispatcherConnections = 0;
  /** Set while draining and closing: resolves when the last connection closes. */
  #onEmpty: (() => void) | null = null;

  /** @param create creates the acceptor of connections, by default a server of sockets */
  constructor(
    options: ServerOptions,
    readonly events: ServerEvents,
    create: CreateServer = createServer,
  ) {
    this.heads = responseHeads(options.cors, "keep-Alive");
    this.lastHeads = responseHeads(options.cors, "close");
    const { bodyMemoryBytes, limits } = options;
    const share = bodyMemoryBytes * MAX_CLIENT_MEMORY_RATIO;
    this.budget = new BodyBudget(bodyMemoryBytes, bodyMemoryBytes * SMALL_BODY_RESERVE_RATIO);
    this.responses = new ResponseMemory(options.responseMemoryBytes, null);
    const shed = (client: Client, bytes: number): boolean =>
      shedLargestBody(this.#arrivingBodies(), client, bytes);
    const { budget, responses } = this;
    this.clients = new Clients((key) => new Client(key, budget, share, responses, limits, shed));
    // A body that can never fit gets 413, not a retryable 503.
    this.maxBodyBytes = Math.min(options.maxBodyBytes, share);
    this.uploads = new UploadFolder(options.uploadBytes ?? 0);
    this.idleTimeoutMs = options.idleTimeoutMs;
    this.rights = new ClientPermissions(options.dispatcherNetworks);
    this.proxies = new Proxies(options.proxies);
    this.#proxyAcceptor = options.proxyProtocol ? new ProxyAcceptor() : null;
    this.#maxConnections = options.maxConnections;
    this.#tlsAcceptor = options.tls === null ? null : new TlsAcceptor(options.tls);
    // Half-open, so that a client that has sent its last request still gets the response.
    const settings = { allowHalfOpen: true, noDelay: true };
    this.#server = create(settings, (socket) => this.#admit(socket));
  }

  listen(port: number, ip: string | null): Promise<void> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      const address = ip === null ? { port } : { port, host: ip };
      server.listen({ ...address, backlog: LISTEN_BACKLOG }, () => {
        server.off("error", reject);
        // A failed accept (no descriptors left) affects one client; the server continues.
        server.on("error", (error) =>
          log(`failed to accept a connection: ${error.message}`, "warn"),
        );
        const bound = server.address();
        if (bound !== null && typeof bound === "object") this.port = bound.port;
        this.#sweeper = setInterval(() => this.sweep(performance.now()), CONNECTION_SWEEP_MS);
        void removeAbandonedUploads();
        resolve();
      });
    });
  }

  connections(): readonly Connection[] {
    return [...this.#connections];
  }

  memory(): TransportMemory {
    return transportMemory(this.budget, this.responses);
  }

  useTls(material: TlsMaterial): void {
    this.#tlsAcceptor?.use(material);
  }

  retire(): void {
    this.isRetiring = true;
    for (const connection of this.#connections) connection.retire();
  }

  async drain(timeoutMs: number): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    await this.#allAccepted(Math.min(POST_LISTEN_GRACE_MS, timeoutMs));
    this.#server.close();
    // A client that has just connected may still be about to send its request.
    await this.#empty(Math.min(POST_LISTEN_GRACE_MS, timeoutMs));
    for (const connection of this.#connections) connection.finish();
    await this.#empty(untilMs - performance.now());
  }

  /**
   * Resolves once no connection waits in the accept queue, after `timeoutMs` at the latest. When a
   * server stops listening, the system resets waiting connections.
   */
  async #allAccepted(timeoutMs: number): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    for (let accepted = -1; accepted !== this.#accepted && performance.now() < untilMs; ) {
      accepted = this.#accepted;
      await afterPoll();
    }
  }

  /** Resolves when the last connection is closed, after `timeoutMs` at the latest. */
  #empty(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#checkEmpty();
    });
  }

  async close(): Promise<void> {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    const emptied = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#connections) connection.destroy();
    this.uploads.close();
    this.#tlsAcceptor?.close();
    this.#proxyAcceptor?.close();
    for (const socket of this.#refused.keys()) socket.destroy();
    this.#checkEmpty();
    await Promise.all([closed, emptied]);
  }

  countDispatcher(delta: 1 | -1): boolean {
    const limit =
      this.#maxConnections - Math.min(CLIENT_CONNECTION_RESERVE, this.#maxConnections / 2);
    if (delta > 0 && this.#dispatcherConnections >= limit) return false;
    this.#dispatcherConnections += delta;
    return true;
  }

  onRequest({ id }: NetConnection, t0Ms: number): void {
    this.#lastRequest.connectionId = id;
    this.#lastRequest.t0Ms = t0Ms;
  }

  isBusyWithOthers({ id }: NetConnection): boolean {
    const { connectionId, t0Ms } = this.#lastRequest;
    return connectionId !== id && nowMs() - t0Ms < BUSY_MS;
  }

  closeBrokenTrunk(connection: NetConnection): void {
    const { remoteAddress } = connection;
    log(`trunk from ${remoteAddress} closed: protocol violation`, "warn");
    connection.onFailure();
  }

  onClose(connection: NetConnection): void {
    this.#connections.delete(connection);
    this.events.onConnection(-1);
    this.#checkEmpty();
  }

  #checkEmpty(): void {
    if (this.#open === 0) this.#onEmpty?.();
  }

  #admit(socket: Socket): void {
    this.#accepted++;
    this.burst.recordConnection();
    const address = (socket.remoteAddress ?? "").replace(MAPPED_IPV4, "");
    const peer = { address, port: socket.remotePort ?? 0 };
    if (this.#proxyAcceptor === null || !this.proxies.has(address))
      return this.#admitFrom(socket, peer);
    if (this.#open >= this.#maxConnections && !this.#makeRoom(address))
      return this.#refuse(socket, address);
    const named = (source: ProxySource | null): void => {
      const guest = source ?? peer;
      this.#admitFrom(socket, { ...guest, address: this.proxies.locate(guest.address, address) });
    };
    this.#proxyAcceptor.accept(socket, named, () => this.#checkEmpty());
  }

  /** Connections of proxies that have not named their client yet. */
  get waitingForProxy(): number {
    return this.#proxyAcceptor?.size ?? 0;
  }

  /** Connections that are open, including those in a handshake. */
  get #open(): number {
    return this.#connections.size + (this.#tlsAcceptor?.size ?? 0) + this.waitingForProxy;
  }

  #admitFrom(socket: Socket, { address, port }: ProxySource): void {
    if (this.#open >= this.#maxConnections && !this.#makeRoom(address))
      return this.#refuse(socket, address);
    const owner = this.clients.at(address);
    // A connection beyond the client's limit may still belong to a dispatcher at the same address.
    // The connections of a proxy belong to many clients.
    const isDispatcher = owner.isFull && !this.proxies.has(address);
    if (isDispatcher && !(this.rights.isDispatcherAddress(address) && this.countDispatcher(1))) {
      return this.#refuse(socket, address);
    }
    const guest = { address, port, owner, isDispatcher };
    if (this.#tlsAcceptor === null) this.#enter(socket, guest);
    else this.#secure(this.#tlsAcceptor, socket, guest);
  }

  /**
   * Closes one connection of the client with the most, if that is more than the new client has: an
   * unfinished handshake, or the connection that has been idle longest. Connections in use stay.
   */
  #makeRoom(address: string): boolean {
    const count = this.clients.countAt(address);
    const idle = this.#evictionCandidate();
    const largest = this.clients.largestClient();
    const threshold = Math.max(count, idle?.owner.counted ?? 0);
    if (largest !== null && largest.counted > threshold && this.#tlsAcceptor?.reject(largest)) {
      this.events.onShedConnection(largest.key);
      return true;
    }
    if (idle === null || idle.owner.counted <= count) return false;
    idle.evict();
    this.events.onShedConnection(idle.remoteAddress);
    return true;
  }

  *#arrivingBodies(): Generator<ArrivingBody> {
    for (const { arrivingBody } of this.#connections) if (arrivingBody !== null) yield arrivingBody;
  }

  #evictionCandidate(): NetConnection | null {
    let best: NetConnection | null = null;
    for (const connection of this.#connections) {
      if (!connection.isEvictable) continue;
      const more = connection.owner.counted - (best?.owner.counted ?? 0);
      const isIdleLonger = more === 0 && connection.activeAtMs < best!.activeAtMs;
      if (best === null || more > 0 || isIdleLonger) best = connection;
    }
    return best;
  }

  /** A handshake counts as an open connection. */
  #secure(acceptor: TlsAcceptor, socket: Socket, client: AcceptedClient): void {
    const { owner, isDispatcher } = client;
    this.clients.connected(owner, !isDispatcher);
    acceptor.secure(socket, owner, performance.now() + HEAD_TIMEOUT_MS, (secured) => {
      if (secured !== null) this.#enter(secured, client);
      else if (isDispatcher) this.countDispatcher(-1);
      this.clients.recordClose(owner, !isDispatcher);
      this.#checkEmpty();
    });
  }

  admitStream(stream: TrunkStream, { remoteAddress, owner }: NetConnection): boolean {
    if (this.#connections.size >= this.#maxConnections || !this.countDispatcher(1)) return false;
    this.#enter(stream, { address: remoteAddress, port: 0, owner, isDispatcher: true });
    return true;
  }

  #enter(socket: ByteSocket, { address, port, owner, isDispatcher }: AcceptedClient): void {
    const id = this.#nextId++;
    if (socket instanceof Socket) useReadBuffer(socket);
    const connection = new NetConnection(this, socket, id, address, port, owner, isDispatcher);
    this.#connections.add(connection);
    this.events.onConnection(1);
  }

  #refuse(socket: Socket, address: string): void {
    // Over TLS, a refusal would cost more than serving the client.
    if (this.#tlsAcceptor !== null || this.#refused.size >= this.#maxConnections / REFUSED_SHARE) {
      socket.destroy();
      this.events.onShedConnection(address);
      return;
    }
    const { status } = TOO_MANY_CONNECTIONS;
    this.events.onRejection(TOO_MANY_CONNECTIONS, address, null);
    const { mediaType, body } = this.events.errorBody(TOO_MANY_CONNECTIONS, "json", nowMs());
    const text = this.heads.text(status, mediaType, body.length, "") + body;
    this.#refused.set(socket, performance.now() + LINGER_MS);
    socket.on("error", () => {});
    socket.on("close", () => this.#refused.delete(socket));
    socket.resume();
    socket.end(text, "latin1");
    this.events.onResponse(0, text.length);
  }

  /**
   * Closes connections that exceeded their timeouts by `monotonicMs`, milliseconds of
   * `performance.now`.
   */
  sweep(monotonicMs: number): void {
    for (const connection of this.#connections) connection.sweep(monotonicMs);
    this.#tlsAcceptor?.sweep(monotonicMs);
    this.#proxyAcceptor?.sweep(monotonicMs);
    this.clients.sweep(monotonicMs);
    for (const [socket, untilMs] of this.#refused) if (monotonicMs >= untilMs) socket.destroy();
  }
}
