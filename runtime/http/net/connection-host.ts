// What connections know of the server that has let them in.

import type { TrunkStream } from "../../trunk/trunk-stream.js";
import type { ClientPermissions } from "../client-permissions.js";
import type { Proxies } from "../proxies.js";
import type { ServerEvents } from "../transport.js";
import type { Clients } from "./clients.js";
import type { ResponseHeads } from "./response-heads.js";

/** What the connections of one server share. */
export interface ConnectionHost<NetConnection> {
  readonly heads: ResponseHeads;
  /** Of answers after which the connection ends. */
  readonly lastHeads: ResponseHeads;
  /** Connections end with their next answer. */
  readonly isRetiring: boolean;
  readonly clients: Clients;
  readonly events: ServerEvents;
  readonly maxBodyBytes: number;
  readonly idleTimeoutMs: number;
  readonly rights: ClientPermissions;
  readonly proxies: Proxies;
  /** A connection became that of a dispatcher (1), or such a one closes (-1); false: too many. */
  introduced(delta: 1 | -1): boolean;
  /** Lets a stream in that a connection carries; false if there are too many. */
  admitStream(stream: TrunkStream, carrier: NetConnection): boolean;
  /** Calls `turn` of the connection once, before this loop turn ends. */
  schedule(connection: NetConnection): void;
  /** What has come on a connection that carries streams breaks its rules: ends it. */
  broken(connection: NetConnection): void;
  closed(connection: NetConnection): void;
}
