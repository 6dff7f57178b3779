// Rejects requests that pages of other sites make a browser send. A page can send a POST to any
// server without a preflight (detected by `Origin` and `Sec-Fetch-Site`), and can resolve a name of
// its own to the address of this server (DNS rebinding, detected by `Host`).

import type { Exchange, Method } from "./transport.js";
import { isCrossOrigin, isServerHostName } from "./trusted-clients.js";

/** Methods that change nothing; without CORS, a page cannot read their responses. */
const SAFE: readonly Method[] = ["GET", "HEAD", "OPTIONS"];
const CROSS_ORIGIN = "403 Forbidden: cross-origin request; allow the origin with http.cors";

export class CrossOriginGuard {
  readonly #cors: string | null;
  readonly #hosts: readonly string[] | null;

  /**
   * @param cors the origin whose pages may send any request, `*` for all, null for none
   * @param hosts names of the server besides those of loopback, `.name` for all subdomains; null:
   *   any
   */
  constructor(cors: string | null, hosts: readonly string[] | null) {
    this.#cors = cors;
    this.#hosts = hosts?.map((host) => host.toLowerCase()) ?? null;
  }

  /** Returns why a request is rejected, null if it is not. */
  refusal({ method, headers }: Exchange): string | null {
    if (this.#hosts !== null && !isServerHostName(headers.get("host"), this.#hosts)) {
      return "403 Forbidden: Host is not a name of this server; add it to http.allowedHosts";
    }
    if (!headers.isFromPage || SAFE.includes(method) || !isCrossOrigin(headers)) return null;
    return this.#cors === "*" || this.#cors === headers.get("origin") ? null : CROSS_ORIGIN;
  }
}
