// Statuses of errors that built-in plugins throw because of a client's arguments. Classes and texts
// are those of the interface; plugins of users that let such an error escape respond with 500.

import { isParameterError } from "../base/errors.js";
import {
  IndexError,
  LookupError,
  QueryError,
  ValueError,
  VertexError,
} from "../graph/model/errors.js";
import { hasArgumentDetails } from "../graph/model/invalid-argument.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";

const MALFORMED = [ValueError, QueryError, VertexError, IndexError];

/** Returns a built-in plugin that responds with 400 or 404 to faults of clients. */
export function withErrorStatus(entry: PluginEntry): PluginEntry {
  return { ...entry, errorStatus: clientErrorStatus };
}

/** Returns 404 for a missing object, 400 for an invalid argument, null for all other errors. */
export function clientErrorStatus(thrown: unknown): 400 | 404 | null {
  if (isParameterError(thrown)) return thrown.exceptionName === "LookupError" ? 404 : 400;
  if (!(thrown instanceof Error)) return null;
  if (MALFORMED.some((type) => thrown instanceof type) || hasArgumentDetails(thrown)) return 400;
  return thrown instanceof LookupError ? 404 : null;
}
