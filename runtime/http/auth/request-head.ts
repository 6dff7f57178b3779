// The head of a request as authentication handlers see it: nothing is parsed before it is read.
// An interface without imports, so that its declaration needs no types of Node.

export interface RequestHead {
  /** Such as `GET`. */
  readonly method: string;
  /** Path as received, without the query. */
  readonly path: string;
  /** Address of the client; behind a proxy of `http.proxies`, the one that the proxy names. */
  readonly ip: string;
  /** Value of a header field; names are case-insensitive, the last field wins, null for none. */
  header(name: string): string | null;
  /** The bearer token of `Authorization`; null if there is none or it exceeds 16 KiB. */
  readonly token: string | null;
  /** The same object for requests with the same header fields: key of a `WeakMap`. */
  readonly cacheKey: object;
}
