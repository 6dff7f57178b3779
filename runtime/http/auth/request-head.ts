// The head of a request as authentication handlers see it: nothing is parsed before it is read.
// An interface without imports, so that its declaration needs no types of Node.

/** A certificate that an authority of `http.tls.ca` has signed. */
export interface ClientCertificate {
  /** Attributes in the order of the certificate: `O=Shop,CN=clerk`. */
  readonly subject: string;
  /** Alternative names: `DNS:clerk.shop.test, URI:spiffe://shop/clerk`; null for none. */
  readonly altNames: string | null;
  /** SHA-256 digest, in hexadecimal pairs with colons. */
  readonly fingerprint: string;
}

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
  /** The certificate of the client; null for none, and behind a proxy of `http.proxies`. */
  readonly certificate: ClientCertificate | null;
  /** The same object for requests with the same header fields: key of a `WeakMap`. */
  readonly cacheKey: object;
}
