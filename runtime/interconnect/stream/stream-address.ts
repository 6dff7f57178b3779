// Where a stream lies, and what is asked of it, as one text:
//
//   nats://host:port[,host:port...]/NAME[?replicas=3&durable=true&monitor=host:port,...]

import { SvcError } from "../../base/errors.js";
import { HOST_PORT } from "../../base/host-port.js";

export const STREAM_SCHEME = "nats://";
/** What a copy must survive that one machine, and a second one, is lost. */
const DURABLE_REPLICAS = 3;
const MOST_SERVERS = 16;
const ADDRESS = /^nats:\/\/([^/?]+)\/([\w-]{1,64})(?:\?([\w=&:.,[\]-]*))?$/;
const KEYS = ["replicas", "durable", "monitor"];

export interface StreamAddress {
  /** `host:port` of each server that may be asked first. */
  readonly servers: readonly string[];
  readonly name: string;
  readonly replicas: number;
  /** Nothing is sent unless the servers flush before they acknowledge. */
  readonly isDurable: boolean;
  /** `host:port` where each server tells of its settings. */
  readonly monitors: readonly string[];
  /** The same again, for people. */
  readonly uri: string;
}

/** @throws SvcError SVC3360 */
export function parseStreamAddress(text: string): StreamAddress {
  const match = ADDRESS.exec(text);
  if (match === null) throw unusable(text, "it is not nats://host:port/NAME");
  const [, hosts = "", name = "", query = ""] = match;
  const values = new URLSearchParams(query);
  const unknown = [...values.keys()].find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw unusable(text, `there is no ${JSON.stringify(unknown)}`);
  const servers = hostPortsIn(text, hosts);
  const monitors = hostPortsIn(text, values.get("monitor") ?? "");
  const replicas = Number(values.get("replicas") ?? 1);
  if (![1, 3, 5].includes(replicas)) throw unusable(text, "replicas must be 1, 3 or 5");
  const durable = values.get("durable") ?? "false";
  if (durable !== "true" && durable !== "false") {
    throw unusable(text, "durable must be true or false");
  }
  const isDurable = durable === "true";
  if (isDurable && replicas < DURABLE_REPLICAS) {
    throw unusable(text, `durable needs replicas=${DURABLE_REPLICAS} or more`);
  }
  if (isDurable && monitors.length < replicas) {
    throw unusable(text, `durable needs monitor=host:port of each of the ${replicas} servers`);
  }
  const uri = `${STREAM_SCHEME}${servers.join(",")}/${name}`;
  return { servers, name, replicas, isDurable, monitors, uri };
}

function hostPortsIn(text: string, list: string): string[] {
  const all = list === "" ? [] : list.split(",");
  const isList = all.length <= MOST_SERVERS && all.every((one) => HOST_PORT.test(one));
  if (!isList) throw unusable(text, "hosts are given as host:port, with commas between them");
  return all;
}

function unusable(text: string, reason: string): SvcError {
  return new SvcError("SVC3360", `stream ${JSON.stringify(text.slice(0, 200))}: ${reason}`);
}
