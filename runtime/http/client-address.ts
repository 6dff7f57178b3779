// Which address a request counts for: that of the connection, or the one that a proxy forwards the
// request for.

import type { Connection, Exchange } from "./transport.js";

type Source = Pick<Exchange, "forwardedFor" | "connection">;

export function clientAddress({ forwardedFor, connection }: Source): string {
  return forwardedFor ?? connection.remoteAddress;
}

/** `http://<ip>:<port>/`; the port behind a proxy is unknown, which 0 stands for. */
export function clientUrl({ forwardedFor, connection }: Source): string {
  return forwardedFor == null ? connection.client : formatClientUrl(forwardedFor, 0);
}

/** IPv6 addresses stand in brackets. */
export function formatClientUrl(address: string, port: number): Connection["client"] {
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
}
