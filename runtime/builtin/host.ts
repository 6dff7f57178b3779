// Constant properties of the machine, read once: the operating system may need long to return the
// processor model, and services must not wait.

import { cpus, hostname, networkInterfaces, totalmem } from "node:os";

export interface Host {
  readonly name: string;
  /** IPv4 address that the instance reports for itself. */
  readonly ip: string;
  readonly ips: readonly string[];
  /** Model of the processor. */
  readonly cpu: string;
  /** Physical memory. */
  readonly memoryBytes: number;
}

/**
 * Reads the properties.
 * @param ip address set by the user; default: the first one other than loopback
 */
export function readHost(ip: string | null): Host {
  const ips = localAddresses();
  return {
    name: hostname(),
    ip: ip ?? ips[0] ?? "127.0.0.1",
    ips: ips.length > 0 ? ips : ["127.0.0.1"],
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    memoryBytes: totalmem(),
  };
}

function localAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => address.family === "IPv4" && !address.internal)
    .map((address) => address.address);
}
