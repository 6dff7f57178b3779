// Log transport over NATS JetStream. The URI contains the address of a stream and its requirements:
//
//   nats://host:port[,host:port...]/NAME[?replicas=3&durable=true&monitor=host:port,...]

import { SvcError } from "../../base/errors.js";
import { HOST_PORT } from "../../base/host-port.js";
import type { LogTransport } from "../log-transport.js";
import { JetStreamLog, natsPackages, type StreamAddress } from "./jetstream-log.js";
import type { OpenStream } from "./log-stream.js";
import { StreamFollower } from "./stream-follower.js";
import { StreamProvider } from "./stream-provider.js";

const SCHEME = "nats://";
/** Minimum for durability: the stream survives the loss of one machine and a second failure. */
const DURABLE_REPLICAS = 3;
const MAX_SERVERS = 16;
const ADDRESS = /^nats:\/\/([^/?]+)\/([\w-]{1,64})(?:\?([\w=&:.,[\]-]*))?$/;
const KEYS = ["replicas", "durable", "monitor"];

export const jetStreamTransport: LogTransport = {
  scheme: SCHEME,
  canonicalUri: (uri) => parseStreamAddress(uri).uri,
  createSender: (uri, parts) => new StreamProvider({ ...parts, ...connectTo(uri) }),
  createFollower: (uri, { createReplica, ...parts }) => {
    const stream = connectTo(uri);
    // Report a missing package at start-up instead of with each attempt.
    natsPackages();
    return new StreamFollower({ ...parts, ...stream, replica: createReplica() });
  },
};

function connectTo(uri: string): { readonly uri: string; readonly open: OpenStream } {
  const address = parseStreamAddress(uri);
  return { uri: address.uri, open: (isWriter) => JetStreamLog.open(address, isWriter) };
}

/** @throws SvcError SVC3360 */
export function parseStreamAddress(text: string): StreamAddress {
  const match = ADDRESS.exec(text);
  if (match === null) throw invalidAddress(text, "it is not nats://host:port/NAME");
  const [, hosts = "", name = "", query = ""] = match;
  const values = new URLSearchParams(query);
  const unknown = [...values.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw invalidAddress(text, `unknown parameter ${JSON.stringify(unknown)}`);
  }
  const servers = parseHostPorts(text, hosts);
  const monitors = parseHostPorts(text, values.get("monitor") ?? "");
  const replicas = Number(values.get("replicas") ?? 1);
  if (![1, 3, 5].includes(replicas)) throw invalidAddress(text, "replicas must be 1, 3 or 5");
  const durable = values.get("durable") ?? "false";
  if (durable !== "true" && durable !== "false") {
    throw invalidAddress(text, "durable must be true or false");
  }
  const isDurable = durable === "true";
  if (isDurable && replicas < DURABLE_REPLICAS) {
    throw invalidAddress(text, `durable needs replicas=${DURABLE_REPLICAS} or more`);
  }
  if (isDurable && monitors.length < replicas) {
    throw invalidAddress(
      text,
      `durable needs monitor=host:port of each of the ${replicas} servers`,
    );
  }
  const uri = `${SCHEME}${servers.join(",")}/${name}`;
  return { servers, name, replicas, isDurable, monitors, uri };
}

function parseHostPorts(text: string, list: string): string[] {
  const addresses = list === "" ? [] : list.split(",");
  const areValid = addresses.every((address) => HOST_PORT.test(address));
  if (addresses.length <= MAX_SERVERS && areValid) return addresses;
  throw invalidAddress(text, `hosts must be host:port, separated by commas (max: ${MAX_SERVERS})`);
}

function invalidAddress(text: string, reason: string): SvcError {
  return new SvcError("SVC3360", `stream ${JSON.stringify(text.slice(0, 200))}: ${reason}`);
}
