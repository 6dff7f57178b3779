// A plugin request on its way: waiting for a slot, queued in an executor, or running.

import type { Exchange } from "../http/transport.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";

/** A plugin that answers requests, shared by all requests for it. */
export interface PluginRoute {
  readonly name: string;
  /** Its number in the executors' tables; changes when plugins are reloaded, -1 once removed. */
  number: number;
  /** How long it may run; 0 or undefined: as long as any. */
  timeoutMs?: number;
  /** What runs in the IO thread; null or undefined: executors run it. */
  inline?: PluginEntry | null;
}

export interface PluginCall {
  readonly exchange: Exchange;
  /** 0 main port, 1 admin port. */
  readonly port: 0 | 1;
  /** Whose slots it takes: those of its port, or the few of the admin executor. */
  readonly slots: 0 | 1;
  readonly plugin: PluginRoute;
  readonly serial: number;
  /** The lowest queue of executors that it may take, 0-3. */
  readonly minQueue: number;
  /** Of a trusted client; looked at for the admin executor only. */
  readonly isTrusted: boolean;
  /** Tick of the scheduler at which it came. */
  submittedAt: number;
  /** Among those that wait, lower ones go first. */
  turn: number;
  /** What a dispatcher has the executor do; null for engines. */
  readonly step: DispatchStep | null;
}

/** What a plugin gave, as it was rendered. */
export interface PluginResult {
  readonly status: number;
  /** One of `RESULT_…`. */
  readonly kind: number;
  readonly payload: string | Uint8Array;
}

/** A pre-processor's turn, or a post-processor's. */
export interface DispatchStep {
  /** Path and query as they are forwarded, without prefix; processors see no other. */
  readonly target: string;
  /** What the post-processor gets; null for a pre-processor. */
  readonly merged: MergedInput | null;
  /** Takes what the processor gave in place of the client. */
  done(executorId: number, result: PluginResult): void;
}

/** What a post-processor's response is made from. */
export type MergedInput = readonly [
  partial: Uint8Array,
  /** Seconds until every back-end had answered. */
  texec: number,
  resubmits: number,
  /** What the pre-processor left, as `serializeKept` wrote it; null without one. */
  kept: Uint8Array | null,
];
