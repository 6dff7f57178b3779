// A plugin request in progress: waiting for a slot, queued in an executor, or running.

import type { Exchange } from "../http/transport.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { PluginAccess } from "../plugin/contract/plugin-table.js";

/** A plugin that answers requests; the object is shared by all its requests. */
export interface PluginRoute {
  readonly name: string;
  /** Its number in the executors' tables; changes when plugins are reloaded, -1 once removed. */
  number: number;
  /** Time limit; 0 or undefined: that of all plugins. */
  timeoutMs?: number;
  /** The entry if it runs in the IO thread; null or undefined: executors run it. */
  inline?: PluginEntry | null;
  /** It takes a form with files. */
  takesFiles?: boolean;
  /** It is a job: one that exceeds its time limit must end, or it might run twice. */
  isJob?: true;
  /** Which principals may call it; undefined: any. */
  access?: PluginAccess | undefined;
  /** It changes no graph. */
  isReadonly?: boolean;
}

export interface PluginCall {
  readonly exchange: Exchange;
  /** 0 main port, 1 admin port. */
  readonly port: 0 | 1;
  /** Whose slots it takes: those of its port, or those of the admin executor. */
  readonly slots: 0 | 1;
  readonly plugin: PluginRoute;
  readonly serial: number;
  /** The lowest queue of executors that it may take, 0-3. */
  readonly minQueue: number;
  /** It may change graphs; only known with a key, and in a group that elects its leader. */
  readonly isChange?: boolean;
  /** Called when it has its outcome; null: it has no key. */
  readonly releaseKey?: (() => void) | null;
  /** Sent by a trusted client; only read for the admin executor. */
  readonly isTrusted: boolean;
  /** Tick of the scheduler at its arrival. */
  submittedAt: number;
  /** The client whose limit it counts for; null without a limit. */
  countsFor: string | null;
  /** Order among waiting requests, lowest first. */
  turn: number;
  /** The executor's step for a dispatcher; null for engines. */
  readonly step: DispatchStep | null;
}

/** A plugin's rendered result. */
export interface PluginResult {
  readonly status: number;
  /** One of `RESULT_…`. */
  readonly kind: number;
  readonly payload: string | Uint8Array;
}

/** A call of a pre-processor or post-processor. */
export interface DispatchStep {
  /** Path and query as they are forwarded, without prefix; processors see no other. */
  readonly target: string;
  /** Input of the post-processor; null for a pre-processor. */
  readonly merged: MergedInput | null;
  /** Receives the processor's result in place of the client. */
  done(executorId: number, result: PluginResult): void;
}

/** Parts of a post-processor's response. */
export type MergedInput = readonly [
  partial: Uint8Array,
  /** Seconds until every back-end had answered. */
  texec: number,
  resubmits: number,
  /** State of the pre-processor, as written by `serializeKept`; null without one. */
  kept: Uint8Array | null,
];
