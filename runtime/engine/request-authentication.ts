// Decides whether a request of the main port has the principal and the scopes that it needs: by the
// handlers of `auth`, or by the signature of a dispatcher.

import { type Authenticator, scopeRefusal, type Verdict } from "../http/auth/authenticator.js";
import type { DispatchSignature } from "../http/auth/dispatch-signature.js";
import { UNAUTHENTICATED } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import type { PluginAccess } from "../plugin/contract/plugin-table.js";
import type { BuiltinScopes } from "./builtin-scopes.js";
import { PLUGIN_PATH, type Resource } from "./route-table.js";

const NO_SCOPES: readonly string[] = [];
export const HEALTH_PATH = "/svc/hc";

/** A request whose path is resolved. */
export interface RequestedResource {
  readonly path: string;
  /** Empty, or with its question mark. */
  readonly query: string;
  readonly resource: Resource | undefined;
}

export interface AuthenticationParts {
  /** Null without `auth`. */
  readonly handlers: Authenticator | null;
  /** Null without a key that dispatchers share. */
  readonly signature: DispatchSignature | null;
  /** There are no back-ends. */
  readonly isEngine: boolean;
  readonly scopes: BuiltinScopes;
}

export class RequestAuthentication {
  readonly #parts: AuthenticationParts;

  constructor(parts: AuthenticationParts) {
    this.#parts = parts;
  }

  /** Takes principal and client from the signature of a dispatcher; returns why it is rejected. */
  acceptSignature(exchange: Exchange, path: string): Verdict {
    const { signature } = this.#parts;
    const isSigned = exchange.connection.ident !== null && path !== HEALTH_PATH;
    return signature === null || !isSigned ? null : signature.accept(exchange);
  }

  /** Returns why a request is rejected, null if it is not. */
  check(exchange: Exchange, port: 0 | 1, requested: RequestedResource): Verdict | Promise<Verdict> {
    const { handlers, signature, isEngine } = this.#parts;
    if (isOpen(exchange, port, requested)) return null;
    const scopes = this.#scopes(requested);
    if (exchange.principal !== null) return scopeRefusal(exchange.principal, scopes);
    if (handlers !== null) return handlers.check(exchange, scopes);
    // Only dispatchers may call an engine that shares their key.
    const isClosed = signature !== null && isEngine && exchange.isVouchedFor === null;
    return isClosed && port === 0 ? UNAUTHENTICATED : null;
  }

  /** Returns the scopes that the principal must have. */
  #scopes({ resource, query }: RequestedResource): readonly string[] {
    if (resource === undefined) return NO_SCOPES;
    if (resource.kind === "plugin" || resource.kind === "processed") {
      return getAccess(resource)?.scopes ?? NO_SCOPES;
    }
    return this.#parts.scopes.require(resource, query.slice(1));
  }
}

/** Returns whether it needs no principal: own calls, health checks and `@public` plugins. */
function isOpen(exchange: Exchange, port: 0 | 1, { path, resource }: RequestedResource): boolean {
  if (exchange.isWarmUp || path === HEALTH_PATH) return true;
  if (port === 1 && !isForPrincipal(exchange, path)) return true;
  return getAccess(resource)?.public === true;
}

/** On the admin port, the console tries plugins with the token of a principal. */
function isForPrincipal({ headers }: Exchange, path: string): boolean {
  return path.startsWith(PLUGIN_PATH) && headers.get("authorization") !== undefined;
}

/** Returns what the first plugin that runs requires of its callers. */
function getAccess(resource: Resource | undefined): PluginAccess | undefined {
  if (resource?.kind === "plugin") return resource.route.access;
  if (resource?.kind !== "processed") return undefined;
  return (resource.pre ?? resource.post)?.access;
}
