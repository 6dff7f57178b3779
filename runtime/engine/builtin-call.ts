// Built-in plugins that need nothing but the server's own state run in the IO thread, through the
// same generated converters as every plugin.

import type { Exchange } from "../http/transport.js";
import type { PluginEntry } from "../plugin/plugin-entry.js";
import type { Done } from "../plugin/plugin-errors.js";
import { queryOf } from "../plugin/query-text.js";
import { runPlugin } from "../plugin/run-plugin.js";

/** Runs a built-in plugin on a request; `done` is called once, now or later. */
export function runBuiltin(
  entry: PluginEntry,
  exchange: Exchange,
  port: 0 | 1,
  basePort: number,
  serial: number,
  done: Done,
): void {
  const { target, headers, connection } = exchange;
  runPlugin(
    entry,
    {
      method: exchange.method === "POST" ? "POST" : "GET",
      target,
      query: queryOf(target),
      headerBlock: headers.block,
      body: exchange.body,
      client: connection.client,
      executor: 0,
      serial,
      t0Ms: exchange.t0Ms,
      basePort,
      portOffset: port,
      accept: headers.accept,
      ident: connection.ident,
      hasMatrix: false,
    },
    done,
  );
}
