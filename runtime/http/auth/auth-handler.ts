// Authentication handlers: functions of the project that return the principal of a request.

import type { Principal } from "../../plugin/request/principal.js";
import type { RequestHead } from "./request-head.js";

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
