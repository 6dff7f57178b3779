// The protocol between main thread and IO thread. Every request is answered once, in any order.

import type { MessagePort } from "node:worker_threads";
import type { AlgorithmReport } from "../base/algorithm-report.js";
import type { InheritedData } from "../base/inherited-data.js";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { NodeState, UnloadableGraph } from "../builtin/server-view.js";
import type { RequestHold } from "../dispatch/held-requests.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { PluginList, PluginTable, Routes } from "../plugin/contract/plugin-table.js";
import type { CursorKeySource } from "../plugin/response/cursor-key.js";
import type { ServerSettings } from "../settings/server-settings.js";
import type { BuiltinExecutor } from "./builtin-scheduler.js";

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
      /** Folder of the inline plugins of this build; null: executors run all plugins. */
      readonly inlineDir: string | null;
    }
  | { readonly op: "executorDied"; readonly id: number }
  | { readonly op: "replaceExecutor"; readonly died: number; readonly executor: ExecutorPort }
  /** Warm-up calls of plugins, by path and query. */
  | { readonly op: "warmUp"; readonly targets: readonly string[]; readonly withinMs: number }
  /** An executor of built-in plugins was started, or restarted. */
  | { readonly op: "admin"; readonly executor: BuiltinExecutor; readonly port: MessagePort }
  | { readonly op: "adminDied"; readonly executor: BuiltinExecutor }
  | { readonly op: "graph"; readonly graph: SharedGraph }
  /** All graphs that could not be opened. */
  | { readonly op: "unloadable"; readonly graphs: readonly UnloadableGraph[] }
  /** The running algorithms changed. */
  | { readonly op: "algorithms"; readonly report: AlgorithmReport }
  /** Outcome of an operation that a client requested from the main thread. */
  | { readonly op: "controlled"; readonly number: number; readonly outcome: ControlOutcome }
  /** The published state of the instance changed. */
  | { readonly op: "node"; readonly node: NodeState }
  /** Runs a job now. */
  | { readonly op: "runJob"; readonly name: string }
  /** Replaces the matrix of back-ends; it was validated. */
  | { readonly op: "matrix"; readonly dispatcher: object }
  /** Holds requests for back-ends; answered with the number still running. */
  | { readonly op: "hold"; readonly hold: RequestHold }
  | { readonly op: "release" }
  | { readonly op: "stop"; readonly timeoutMs: number }
  /** Closes the server after a failed start. */
  | { readonly op: "close" };

export interface Listening {
  readonly port: number;
  readonly transport: string;
  /** Reason for the choice of the transport. */
  readonly reason: string;
}

export type ControlOutcome = { readonly value: unknown } | { readonly failure: string };

/** Unsolicited messages of the IO thread. */
export type IoNotification =
  /** An authorized client requests an operation; answered with `controlled`. */
  | {
      readonly notice: "control";
      readonly number: number;
      readonly operation: string;
      readonly args: ControlArguments;
    }
  | { readonly notice: "terminate"; readonly executor: number; readonly reason: string }
  | { readonly notice: "retired"; readonly executor: number }
  | {
      readonly notice: "terminateAdmin";
      readonly executor: BuiltinExecutor;
      readonly reason: string;
    }
  /** The long-query executor is needed; answered with `admin`. */
  | { readonly notice: "startAdmin"; readonly executor: BuiltinExecutor };

/** Start data of the IO thread. */
export interface IoThreadData {
  readonly settings: ServerSettings;
  readonly state: SharedArrayBuffer;
  /** States of the slots of the admin executor and of the long-query executor. */
  readonly adminStates: readonly [quick: SharedArrayBuffer, long: SharedArrayBuffer];
  readonly metrics: SharedArrayBuffer;
  readonly node: NodeState;
  /** Key that remote operators must send; null: remote operators are refused. */
  readonly adminKey: string | null;
  /** Commit clock that all graphs share with the transaction log. */
  readonly clock: SharedArrayBuffer;
  /** Replication counters. */
  readonly traffic: SharedArrayBuffer;
}

/** First message to the IO thread. */
export interface IoStart {
  readonly data: IoThreadData;
  readonly inherited: InheritedData;
}

/** Threads that run plugins are controlled by a port hidden from them. */
export interface ControlledServer {
  readonly control: MessagePort;
}

/** Start and stop functions of an executor. */
export interface ExecutorHooksData {
  /** Receives requests to stop. */
  readonly port: MessagePort;
  /** The start function of the instance runs in this executor, too. */
  readonly isFirst: boolean;
  /** Timeout of the start functions. */
  readonly timeoutMs: number;
}

/** Parts of the start data of an executor that plugins must not reach. */
export interface ControlledExecutor extends ControlledServer {
  /** Null if there are no start and stop functions. */
  readonly hooks: ExecutorHooksData | null;
}

/** Start data of an executor thread. */
export interface ExecutorThreadData {
  readonly id: number;
  readonly port: MessagePort;
  /** Plugin numbers that requests carry; a newer build may number its plugins differently. */
  readonly routes: Routes;
  readonly projectDir: string;
  readonly stackTraces: boolean;
  readonly cursorKey: CursorKeySource;
  readonly state: SharedArrayBuffer;
  readonly metrics: SharedArrayBuffer;
  /** Raised after each answer of the main thread about graphs. */
  readonly signal: Int32Array;
  /** Port of the algorithm thread. */
  readonly algorithms: MessagePort;
}

/** Reports that an executor thread is ready, or has failed to start. */
export type ExecutorNotification = { readonly ready: true } | { readonly failure: string };
