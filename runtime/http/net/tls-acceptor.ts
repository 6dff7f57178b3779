// Performs TLS handshakes: from an accepted TCP connection to a secured one. Clients are
// unauthenticated until then, so the handshake has a timeout like that of a head; the server limits
// the number of concurrent handshakes.

import { constants } from "node:crypto";
import type { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import { tls } from "../../base/node-modules.js";
import type { TlsMaterial } from "../../base/tls-files.js";

/** Receives the secured connection, null if the handshake fails; called once. */
type Done = (socket: TLSSocket | null) => void;

interface Handshake {
  readonly socket: Socket;
  readonly owner: object;
  readonly untilMs: number;
  readonly done: Done;
}

export class TlsAcceptor {
  readonly #server: Server;
  readonly #handshakes = new Map<string, Handshake>();

  constructor(material: TlsMaterial) {
    this.#server = tls().createServer({
      ...contextOptions(material),
      ALPNProtocols: ["http/1.1"],
      requestCert: material.options.ca !== undefined,
      rejectUnauthorized: material.options.ca !== undefined,
    });
    this.#server.on("secureConnection", (socket) => this.#settle(keyOf(socket), socket));
    // The handshake failed; the connection closes, which settles it.
    this.#server.on("tlsClientError", () => {});
  }

  /** Connections whose handshake is incomplete. */
  get size(): number {
    return this.#handshakes.size;
  }

  /** Sets the certificates of new connections. */
  use(material: TlsMaterial): void {
    this.#server.setSecureContext(contextOptions(material));
  }

  /**
   * @param owner the client
   * @param untilMs deadline of the handshake, milliseconds of `performance.now`
   */
  secure(socket: Socket, owner: object, untilMs: number, done: Done): void {
    const key = keyOf(socket);
    // The connection was reset: its addresses are no longer available.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return done(null);
    }
    // An earlier connection with the same addresses has closed, but its event is still pending.
    const former = this.#handshakes.get(key);
    if (former !== undefined) {
      this.#settle(key, null);
      former.socket.destroy();
    }
    const handshake = { socket, owner, untilMs, done };
    this.#handshakes.set(key, handshake);
    socket.on("error", () => {});
    socket.once("close", () => {
      if (this.#handshakes.get(key) === handshake) this.#settle(key, null);
    });
    this.#server.emit("connection", socket);
  }

  /** Closes the oldest handshake of an owner; false if there is none. */
  reject(owner: object): boolean {
    for (const [key, handshake] of this.#handshakes) {
      if (handshake.owner !== owner) continue;
      this.#settle(key, null);
      handshake.socket.destroy();
      return true;
    }
    return false;
  }

  /** Closes handshakes that exceeded their deadline. */
  sweep(monotonicMs: number): void {
    for (const { socket, untilMs } of this.#handshakes.values()) {
      if (monotonicMs >= untilMs) socket.destroy();
    }
  }

  close(): void {
    for (const { socket } of this.#handshakes.values()) socket.destroy();
  }

  #settle(key: string, socket: TLSSocket | null): void {
    const handshake = this.#handshakes.get(key);
    if (handshake === undefined) {
      socket?.destroy();
      return;
    }
    this.#handshakes.delete(key);
    handshake.done(socket);
  }
}

/** Suites of TLS 1.3 and 1.2 with forward secrecy and authenticated encryption, so without CBC. */
const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Disables renegotiation: it costs the server more than the client. */
function contextOptions({ options }: TlsMaterial) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { ciphers: CIPHERS, ...options, minVersion: "TLSv1.2", secureOptions } as const;
}

/** Both ends identify an open connection: a client may use one port for two local addresses. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
