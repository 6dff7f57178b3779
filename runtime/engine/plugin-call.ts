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
  /** The plugin accepts a form with files. */
  takesFiles?: boolean;
  /** The plugin is a job: a run that times out must be ended, or another could overlap with it. */
  isJob?: true;
  /** Principals that may call the plugin; undefined: any. */
  access?: PluginAccess | undefined;
  /** The plugin changes no graph. */
  isReadonly?: boolean;
}

export interface PluginCall {
  readonly exchange: Exchange;
  /** 0 main port, 1 admin port. */
  readonly port: 0 | 1;
  /** Slots that the request takes: those of its port, or those of the admin executor. */
  readonly slots: 0 | 1;
  readonly plugin: PluginRoute;
  readonly serial: number;
  /** Lowest queue of executors that the request may take, 0-3. */
  readonly minQueue: number;
  /** The request may change graphs; set only with a key, or in a group that elects its leader. */
  readonly isChange?: boolean;
  /** Releases the idempotency key after the outcome; null: the request has no key. */
  readonly releaseKey?: (() => void) | null;
  /** The client is trusted; used only for the admin executor. */
  readonly isTrusted: boolean;
  /** Tick of the scheduler at its arrival. */
  submittedAt: number;
  /** The client whose limit includes the request; null without a limit. */
  limitedClient: string | null;
  /** Order among waiting requests, lowest first. */
  turn: number;
  /** The executor's step for a dispatcher; null for engines. */
  readonly step: DispatchStep | null;
}

/** Rendered result of a plugin; its kind is one of `RESULT_…`. */
export type ResultPayload = string | Uint8Array;

/** Receives a rendered result, as parameters to avoid an object for each request. */
export type ResultHandler = (
  executorId: number,
  status: number,
  kind: number,
  payload: ResultPayload,
) => void;

/** A call of a pre-processor or post-processor. */
export interface DispatchStep {
  /** Path and query as forwarded, without prefix; processors see only these. */
  readonly target: string;
  /** Input of the post-processor; null for a pre-processor. */
  readonly merged: MergedInput | null;
  /** Receives the processor's result in place of the client. */
  readonly done: ResultHandler;
}

/** Parts of a post-processor's response. */
export type MergedInput = readonly [
  partial: Uint8Array,
  /** Seconds until the last back-end had responded. */
  texec: number,
  resubmits: number,
  /** State of the pre-processor, as written by `serializeProcessorState`; null without one. */
  processorState: Uint8Array | null,
];
