// Access to built-in plugins and services on the main port, by `http.builtins`. They can read every
// graph and the state of the server, so a service with authentication does not offer them to the
// public. Probes stay open, because load balancers are not trusted clients.

import type { Exchange } from "../http/transport.js";
import type { TrustedClients } from "../http/trusted-clients.js";
import type { ServerSettings } from "../settings/server-settings.js";
import { BuiltinScopes } from "./builtin-scopes.js";
import type { Resource } from "./route-table.js";

/** Clients of the main port that may use built-ins. */
export type BuiltinExposure = "all" | "trusted" | "admin";

/** Paths that load balancers call. */
export const PROBES: ReadonlySet<string> = new Set(["/svc/hc", "/svc/ping"]);
const PLUGIN_KINDS: ReadonlySet<Resource["kind"]> = new Set(["plugin", "processed"]);

const REFUSALS = {
  trusted: "403 Forbidden: built-in services require a trusted client (http.builtins)",
  admin: "403 Forbidden: built-in services are on the admin port only (http.builtins)",
} as const;

export class BuiltinAccess {
  readonly #exposure: BuiltinExposure;
  readonly #trusted: TrustedClients;
  /** Scopes that `auth` requires for built-ins. */
  readonly scopes: BuiltinScopes;

  constructor({ builtins, builtinScopes, graphs }: ServerSettings, trusted: TrustedClients) {
    this.#exposure = builtins;
    this.#trusted = trusted;
    this.scopes = new BuiltinScopes(builtinScopes, graphs);
  }

  /**
   * Returns why a request of the main port may not use a resource, null if it may. A dispatcher may
   * if it is trusted or shares the key, because it applies `http.builtins` to its own clients.
   * Other clients of a private network could pose as dispatchers.
   */
  refusal(exchange: Exchange, path: string, resource: Resource | undefined): string | null {
    if (this.#exposure === "all" || resource === undefined) return null;
    if (PLUGIN_KINDS.has(resource.kind) || PROBES.has(path)) return null;
    if (exchange.signedOrigin !== null || exchange.isWarmUp) return null;
    if (exchange.connection.ident !== null && this.#trusted.isTrusted(exchange)) return null;
    if (this.#exposure === "trusted" && this.#trusted.isTrusted(exchange)) return null;
    return REFUSALS[this.#exposure];
  }
}
