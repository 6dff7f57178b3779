// Decides whether a host of a descriptor is this machine.

import { hostname, networkInterfaces } from "node:os";
import { LOOPBACK_NETWORKS, Networks } from "../../runtime/base/network.js";

const loopback = new Networks(LOOPBACK_NETWORKS);

export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name === hostname().toLowerCase() || loopback.has(name)) return true;
  const ownAddresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return ownAddresses.some(({ address }) => address.toLowerCase() === name);
}
