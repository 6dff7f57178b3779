// The principal of a request, as an authentication handler returns it. Without imports, so that its
// declaration needs no types of Node.

declare global {
  /** The principal of requests; projects add its properties by declaration merging. */
  interface SvcPrincipal {
    /** Permissions, as `@scope` names them. */
    readonly scopes?: readonly string[];
  }
}

export type Principal = SvcPrincipal;
