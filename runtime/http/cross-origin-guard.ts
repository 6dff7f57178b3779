// What pages may do that a browser shows from somewhere else. A page can make its browser send a
// POST to any server without asking, and give a name of its own an address of ours: the first is
// told by what browsers say of a request's origin, the second by the name that we are called.

import type { Exchange, Method } from "./transport.js";
import { isCrossOrigin, isServerHostName } from "./trusted-clients.js";

/** These change nothing, and pages cannot read their answers unless they are allowed to. */
const SAFE: readonly Method[] = ["GET", "HEAD", "OPTIONS"];
const FOREIGN = "403 Forbidden: cross-origin request; allow the origin with http.cors";

export class CrossOriginGuard {
  readonly #cors: string | null;
  readonly #hosts: readonly string[] | null;

  /**
   * @param cors the origin whose pages may send anything, `*` for all, null for none
   * @param hosts names that the server has beside this machine's, `.name` for all below; null: any
   */
  constructor(cors: string | null, hosts: readonly string[] | null) {
    this.#cors = cors;
    this.#hosts = hosts?.map((host) => host.toLowerCase()) ?? null;
  }

  /** Why a request is refused, null if it is not. */
  refusal({ method, headers }: Exchange): string | null {
    if (this.#hosts !== null && !this.#isOurs(headers.get("host"), this.#hosts)) {
      return "403 Forbidden: Host is not a name of this server; add it to http.allowedHosts";
    }
    if (!headers.isFromPage || SAFE.includes(method) || !isCrossOrigin(headers)) return null;
    return this.#cors === "*" || this.#cors === headers.get("origin") ? null : FOREIGN;
  }

  #isOurs(host: string | undefined, hosts: readonly string[]): boolean {
    if (isServerHostName(host)) return true;
    const name = host!.toLowerCase().replace(/:\d*$/, "");
    return hosts.some((own) => (own.startsWith(".") ? name.endsWith(own) : name === own));
  }
}
