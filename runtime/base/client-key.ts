// Which addresses count as one client in quotas and fair queues. IPv6 clients own whole networks:
// the first 64 bits count as one.

/** Returns the key of a client: an IPv4 address, or the network of an IPv6 address. */
export function clientKey(address: string): string {
  if (!address.includes(":")) return address;
  const [start, rest] = address.split("::", 2) as [string, string | undefined];
  const groups = start === "" ? [] : start.split(":");
  const after = rest === undefined || rest === "" ? [] : rest.split(":");
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, 4).join(":");
}
