// The log transports, by the scheme of their URIs.

import { dumpTransport } from "./dump/dump-provider.js";
import type { LogTransport } from "./log-transport.js";
import { peerTransport } from "./provider.js";
import { jetStreamTransport } from "./stream/jetstream-transport.js";

const TRANSPORTS: readonly LogTransport[] = [peerTransport, jetStreamTransport, dumpTransport];

/** Returns the transport of a URI; `host:port` without a scheme is an instance. */
export function findTransport(uri: string): LogTransport {
  return TRANSPORTS.find(({ scheme }) => uri.startsWith(scheme)) ?? peerTransport;
}
