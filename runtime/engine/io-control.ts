// What the main thread asks of the IO thread, and what the IO thread tells it. Every ask is
// answered once, in any order.

import type { MessagePort } from "node:worker_threads";
import type { UnloadableGraph } from "../builtin/server-view.js";
import type { SharedGraph } from "../graph/keeper/graph-source.js";
import type { PluginList, PluginTable, Routes } from "../plugin/contract/plugin-table.js";
import type { ServerSettings } from "../settings/server-settings.js";

export interface ExecutorPort {
  readonly id: number;
  readonly port: MessagePort;
}

export type Ask =
  | { readonly op: "listen" }
  | { readonly op: "rename"; readonly name: string }
  | { readonly op: "plugins"; readonly list: PluginList }
  | { readonly op: "argspec"; readonly hash: string }
  | {
      readonly op: "executors";
      readonly executors: readonly ExecutorPort[];
      readonly table: PluginTable;
    }
  | { readonly op: "executorDied"; readonly id: number }
  | { readonly op: "replaceExecutor"; readonly died: number; readonly executor: ExecutorPort }
  /** The admin executor is there, or there again. */
  | { readonly op: "admin"; readonly executor: ExecutorPort }
  | { readonly op: "adminDied" }
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** All that could not be opened. */
  | { readonly op: "unloadable"; readonly graphs: readonly UnloadableGraph[] }
  | { readonly op: "stop"; readonly timeoutMs: number };

export interface Listening {
  readonly port: number;
  readonly transport: string;
  /** Why this transport was taken. */
  readonly reason: string;
}

/** What the IO thread tells without being asked. */
export type Notice =
  | { readonly notice: "terminate"; readonly executor: number; readonly reason: string }
  | { readonly notice: "retired"; readonly executor: number }
  | { readonly notice: "terminateAdmin"; readonly reason: string };

/** What the IO thread is started with. */
export interface IoThreadData {
  readonly settings: ServerSettings;
  readonly state: SharedArrayBuffer;
  /** State of the admin executor's slots. */
  readonly adminState: SharedArrayBuffer;
  readonly metrics: SharedArrayBuffer;
  /** What all graphs share with the log. */
  readonly clock: SharedArrayBuffer;
  /** What comes and goes by replication. */
  readonly traffic: SharedArrayBuffer;
}

/** What an executor thread is started with. */
export interface ExecutorThreadData {
  readonly id: number;
  readonly port: MessagePort;
  /** The numbers that requests carry; a newer build may have given its plugins others. */
  readonly routes: Routes;
  readonly projectDir: string;
  readonly traceback: boolean;
  readonly state: SharedArrayBuffer;
  readonly metrics: SharedArrayBuffer;
  /** Raised after each answer to what it asked the main thread about graphs. */
  readonly signal: Int32Array;
}

/** What an executor thread tells once it can take requests, or why it cannot. */
export type ExecutorNotice = { readonly ready: true } | { readonly failure: string };
