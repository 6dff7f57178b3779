// Opens in-memory connections: an instance gives each client a connect port, to which the client
// posts one end of each new connection. The port of a dead thread closes that end, so that the
// client's connection is refused.

import { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { ReadCallback } from "../../runtime/dispatch/connector.js";
import { NetServer } from "../../runtime/http/net/transport.js";
import type {
  HttpServer,
  ServerEvents,
  ServerOptions,
  Transport,
} from "../../runtime/http/transport.js";
import type { Faults } from "./faults.js";
import { InMemorySocket } from "./in-memory-socket.js";

/** Main port of every instance, on which nothing listens. */
const MAIN_PORT = 9000;
/** Connections are distinguished by their remote ports. */
const FIRST_REMOTE_PORT = 10_000;

/** Opens a connection by a connect port. */
export function createInMemoryConnect(
  connectPort: MessagePort,
  onread?: ReadCallback,
): InMemorySocket {
  const { port1, port2 } = new MessageChannel();
  const options = { remotePort: MAIN_PORT, allowHalfOpen: false };
  const socket = InMemorySocket.connecting(port1, { ...options, ...(onread && { onread }) });
  connectPort.postMessage(port2, [port2]);
  return socket;
}

export class InMemoryTransport implements Transport {
  readonly name = "net";
  readonly #faults: Faults;
  readonly #servers: MemoryServer[] = [];

  /** @param faults faults of the main port */
  constructor(faults: Faults) {
    this.#faults = faults;
  }

  async listen(
    port: number,
    ip: string | null,
    options: ServerOptions,
    events: ServerEvents,
  ): Promise<HttpServer> {
    const faults = this.#servers.length === 0 ? this.#faults : null;
    const server = new MemoryServer(port === 0 ? MAIN_PORT : port, faults);
    this.#servers.push(server);
    const received = faults === null ? events : faults.between(events, (from) => server.cut(from));
    const http = new NetServer(options, received, (_, admit) => server.onConnection(admit));
    await http.listen(port, ip);
    return http;
  }

  /** @param offset 0 for the main port, 1 for the admin port */
  open(offset: 0 | 1, connectPort: MessagePort): void {
    const server = this.#servers[offset]!;
    connectPort.on("message", (port: MessagePort) => server.connect(port));
  }
}

/** Stands in for a socket server. */
class MemoryServer extends EventEmitter {
  readonly #faults: Faults | null;
  readonly #port: number;
  readonly #sockets = new Map<number, InMemorySocket>();
  #admit: ((socket: Socket) => void) | null = null;
  #remotePort = FIRST_REMOTE_PORT;

  constructor(port: number, faults: Faults | null) {
    super();
    this.#port = port;
    this.#faults = faults;
  }

  onConnection(admit: (socket: Socket) => void): Server {
    this.#admit = admit;
    return this as unknown as Server;
  }

  listen(_options: unknown, done: () => void): void {
    setImmediate(done);
  }

  address(): { readonly port: number } {
    return { port: this.#port };
  }

  close(done?: () => void): void {
    this.#admit = null;
    if (done !== undefined) setImmediate(done);
  }

  connect(port: MessagePort): void {
    if (this.#admit === null || this.#faults?.isRefusing) return port.close();
    const remotePort = this.#remotePort++;
    const socket = InMemorySocket.accepted(port, remotePort);
    this.#sockets.set(remotePort, socket);
    socket.on("close", () => this.#sockets.delete(remotePort));
    this.#admit(socket.asSocket);
  }

  /** Sends only half of the next response on the connection. */
  cut(remotePort: number): void {
    const socket = this.#sockets.get(remotePort);
    if (socket !== undefined) socket.isCut = true;
  }
}
