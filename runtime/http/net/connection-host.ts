// The server's interface to its connections.

import type { TrunkStream } from "../../trunk/trunk-stream.js";
import type { ClientPermissions } from "../client-permissions.js";
import type { Proxies } from "../proxies.js";
import type { ServerEvents } from "../transport.js";
import type { AcceptBurst } from "./accept-burst.js";
import type { Clients } from "./clients.js";
import type { ResponseHeads } from "./response-heads.js";
import type { UploadFolder } from "./upload-folder.js";

/** State shared by the connections of one server. */
export interface ConnectionHost<NetConnection> {
  readonly heads: ResponseHeads;
  /** Heads of responses after which the connection closes. */
  readonly lastHeads: ResponseHeads;
  /** Connections close with their next response. */
  readonly isRetiring: boolean;
  readonly clients: Clients;
  readonly events: ServerEvents;
  readonly maxBodyBytes: number;
  readonly uploads: UploadFolder;
  readonly idleTimeoutMs: number;
  readonly rights: ClientPermissions;
  readonly proxies: Proxies;
  /** Postpones input while new connections arrive. */
  readonly burst: AcceptBurst;
  /** Called for each complete request; its first byte arrived at `t0Ms`. */
  onRequest(connection: NetConnection, t0Ms: number): void;
  /** Returns whether another connection has just sent a request, and is likely to send more. */
  isBusyWithOthers(connection: NetConnection): boolean;
  /** Counts a new (1) or closed (-1) connection of a dispatcher; false: too many. */
  countDispatcher(delta: 1 | -1): boolean;
  /** Admits a stream of a trunk; false if there are too many. */
  admitStream(stream: TrunkStream, carrier: NetConnection): boolean;
  /** Closes a trunk whose peer violated the protocol. */
  closeBrokenTrunk(connection: NetConnection): void;
  onClose(connection: NetConnection): void;
}
