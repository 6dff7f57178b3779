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
const FOR = /(?:^|;)[ \t]*for=(?:"([^"]*)"|([^";, \t]*))[ \t]*(?=;|$)/gi;
/** Other quoted values of an element: proxies quote what clients sent, such as `Host`. */
const QUOTED = /(?<!\bfor=)"(?:\\.|[^"\\])*"/gi;
/** Proxies append shorter ones. */
const MAX_ELEMENT_CHARACTERS = 500;

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
    const [first, second] = readLists(fields).map((list) => this.#client(list, peer));
    // A proxy that sets one of the two fields passes on the other one as the client sent it.
    return second === undefined || second === first ? first! : UNKNOWN_CLIENT;
  }

  #client({ values, read }: List, peer: string): string {
    let address = peer;
    for (const element of fromTheRight(values)) {
      address = parseNode(read(element));
      if (!this.#networks.has(address)) break;
    }
    return this.locate(address, peer);
  }

  /** Returns the address that a peer names: the loopback of another machine is not ours. */
  locate(address: string, peer: string): string {
    const isElsewhere = this.#loopback.has(address) && !this.#loopback.has(peer);
    return isElsewhere ? UNKNOWN_CLIENT : address;
  }
}

/** The values of one kind of field, in the order in which proxies appended them. */
interface List {
  readonly values: string[];
  /** Returns the node of an element. */
  readonly read: (element: string) => string;
}

/** Returns the kinds of fields present. */
function readLists(fields: HeaderFields): List[] {
  const forwarded: List = { values: [], read: readForwarded };
  const forwardedFor: List = { values: [], read: (node) => node };
  for (const [name, value] of fields.entries()) {
    if (name === "x-forwarded-for") forwardedFor.values.push(value);
    if (name === "forwarded") forwarded.values.push(value);
  }
  return [forwarded, forwardedFor].filter(({ values }) => values.length > 0);
}

/** Yields the elements of all values. Clients may have sent thousands, of which few are needed. */
function* fromTheRight(values: readonly string[]): Generator<string> {
  for (let at = values.length - 1; at >= 0; at--) {
    const value = values[at]!;
    let end = value.length;
    while (end >= 0) {
      const comma = end === 0 ? -1 : value.lastIndexOf(",", end - 1);
      yield value.slice(comma + 1, end);
      end = comma;
    }
  }
}

/**
 * Returns the only node of an element, empty if there is none. Commas in quoted values split
 * elements, too: their pieces have a single quote, and no node.
 */
function readForwarded(element: string): string {
  if (element.length > MAX_ELEMENT_CHARACTERS) return "";
  const bare = element.replace(QUOTED, "");
  const nodes = [...bare.matchAll(FOR)];
  if (nodes.length !== 1 || /["\\]/.test(bare.replace(FOR, ""))) return "";
  const [, quoted, token = ""] = nodes[0]!;
  return quoted ?? token;
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
  const { address } = new SocketAddress({ address: plain.split("%", 1)[0]!, family: "ipv6" });
  // Written in hexadecimal digits, an IPv4 address is known only now.
  return address.replace(MAPPED_IPV4, "");
}
