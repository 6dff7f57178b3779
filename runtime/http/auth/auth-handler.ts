// Authentication handlers: functions of the project that return the principal of a request.

import type { RequestHead } from "./request-head.js";

declare global {
  /** The principal of requests: projects add its properties by declaring it again. */
  interface SvcPrincipal {
    /** Permissions, as `@scope` names them. */
    readonly scopes?: readonly string[];
  }
}

export type Principal = SvcPrincipal;

/**
 * Returns the principal of a request, or null if it has no valid credential. A principal crosses
 * threads as JSON; a frozen one is serialized once.
 */
export interface AuthHandler {
  (head: RequestHead): Principal | null | Promise<Principal | null>;
  /** Called before the first request, with the folder of the project. */
  readonly open?: (projectDir: string) => void | Promise<void>;
  /** Called when other handlers have replaced this one. */
  readonly close?: () => void;
}
