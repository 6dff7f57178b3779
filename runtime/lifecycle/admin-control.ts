// What the main thread asks of the admin thread, and what that one is started with.

import type { MessagePort } from "node:worker_threads";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";

export type AdminCommand =
  /** This graph is open. */
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** Runs built-in plugins for a server. */
  | { readonly op: "serve"; readonly server: AdminServer }
  /** This is the argspec that the server tells from now on. */
  | { readonly op: "argspec"; readonly argspec: LiveArgspec };

/** A server's end of the admin executor. */
export interface AdminServer {
  /** Requests come here. */
  readonly port: MessagePort;
  /** State of the admin executor's slots. */
  readonly state: SharedArrayBuffer;
  readonly traceback: boolean;
}
