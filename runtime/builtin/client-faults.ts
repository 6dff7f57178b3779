// Statuses of errors that built-in plugins throw because of a client's arguments. Plugins outside
// the interface respond with 400 or 404. Plugins of the interface respond with 500 to every
// exception (http-interface, "HTTP status codes"), like user plugins that do not catch such an
// error.

import { isParameterError } from "../base/errors.js";
import {
  IndexError,
  LookupError,
  PositionError,
  PositionExpiredError,
  QueryError,
  ValueError,
  VertexError,
} from "../graph/model/errors.js";
import { hasArgumentDetails } from "../graph/model/invalid-argument.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";

const MALFORMED = [ValueError, QueryError, VertexError, IndexError, PositionError];

/** Built-in plugins of the interface (http-interface, "Built-in plugins"). */
const OF_INTERFACE = new Set([
  ...["arcs", "evaluate", "eventbacklog", "graphinfo", "memory", "neighbor", "properties"],
  ...["vertex", "vertices", "connect", "createvertex", "deletevertex", "disconnect"],
  ...["echo", "metrics", "ping", "status", "argspec", "matrixplugins", "plugins", "builtins"],
]);

/** Adds statuses of client errors to a plugin, unless it belongs to the interface. */
export function withErrorStatus(entry: PluginEntry): PluginEntry {
  const { path } = entry.description;
  if (OF_INTERFACE.has(path.slice(path.lastIndexOf("/") + 1))) return entry;
  return { ...entry, errorStatus: clientErrorStatus };
}

/**
 * Returns 404 for a missing object, 410 for a position that expired, 400 for an invalid argument,
 * null for all other errors.
 */
export function clientErrorStatus(thrown: unknown): 400 | 404 | 410 | null {
  if (isParameterError(thrown)) return thrown.exceptionName === "LookupError" ? 404 : 400;
  if (!(thrown instanceof Error)) return null;
  if (thrown instanceof PositionExpiredError) return 410;
  if (MALFORMED.some((type) => thrown instanceof type)) return 400;
  if (thrown instanceof LookupError) return 404;
  return hasArgumentDetails(thrown) ? 400 : null;
}
