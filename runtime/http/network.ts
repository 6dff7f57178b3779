// Networks as people write them: `10.0.0.0/8`, `fd00::/8`, or one address.

import { isIP } from "node:net";

export interface Network {
  readonly address: string;
  /** Leading bits that addresses of the network have in common. */
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** Null for what is no network. */
export function parseNetwork(text: string): Network | null {
  const [, address = "", written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const bits = written === undefined ? most : Number(written);
  if (version === 0 || bits > most) return null;
  return { address, bits, family: version === 6 ? "ipv6" : "ipv4" };
}

export function isNetwork(value: unknown): boolean {
  return typeof value === "string" && parseNetwork(value) !== null;
}
