// Subscriber URIs: an instance, a broker stream, or a dump.

import { SvcError } from "../base/errors.js";
import { HOST_PORT } from "../base/host-port.js";
import { dumpFolderFromUri, dumpUri, FILE_SCHEME } from "./dump/dump-folder.js";
import { parseStreamAddress, STREAM_SCHEME } from "./stream/stream-address.js";
import { isLoopbackAddress, type SharedKey } from "./wire/shared-key.js";

const SCHEME = "svc://";

/** @throws SvcError SVC2536, SVC3340, SVC3360 */
export function formatSubscriberUri(given: string, root: string): string {
  if (given.startsWith(FILE_SCHEME)) return dumpUri(dumpFolderFromUri(given, root));
  if (given.startsWith(STREAM_SCHEME)) return parseStreamAddress(given).uri;
  return `${SCHEME}${parseAddress(given)}`;
}

/** @throws SvcError SVC2536 */
function parseAddress(uri: string): string {
  const address = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).replace(/\/$/, "") : uri;
  if (HOST_PORT.test(address)) return address;
  throw new SvcError("SVC2536", `not svc://host:port: ${uri.slice(0, 200)}`);
}

/** @throws SvcError SVC2530, SVC2536 */
export function hostAndPort(uri: string, key: SharedKey): { host: string; port: number } {
  const address = parseAddress(uri);
  const at = address.lastIndexOf(":");
  const host = address.slice(0, at).replace(/^\[|\]$/g, "");
  if (!key.isThere && !isLoopbackAddress(host)) {
    const text = `replication to ${address} needs a key: set txKeyFile, or the variable SVC_TX_KEY`;
    throw new SvcError("SVC2530", text);
  }
  return { host, port: Number(address.slice(at + 1)) };
}
