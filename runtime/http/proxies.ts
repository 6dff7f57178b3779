// Resolves the client behind the proxies of `http.proxies`. Each proxy appends the address that it
// received a request from, so the rightmost address that is not a proxy is the client. All entries
// left of it come from that client and may be anything.

import { isIP, SocketAddress } from "node:net";
import { LOOPBACK_NETWORKS, Networks } from "../base/network.js";
import type { HeaderFields } from "./header-fields.js";

/** A client that no proxy named: it is never trusted, and all such clients count as one. */
export const UNKNOWN_CLIENT = "unknown";

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;
/** `1.2.3.4:80`, `[2001:db8::1]:80` or `[2001:db8::1]`. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/;
/** The node of one element of `Forwarded`; only a quoted one has a port or IPv6. */
const FOR = /(?:^|;)[ \t]*for=(?:"([^"]*)"|([^";, \t]*))[ \t]*(?:;|$)/i;

export class Proxies {
  readonly #networks: Networks;
  readonly #loopback = new Networks(LOOPBACK_NETWORKS);

  /** @throws RangeError invalid network */
  constructor(networks: readonly string[]) {
    this.#networks = new Networks(networks);
  }

  has(address: string): boolean {
    return this.#networks.has(address);
  }

  /**
   * Returns the address of the client that a proxy forwards a request for, or null if the peer of
   * the connection is the client.
   */
  forwardedFor(fields: HeaderFields, peer: string): string | null {
    if (!fields.isForwarded || !this.#networks.has(peer)) return null;
    const lists = readLists(fields);
    const [first, second] = lists.map((nodes) => this.#client(nodes, peer));
    // A proxy that sets one of the two fields passes on the other one as the client sent it.
    return second === undefined || second === first ? first! : UNKNOWN_CLIENT;
  }

  #client(nodes: readonly string[], peer: string): string {
    let address = peer;
    for (const node of [...nodes].reverse()) {
      address = parseNode(node);
      if (!this.#networks.has(address)) break;
    }
    // The loopback of another machine is not that of this one.
    const isElsewhere = this.#loopback.has(address) && !this.#loopback.has(peer);
    return isElsewhere ? UNKNOWN_CLIENT : address;
  }
}

/** The nodes of each kind of field present, in the order in which proxies appended them. */
function readLists(fields: HeaderFields): string[][] {
  const forwarded: string[] = [];
  const forwardedFor: string[] = [];
  for (const [name, value] of fields.entries()) {
    if (name === "x-forwarded-for") forwardedFor.push(...value.split(","));
    if (name !== "forwarded") continue;
    for (const element of value.split(",")) {
      const [, quoted, token = ""] = FOR.exec(element) ?? [];
      forwarded.push(quoted ?? token);
    }
  }
  return [forwarded, forwardedFor].filter(({ length }) => length > 0);
}

/** The address of a node in its usual form. */
function parseNode(node: string): string {
  const text = node.trim();
  const [, inBrackets, plain] = WITH_PORT.exec(text) ?? [];
  return normalizeAddress(inBrackets ?? plain ?? text) ?? UNKNOWN_CLIENT;
}

/** Returns one form for all spellings of an address, or null if the text is not an address. */
export function normalizeAddress(text: string): string | null {
  const plain = text.replace(MAPPED_IPV4, "");
  const version = isIP(plain);
  if (version !== 6) return version === 4 ? plain : null;
  return new SocketAddress({ address: plain.split("%", 1)[0]!, family: "ipv6" }).address;
}
