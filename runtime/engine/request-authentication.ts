// Decides whether a request of the main port has the principal and the scopes that it needs: by the
// handlers of `auth`, or by the signature of a dispatcher.

import { type Authenticator, scopeRefusal, type Verdict } from "../http/auth/authenticator.js";
import type { DispatchSignature } from "../http/auth/dispatch-signature.js";
import { UNAUTHENTICATED } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import type { PluginAccess } from "../plugin/contract/plugin-table.js";
import { queryStart } from "../plugin/contract/query-text.js";
import type { BuiltinScopes } from "./builtin-scopes.js";
import { PLUGIN_PATH, type Resource } from "./route-table.js";

const NO_SCOPES: readonly string[] = [];
export const HEALTH_PATH = "/svc/hc";

export interface AuthenticationParts {
  /** Null without `auth`. */
  readonly handlers: Authenticator | null;
  /** Null if dispatchers share no key. */
  readonly signature: DispatchSignature | null;
  /** The instance has no back-ends. */
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
    if (signature === null) return null;
    if (path === HEALTH_PATH) return signature.checkProbe(exchange);
    return exchange.connection.ident === null ? null : signature.accept(exchange);
  }

  /** Returns why a request is rejected, null if it is not. */
  check(
    exchange: Exchange,
    port: 0 | 1,
    path: string,
    resource: Resource | undefined,
  ): Verdict | Promise<Verdict> {
    if (isOpen(exchange, port, path)) return null;
    if (getAccess(resource)?.public === true) {
      // Also drops that of a dispatcher: public plugins never have a principal.
      exchange.principal = null;
      return null;
    }
    const scopes = this.#scopes(exchange, resource);
    if (exchange.principal !== null) return scopeRefusal(exchange.principal, scopes);
    const { handlers } = this.#parts;
    if (handlers === null) return port === 0 ? this.#checkOrigin(exchange, scopes) : null;
    // Checked last, so that the warm-up compiles the checks above for requests of clients.
    if (exchange.isWarmUp) return null;
    const verdict = handlers.check(exchange, scopes);
    return this.#isPublicBelow(path, resource) ? allowAnonymous(verdict) : verdict;
  }

  /** Checks a long response again: its principal can become invalid meanwhile. */
  checkAgain(exchange: Exchange, resource: Resource | undefined): Verdict | Promise<Verdict> {
    const { handlers } = this.#parts;
    if (handlers === null || exchange.signedOrigin !== null) return null;
    return handlers.check(exchange, this.#scopes(exchange, resource));
  }

  /** An engine that shares the key of dispatchers accepts principals only from them. */
  #checkOrigin({ signedOrigin, isWarmUp }: Exchange, scopes: readonly string[]): Verdict {
    const { signature, isEngine } = this.#parts;
    if (signature === null || !isEngine || isWarmUp) return null;
    const isAllowed = signedOrigin !== null && !signedOrigin.isGuarded && scopes.length === 0;
    return isAllowed ? null : UNAUTHENTICATED;
  }

  /** Engines that share the key know which of their plugins are public. */
  #isPublicBelow(path: string, resource: Resource | undefined): boolean {
    const { signature, isEngine } = this.#parts;
    return (
      signature !== null && !isEngine && resource === undefined && path.startsWith(PLUGIN_PATH)
    );
  }

  /** Returns the scopes that the principal must have. */
  #scopes({ target }: Exchange, resource: Resource | undefined): readonly string[] {
    if (resource === undefined) return NO_SCOPES;
    if (resource.kind === "plugin" || resource.kind === "processed") {
      return getAccess(resource)?.scopes ?? NO_SCOPES;
    }
    return this.#parts.scopes.require(resource, queryStart(target));
  }
}

/** Admits requests without a valid principal. */
function allowAnonymous(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
  if (verdict instanceof Promise) return verdict.then(allowAnonymous);
  return verdict === UNAUTHENTICATED ? null : verdict;
}

/** Returns whether a request needs no principal: health checks, and most of the admin port. */
function isOpen(exchange: Exchange, port: 0 | 1, path: string): boolean {
  if (path === HEALTH_PATH) return true;
  return port === 1 && !isForPrincipal(exchange, path);
}

/** Returns whether a request of the admin port has a token: the console tries plugins with one. */
function isForPrincipal({ headers }: Exchange, path: string): boolean {
  return path.startsWith(PLUGIN_PATH) && headers.get("authorization") !== undefined;
}

/** Returns the access rules of the first plugin that runs. */
function getAccess(resource: Resource | undefined): PluginAccess | undefined {
  if (resource?.kind === "plugin") return resource.route.access;
  if (resource?.kind !== "processed") return undefined;
  return (resource.pre ?? resource.post)?.access;
}
