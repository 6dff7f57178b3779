// What the main thread asks of the interconnect thread, and what that one is started with.

import type { OpenGraphRequest } from "../graph/manager/graph-manager.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { Control } from "../interconnect/control.js";
import type { GraphSettings } from "../settings/server-settings.js";

export type InterconnectCommand =
  /** Answered with a `SharedGraph`. */
  | { readonly op: "keep"; readonly request: OpenGraphRequest }
  /** Keeps the graphs that the log has changes of; answered with `RecoveredGraphs`. */
  | { readonly op: "recover"; readonly isStorable: boolean }
  /** The log says, for good, that a graph is no more. */
  | { readonly op: "erase"; readonly identity: string }
  /** Begins to replicate; all graphs are open. */
  | { readonly op: "replicate" }
  /** Changes replication, or asks about it. */
  | { readonly op: "control"; readonly control: Control }
  /** A graph is removed, as the thread has wanted. */
  | { readonly op: "removed"; readonly name: string }
  /** Writes what is left to the log; nothing may be changed any more. */
  | { readonly op: "closeLog" }
  /** Keeps what a former thread has made. */
  | { readonly op: "adopt"; readonly graphs: readonly SharedGraph[] }
  /** Saves all graphs; answered with whether all are saved. */
  | { readonly op: "save"; readonly timeoutMs: number };

/** What the interconnect thread tells by itself. */
export type InterconnectNotification =
  /** A graph has come from another instance. */
  | { readonly notice: "opened"; readonly graph: SharedGraph }
  /** A graph is to be removed; answered with `removed`. */
  | { readonly notice: "remove"; readonly name: string; readonly isErased: boolean };

export interface InterconnectData {
  readonly settings: GraphSettings;
  /** What all graphs share with the log. */
  readonly clock: SharedArrayBuffer;
  /** Where it says what came and went by replication. */
  readonly traffic: SharedArrayBuffer;
}
