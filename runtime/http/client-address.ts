// Determines the client address of a request: the peer of the connection, or the client behind a
// proxy.

import type { Connection, Exchange } from "./transport.js";

type Source = Pick<Exchange, "forwardedFor" | "connection">;

export function clientAddress({ forwardedFor, connection }: Source): string {
  return forwardedFor ?? connection.remoteAddress;
}

/** `http://<ip>:<port>/`; the port is 0 behind a proxy, where it is unknown. */
export function clientUrl({ forwardedFor, connection }: Source): string {
  return forwardedFor == null ? connection.client : formatClientUrl(forwardedFor, 0);
}

/** IPv6 addresses stand in brackets. */
export function formatClientUrl(address: string, port: number): Connection["client"] {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
}
