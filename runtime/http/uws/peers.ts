// Who the clients are. uWebSockets says from which address a request came, but neither from which
// port nor on which connection, so all connections of one address are one peer here. Asking costs
// a fifth of a small request; while only one address is connected there is nothing to ask.

import { SocketAddress } from "node:net";
import { nowMs } from "../../base/clock.js";
import { formatClientUrl } from "../client-address.js";
import type { Connection, IncomingRequest } from "../transport.js";
import type { UwsResponse } from "./uws-api.js";

/** Peers remembered beyond the open connections; forgetting one is no loss. */
const MAX_PEERS = 1024;
const MAPPED_PREFIX = Buffer.from("00000000000000000000ffff", "hex");

export interface Peer extends Connection {
  /** The one that began last, of all its connections. */
  arriving: IncomingRequest | null;
}

export class Peers {
  #nextId = 1;
  /** The peer of every open connection, null when there are several. */
  #only: Peer | null = null;
  readonly #byBytes = new Map<string, Peer>();

  /** A connection was opened; `open` counts it. */
  opened(response: UwsResponse, open: number): void {
    const peer = this.#ask(response);
    if (open === 1) this.#only = peer;
    else if (this.#only !== peer) this.#only = null;
  }

  /** The peer of a request that has not been answered yet. */
  of(response: UwsResponse): Peer {
    return this.#only ?? this.#ask(response);
  }

  /** One entry for each of `count` open connections. */
  list(count: number): readonly Connection[] {
    return new Array<Connection>(count).fill(this.#only ?? this.#peer(""));
  }

  #ask(response: UwsResponse): Peer {
    return this.#peer(Buffer.from(response.getRemoteAddress()).toString("latin1"));
  }

  #peer(bytes: string): Peer {
    const known = this.#byBytes.get(bytes);
    if (known !== undefined) return known;
    if (this.#byBytes.size >= MAX_PEERS) this.#byBytes.clear();
    const remoteAddress = addressText(Buffer.from(bytes, "latin1"));
    const peer: Peer = {
      id: this.#nextId++,
      remoteAddress,
      remotePort: 0,
      client: formatClientUrl(remoteAddress, 0),
      openedAtMs: nowMs(),
      ident: null,
      endedAtMs: 0,
      bytesIn: 0,
      bytesOut: 0,
      arriving: null,
    };
    this.#byBytes.set(bytes, peer);
    return peer;
  }
}

/** The usual text of an address of 4 or 16 bytes; IPv4 addresses in IPv6 form read as IPv4. */
export function addressText(bytes: Buffer): string {
  if (bytes.length !== 16) return bytes.join(".");
  if (bytes.subarray(0, 12).equals(MAPPED_PREFIX)) return bytes.subarray(12).join(".");
  const groups = bytes.toString("hex").match(/.{4}/g)!;
  return new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address;
}
