// Log transport over streams of NATS JetStream, with an address and requirements in their URI:
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
/** Copies that survive the loss of one machine and a second failure. */
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
    // A missing package is an error of the start, not of each attempt.
    natsPackages();
    return new StreamFollower({ ...parts, ...stream, replica: createReplica() });
  },
};

function connectTo(given: string): { readonly uri: string; readonly open: OpenStream } {
  const address = parseStreamAddress(given);
  return { uri: address.uri, open: (isWriter) => JetStreamLog.open(address, isWriter) };
}

/** @throws SvcError SVC3360 */
export function parseStreamAddress(text: string): StreamAddress {
  const match = ADDRESS.exec(text);
  if (match === null) throw invalidAddress(text, "it is not nats://host:port/NAME");
  const [, hosts = "", name = "", query = ""] = match;
  const values = new URLSearchParams(query);
  const unknown = [...values.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidAddress(text, `there is no ${JSON.stringify(unknown)}`);
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
  const all = list === "" ? [] : list.split(",");
  const isList = all.length <= MAX_SERVERS && all.every((one) => HOST_PORT.test(one));
  if (!isList) throw invalidAddress(text, "hosts are given as host:port, with commas between them");
  return all;
}

function invalidAddress(text: string, reason: string): SvcError {
  return new SvcError("SVC3360", `stream ${JSON.stringify(text.slice(0, 200))}: ${reason}`);
}
