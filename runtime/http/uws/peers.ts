// Tracks clients. uWebSockets reports the address of a request, but neither its port nor its
// connection, so all connections of one address count as one peer. The lookup costs a fifth of a
// small request, and is skipped while a single address is connected.

import { SocketAddress } from "node:net";
import { nowMs } from "../../base/clock.js";
import { formatClientUrl } from "../client-address.js";
import type { Connection, IncomingRequest } from "../transport.js";
import type { UwsResponse } from "./uws-api.js";

/** Peers cached beyond the open connections; evicting one does no harm. */
const MAX_PEERS = 1024;
const MAPPED_PREFIX = Buffer.from("00000000000000000000ffff", "hex");

export interface Peer extends Connection {
  /** The latest request of all its connections. */
  arriving: IncomingRequest | null;
}

export class Peers {
  #nextId = 1;
  /** The peer of every open connection, null if there are several. */
  #only: Peer | null = null;
  readonly #byBytes = new Map<string, Peer>();

  /** Records an opened connection; `open` counts it. */
  opened(response: UwsResponse, open: number): void {
    const peer = this.#readPeer(response);
    if (open === 1) this.#only = peer;
    else if (this.#only !== peer) this.#only = null;
  }

  /** Returns the peer of a request that has not been answered yet. */
  forResponse(response: UwsResponse): Peer {
    return this.#only ?? this.#readPeer(response);
  }

  /** Returns one entry per open connection. */
  list(count: number): readonly Connection[] {
    return new Array<Connection>(count).fill(this.#only ?? this.#peer(""));
  }

  #readPeer(response: UwsResponse): Peer {
    return this.#peer(Buffer.from(response.getRemoteAddress()).toString("latin1"));
  }

  #peer(bytes: string): Peer {
    const existing = this.#byBytes.get(bytes);
    if (existing !== undefined) return existing;
    if (this.#byBytes.size >= MAX_PEERS) this.#byBytes.clear();
    const remoteAddress = addressText(Buffer.from(bytes, "latin1"));
    const peer: Peer = {
      id: this.#nextId++,
      remoteAddress,
      remotePort: 0,
      client: formatClientUrl(remoteAddress, 0),
      openedAtMs: nowMs(),
      ident: null,
      certificate: null,
      endedAtMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      arriving: null,
    };
    this.#byBytes.set(bytes, peer);
    return peer;
  }
}

/** Formats an address of 4 or 16 bytes; IPv4-mapped IPv6 addresses read as IPv4. */
export function addressText(bytes: Buffer): string {
  if (bytes.length !== 16) return bytes.join(".");
  if (bytes.subarray(0, 12).equals(MAPPED_PREFIX)) return bytes.subarray(12).join(".");
  const groups = bytes.toString("hex").match(/.{4}/g)!;
  return new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address;
}
