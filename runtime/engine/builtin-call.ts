// Runs built-in plugins that need only the server's own state in the IO thread, through the same
// generated converters as every plugin.

import { clientUrl } from "../http/client-address.js";
import type { Exchange } from "../http/transport.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { queryStart } from "../plugin/contract/query-text.js";
import type { RequestSource } from "../plugin/contract/request-source.js";
import type { Merging } from "../plugin/run/forwarding.js";
import type { Done } from "../plugin/run/plugin-errors.js";
import { runPlugin, runPost } from "../plugin/run/run-plugin.js";

/** Runs a built-in plugin on a request; `done` is called once, synchronously or later. */
export function runBuiltin(
  entry: PluginEntry,
  exchange: Exchange,
  port: 0 | 1,
  basePort: number,
  serial: number,
  done: Done,
): void {
  runPlugin(entry, sourceOf(exchange, port, basePort, serial), done);
}

/** Runs the post-processor of a built-in plugin, which only dispatchers of the main port have. */
export function runBuiltinPost(
  entry: PluginEntry,
  exchange: Exchange,
  basePort: number,
  serial: number,
  partial: Uint8Array,
  merging: Merging,
  done: Done,
): void {
  runPost(entry, sourceOf(exchange, 0, basePort, serial), partial, merging, done);
}

function sourceOf(
  exchange: Exchange,
  port: 0 | 1,
  basePort: number,
  serial: number,
): RequestSource {
  const { method, target, headers, body, connection, t0Ms, isWarmUp, principal } = exchange;
  return {
    method: method === "POST" ? "POST" : "GET",
    target,
    query: queryStart(target),
    headerBlock: headers.block,
    body,
    client: clientUrl(exchange),
    executor: 0,
    serial,
    t0Ms,
    basePort,
    portOffset: port,
    accept: headers.accept,
    ident: connection.ident,
    principal,
    hasMatrix: false,
    isWarmUp,
  };
}
