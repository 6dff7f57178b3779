// What the main thread asks of the IO thread, and what the IO thread tells it. Every ask is
// answered once, in any order.

import type { MessagePort } from "node:worker_threads";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { NodeState, UnloadableGraph } from "../builtin/server-view.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { PluginList, PluginTable, Routes } from "../plugin/contract/plugin-table.js";
import type { ServerSettings } from "../settings/server-settings.js";

export interface ExecutorPort {
  readonly id: number;
  readonly port: MessagePort;
}

export type ControlRequest =
  | { readonly op: "listen" }
  | { readonly op: "rename"; readonly name: string }
  | { readonly op: "plugins"; readonly list: PluginList }
  | { readonly op: "argspec"; readonly hash: string }
  | {
      readonly op: "executors";
      readonly executors: readonly ExecutorPort[];
      readonly table: PluginTable;
      /** Where the IO thread finds its own plugins of this build; null: executors run all. */
      readonly inlineDir: string | null;
    }
  | { readonly op: "executorDied"; readonly id: number }
  | { readonly op: "replaceExecutor"; readonly died: number; readonly executor: ExecutorPort }
  /** Calls of plugins, by path and query, that make the server fast before it is in service. */
  | { readonly op: "warmUp"; readonly targets: readonly string[]; readonly withinMs: number }
  /** The admin executor is there, or there again. */
  | { readonly op: "admin"; readonly executor: ExecutorPort }
  | { readonly op: "adminDied" }
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** All that could not be opened. */
  | { readonly op: "unloadable"; readonly graphs: readonly UnloadableGraph[] }
  /** What became of what a client has asked the main thread for. */
  | { readonly op: "controlled"; readonly number: number; readonly outcome: ControlOutcome }
  /** What is told of the instance has changed. */
  | { readonly op: "node"; readonly node: NodeState }
  /** Another matrix of back-ends takes the place of the one that is there; it was checked. */
  | { readonly op: "matrix"; readonly dispatcher: object }
  | { readonly op: "stop"; readonly timeoutMs: number };

export interface Listening {
  readonly port: number;
  readonly transport: string;
  /** Why this transport was taken. */
  readonly reason: string;
}

export type ControlOutcome = { readonly value: unknown } | { readonly failure: string };

/** What the IO thread tells without being asked. */
export type IoNotification =
  /** A client that may wants the server to do something; answered with `controlled`. */
  | {
      readonly notice: "control";
      readonly number: number;
      readonly operation: string;
      readonly args: ControlArguments;
    }
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
  readonly node: NodeState;
  /** What operators on other machines have to show; null: none may operate this server. */
  readonly adminKey: string | null;
  /** What all graphs share with the log. */
  readonly clock: SharedArrayBuffer;
  /** What comes and goes by replication. */
  readonly traffic: SharedArrayBuffer;
}

/** A thread that runs plugins is told what to do by a port that they do not know. */
export interface ControlledServer {
  readonly control: MessagePort;
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
export type ExecutorNotification = { readonly ready: true } | { readonly failure: string };
