// Commands of the main thread to the interconnect thread and to the threads of built-in plugins.

import type { MessagePort } from "node:worker_threads";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { OpenGraphRequest } from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { Control } from "../interconnect/control.js";
import type { GraphSettings } from "../settings/server-settings.js";

/** Commands to the interconnect thread. */
export type InterconnectCommand =
  /** Returns a `SharedGraph`. */
  | { readonly op: "keep"; readonly request: OpenGraphRequest }
  /** Opens the graphs that the log has transactions of; returns `RecoveredGraphs`. */
  | { readonly op: "recover"; readonly isStorable: boolean }
  /** Logs durably that a graph is erased. */
  | { readonly op: "erase"; readonly identity: string }
  /** Starts replication; all graphs are open. */
  | { readonly op: "replicate" }
  /** Changes or queries replication. */
  | { readonly op: "control"; readonly control: Control }
  /** Confirms the removal of a graph that the thread has requested. */
  | { readonly op: "removed"; readonly name: string }
  /** Flushes the log; no changes may follow. */
  | { readonly op: "closeLog" }
  /** Takes over the graphs of a former thread. */
  | { readonly op: "adopt"; readonly graphs: readonly SharedGraph[] }
  /** Saves all graphs; returns whether all are saved. */
  | { readonly op: "save"; readonly timeoutMs: number };

/** Notifications of the interconnect thread. */
export type InterconnectNotification =
  /** A graph has arrived from another instance. */
  | { readonly notice: "opened"; readonly graph: SharedGraph }
  /** Requests the removal of a graph; confirmed by `removed`. */
  | { readonly notice: "remove"; readonly name: string; readonly isErased: boolean }
  /** Why the graphs are not ready for service; null: they are. */
  | { readonly notice: "readiness"; readonly notReady: string | null }
  /** The process must end: its supervisor starts it again, with an empty data folder. */
  | { readonly notice: "restart" };

/** Start data of the interconnect thread. */
export interface InterconnectData {
  readonly settings: GraphSettings;
  /** Commit clock shared by all graphs and the log. */
  readonly clock: SharedArrayBuffer;
  /** Replication metrics. */
  readonly traffic: SharedArrayBuffer;
}

/** Start data of the thread of algorithms. */
export interface AlgorithmThreadData {
  /** Commit clock shared by all graphs and the log. */
  readonly clock: SharedArrayBuffer;
}

/** Start data of a thread of built-in plugins. */
export interface AdminThreadData {
  /** It leaves long queries to the other one. */
  readonly hasTimeSlices: boolean;
  /** Data folder, for change feeds. */
  readonly root: string;
}

/** Commands to a thread of built-in plugins. */
export type AdminCommand =
  /** Announces an open graph. */
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** Runs built-in plugins for a server. */
  | { readonly op: "serve"; readonly server: AdminServer }
  /** Sets the argspec served from now on. */
  | { readonly op: "argspec"; readonly argspec: LiveArgspec };

/** Connection of a server to an executor of built-in plugins. */
export interface AdminServer {
  /** Receives requests. */
  readonly port: MessagePort;
  /** Slot states of the executor. */
  readonly state: SharedArrayBuffer;
  readonly stackTraces: boolean;
}
