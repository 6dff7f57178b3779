// What the main thread asks of the interconnect thread, and what that one is started with.

import type { KeeperSettings, KeepRequest } from "../graph/keeper/graph-keeper.js";
import type { SharedGraph } from "../graph/keeper/graph-source.js";

export type InterconnectAsk =
  /** Answered with a `SharedGraph`. */
  | { readonly op: "keep"; readonly request: KeepRequest }
  /** Keeps what a former thread has made. */
  | { readonly op: "adopt"; readonly graphs: readonly SharedGraph[] }
  /** Saves all graphs; answered with whether all are saved. */
  | { readonly op: "save"; readonly timeoutMs: number };

export interface InterconnectData {
  readonly settings: KeeperSettings;
}
