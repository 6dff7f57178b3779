// A plugin request on its way: waiting for a slot, queued in an executor, or running.

import type { Exchange } from "../http/transport.js";

/** A plugin that answers requests, shared by all requests for it. */
export interface PluginRoute {
  readonly name: string;
  /** Its number in the executors' tables; changes when plugins are reloaded, -1 once removed. */
  number: number;
}

export interface PluginCall {
  readonly exchange: Exchange;
  /** 0 main port, 1 admin port. */
  readonly port: 0 | 1;
  /** Whose slots it takes: those of its port, or the few of the admin executor. */
  readonly slots: 0 | 1;
  readonly plugin: PluginRoute;
  readonly serial: number;
}
