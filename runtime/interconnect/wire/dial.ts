// Connects to other instances by address: `host:port`, optionally with the scheme `svc://`.

import { connect, type Socket } from "node:net";
import { SvcError } from "../../base/errors.js";
import { HOST_PORT } from "../../base/host-port.js";
import { isLoopbackAddress, type SharedKey } from "./shared-key.js";

export const SCHEME = "svc://";
const CONNECT_TIMEOUT_MS = 5_000;

export function dial(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    socket.once("timeout", () => socket.destroy(new Error(`no response from ${host}:${port}`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.removeAllListeners("timeout");
      resolve(socket);
    });
  });
}

/** @throws SvcError SVC2536 */
export function parseAddress(uri: string): string {
  const address = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).replace(/\/$/, "") : uri;
  if (HOST_PORT.test(address)) return address;
  throw new SvcError("SVC2536", `not svc://host:port: ${uri.slice(0, 200)}`);
}

/** @throws SvcError SVC2530, SVC2536 */
export function parseHostAndPort(uri: string, key: SharedKey): { host: string; port: number } {
  const address = parseAddress(uri);
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[|\]$/g, "");
  if (!key.isSet && !isLoopbackAddress(host)) {
    const text = `replication to ${address} requires a key: set txKeyFile or SVC_TX_KEY`;
    throw new SvcError("SVC2530", text);
  }
  return { host, port: Number(address.slice(at + 1)) };
}
