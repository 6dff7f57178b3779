// What the main thread asks of the admin thread, and what that one is started with.

import type { MessagePort } from "node:worker_threads";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { KeeperSettings, KeepRequest } from "../graph/keeper/graph-keeper.js";
import type { SharedGraph } from "../graph/keeper/graph-source.js";

export type AdminAsk =
  /** Answered with a `SharedGraph`. */
  | { readonly op: "keep"; readonly request: KeepRequest }
  /** Keeps what a former admin thread has made. */
  | { readonly op: "adopt"; readonly graphs: readonly SharedGraph[] }
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

export interface AdminThreadData {
  /** By which it is known in graphs. */
  readonly thread: number;
  readonly settings: KeeperSettings;
  /** Asks that the main thread waits for come here, all others by the worker's own port. */
  readonly port: MessagePort;
  /** Raised after each answer on `port`. */
  readonly signal: Int32Array;
}
