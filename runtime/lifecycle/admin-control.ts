// Commands of the main thread to the admin thread.

import type { MessagePort } from "node:worker_threads";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";

export type AdminCommand =
  /** Announces an open graph. */
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** Runs built-in plugins for a server. */
  | { readonly op: "serve"; readonly server: AdminServer }
  /** Sets the argspec served from now on. */
  | { readonly op: "argspec"; readonly argspec: LiveArgspec };

/** Connection of a server to the admin executor. */
export interface AdminServer {
  /** Receives requests. */
  readonly port: MessagePort;
  /** Slot states of the admin executor. */
  readonly state: SharedArrayBuffer;
  readonly traceback: boolean;
}
