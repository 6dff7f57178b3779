// Commands of the main thread to the interconnect thread, and its start data.

import type { OpenGraphRequest } from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { Control } from "../interconnect/control.js";
import type { GraphSettings } from "../settings/server-settings.js";

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
  | { readonly notice: "remove"; readonly name: string; readonly isErased: boolean };

export interface InterconnectData {
  readonly settings: GraphSettings;
  /** Commit clock shared by all graphs and the log. */
  readonly clock: SharedArrayBuffer;
  /** Replication metrics. */
  readonly traffic: SharedArrayBuffer;
}
