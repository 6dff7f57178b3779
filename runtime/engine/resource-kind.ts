// Classifies requests by path, query and size.

import { MAX_ECHO_BYTES } from "../base/limits.js";
import type { ResourceKind } from "../http/methods.js";
import type { Exchange } from "../http/transport.js";
import { parseParams } from "../plugin/request/query-values.js";
import { BUILTIN_PATH, PLUGIN_PATH, type Resource } from "./route-table.js";

/** Returns whether only the admin port has the resource. */
export function isForOperators(resource: Resource | undefined): boolean {
  if (resource?.kind === "service") return resource.service.isAdminOnly === true;
  return resource?.kind === "builtin" && resource.use === "control";
}

/** Returns whether rendering the response would block the IO thread. */
export function isLarge({ headers, body }: Exchange): boolean {
  return headers.block.length + (body?.length ?? 0) > MAX_ECHO_BYTES;
}

/** Returns whether the query requests an argspec format that this thread cannot produce. */
export function requestsArgspecFormat(query: string): boolean {
  try {
    const { format = "record" } = parseParams(query, {});
    return format !== "record" && format !== null;
  } catch {
    // A malformed query is rejected as for every plugin.
    return false;
  }
}

export function resourceKind(path: string, resource: Resource | undefined): ResourceKind {
  if (resource !== undefined && "use" in resource && resource.use !== "read") return resource.use;
  if (path.startsWith(PLUGIN_PATH) || path.startsWith(BUILTIN_PATH)) return "plugin";
  if (path.startsWith("/svc/")) return "service";
  return path === "*" ? "server" : "file";
}
