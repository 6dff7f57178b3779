// Where connections come in that are encrypted: from a connection of TCP to one that has agreed on
// its keys. Until then nobody is known, so the time for it is bounded as that of a head is; how
// many may be about it is for the server to say.

import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { TlsMaterial } from "../../base/tls-files.js";

/** Gets the connection once it is secured, null when it never will be. Called once. */
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
    this.#server = createServer({
      ...contextOptions(material),
      ALPNProtocols: ["http/1.1"],
      requestCert: material.options.ca !== undefined,
      rejectUnauthorized: material.options.ca !== undefined,
    });
    this.#server.on("secureConnection", (socket) => this.#settle(keyOf(socket), socket));
    // A client that speaks something else; its connection closes, which tells who waits for it.
    this.#server.on("tlsClientError", () => {});
  }

  /** Connections that are not secured yet. */
  get size(): number {
    return this.#guests.size;
  }

  /** Other certificates for connections that come from now on. */
  use(material: TlsMaterial): void {
    this.#server.setSecureContext(contextOptions(material));
  }

  /**
   * @param owner whose connection it is
   * @param untilMs when it must be secured, milliseconds of `performance.now`
   */
  secure(socket: Socket, owner: object, untilMs: number, done: Done): void {
    const key = keyOf(socket);
    // It was reset before it came here: it has no addresses any more.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return done(null);
    }
    // The one before it with these addresses is gone, and has not said so yet.
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

  /** Ends the one of an owner that has been here for longest; false where there is none. */
  reject(owner: object): boolean {
    for (const [key, guest] of this.#guests) {
      if (guest.owner !== owner) continue;
      this.#settle(key, null);
      guest.socket.destroy();
      return true;
    }
    return false;
  }

  /** Ends what takes too long. */
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

/** Clients may not agree on new keys again and again: it costs the server more than them. */
function contextOptions({ options }: TlsMaterial) {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { ...options, minVersion: "TLSv1.2", secureOptions } as const;
}

/** Unique while it is open: a client may come from one port to two addresses of this machine. */
function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
