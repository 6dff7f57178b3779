// Networks in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address.

import { BlockList, isIP, SocketAddress } from "node:net";
import { remember } from "./remember.js";

/** Addresses of local programs. */
export const LOOPBACK_NETWORKS = ["127.0.0.0/8", "::1"] as const;

interface Network {
  readonly address: string;
  /** Length of the prefix in bits. */
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** Returns null for an invalid network. */
function parseNetwork(text: string): Network | null {
  const [, address = "", written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = address.includes(":") ? "ipv6" : "ipv4";
  const maxPrefix = family === "ipv6" ? 128 : 32;
  const bits = written === undefined ? maxPrefix : Number(written);
  return bits <= maxPrefix && isAddress(address, family) ? { address, bits, family } : null;
}

/** Like `isIP`, whose pattern for IPv6 takes 3 ms to compile at the start of a thread. */
function isAddress(address: string, family: Network["family"]): boolean {
  try {
    new SocketAddress({ address, family });
    return true;
  } catch {
    return false;
  }
}

export function isNetwork(value: unknown): boolean {
  return typeof value === "string" && parseNetwork(value) !== null;
}

/** A set of networks. */
export class Networks {
  readonly #list = new BlockList();

  /** @throws RangeError for an invalid network */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const network = parseNetwork(text);
      if (network === null)
        throw new RangeError(`invalid network ${text}: expected CIDR notation such as 10.0.0.0/8`);
      this.#list.addSubnet(network.address, network.bits, network.family);
    }
  }

  /**
   * Returns whether a network contains an address.
   * @param address as sockets report it; the zone of a link-local address is ignored
   */
  readonly has = remember((address: string): boolean => {
    const plain = address.split("%", 1)[0]!;
    const version = isIP(plain);
    return version !== 0 && this.#list.check(plain, version === 6 ? "ipv6" : "ipv4");
  });
}
