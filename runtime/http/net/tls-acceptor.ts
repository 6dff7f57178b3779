// Performs TLS handshakes: from an accepted TCP connection to a secured one. Clients are
// unauthenticated until then, so the handshake has a timeout like that of a head; the server limits
// the number of concurrent handshakes.

import { constants } from "node:crypto";
import type { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import { tls } from "../../base/node-modules.js";
import type { TlsMaterial } from "../../base/tls-files.js";

/** Receives the connection once it is secured, null if the handshake fails. Called once. */
type Done = (socket: TLSSocket | null) => void;

interface Guest {
  readonly socket: Socket;
  readonly owner: object;
  readonly untilMs: number;
  readonly done: Done;
}

export class TlsAcceptor {
  readonly #server: Server;
  readonly #guests = new Map<string, Guest>();

  constructor(material: TlsMaterial) {
    this.#server = tls().createServer({
      ...contextOptions(material),
      ALPNProtocols: ["http/1.1"],
      requestCert: material.options.ca !== undefined,
      rejectUnauthorized: material.options.ca !== undefined,
    });
    this.#server.on("secureConnection", (socket) => this.#settle(keyOf(socket), socket));
    // The client does not speak TLS; its connection closes, which completes the handshake.
    this.#server.on("tlsClientError", () => {});
  }

  /** Connections whose handshake is incomplete. */
  get size(): number {
    return this.#guests.size;
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
    // It was reset earlier: its addresses are no longer available.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return done(null);
    }
    // A former connection with the same addresses closed, but its event is still pending.
    const former = this.#guests.get(key);
    if (former !== undefined) {
      this.#settle(key, null);
      former.socket.destroy();
    }
    const guest = { socket, owner, untilMs, done };
    this.#guests.set(key, guest);
    socket.on("error", () => {});
    socket.once("close", () => {
      if (this.#guests.get(key) === guest) this.#settle(key, null);
    });
    this.#server.emit("connection", socket);
  }

  /** Closes the oldest handshake of an owner; false if there is none. */
  reject(owner: object): boolean {
    for (const [key, guest] of this.#guests) {
      if (guest.owner !== owner) continue;
      this.#settle(key, null);
      guest.socket.destroy();
      return true;
    }
    return false;
  }

  /** Closes handshakes that exceeded their deadline. */
  sweep(monotonicMs: number): void {
    for (const { socket, untilMs } of this.#guests.values()) {
      if (monotonicMs >= untilMs) socket.destroy();
    }
  }

  close(): void {
    for (const { socket } of this.#guests.values()) socket.destroy();
  }

  #settle(key: string, socket: TLSSocket | null): void {
    const guest = this.#guests.get(key);
    if (guest === undefined) {
      socket?.destroy();
      return;
    }
    this.#guests.delete(key);
    guest.done(socket);
  }
}

/** Of TLS 1.3 and 1.2: forward secrecy and authenticated encryption, so no suite with CBC. */
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

/** Unique while open: a client may connect from one port to two local addresses. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
