// Origin of a request that a dispatcher forwards, as its signature names it.

export interface SignedOrigin {
  /** JSON text of the principal, null for none. */
  readonly principal: string | null;
  /** Address of the client. */
  readonly client: string;
  /** The dispatcher trusts the client. */
  readonly isTrusted: boolean;
  /** The dispatcher authenticates clients: without a principal, only public plugins may run. */
  readonly isGuarded: boolean;
}
