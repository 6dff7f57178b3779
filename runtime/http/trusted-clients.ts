// Trusted clients: loopback, and the networks of `http.trustedNetworks`. Only they can change
// graphs, bypass Service-OUT, choose executors and see requests of other clients. Pages of other
// origins are never trusted, even on a trusted machine:
//
//   fetch, form     sends a foreign `Origin`, or `Sec-Fetch-Site`
//   img, link       sends GET, which changes nothing
//   no-cors, form   cannot send the header field or media type that a change requires
//   DNS rebinding   has no foreign origin: only the name in `Host` reveals it

import { isIP } from "node:net";
import { hostname } from "node:os";
import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import { LOOPBACK_NETWORKS, Networks } from "../base/network.js";
import { remember } from "../base/remember.js";
import { clientAddress } from "./client-address.js";
import { Proxies } from "./proxies.js";
import type { Exchange } from "./transport.js";

/** Unspecified addresses, which identify no host, as URLs write them. */
const UNSPECIFIED_ADDRESSES = new Set(["0.0.0.0", "::", "::ffff:0:0"]);

export class TrustedClients {
  readonly #networks: Networks;
  readonly #proxies: Proxies;
  readonly #hosts: readonly string[];
  #isProxyLogged = false;

  /**
   * @param trusted networks beside this machine, as `10.0.0.0/8` or one address
   * @param proxies networks that may name the client of a request
   * @param hosts names of the port beside its addresses, as for `isServerHostName`. Only the admin
   *   port has some: on the main port they are public, and a proxy there may hide who calls.
   * @throws SvcError SVC2205 for what is no network
   */
  constructor(
    trusted: readonly string[],
    proxies: readonly string[] = [],
    hosts: readonly string[] = [],
  ) {
    this.#hosts = hosts;
    this.#proxies = new Proxies(proxies);
    try {
      this.#networks = new Networks([...LOOPBACK_NETWORKS, ...trusted]);
    } catch (error) {
      throw new SvcError("SVC2205", `\`http.trustedNetworks\`: ${(error as Error).message}`);
    }
  }

  /** Returns whether a request comes from a trusted client. */
  isTrusted(exchange: Exchange): boolean {
    if (exchange.signedOrigin !== null) return exchange.signedOrigin.isTrusted;
    const { ident } = exchange.connection;
    // Pages cannot send an ident line; dispatchers call back-ends by their configured addresses.
    if (ident !== null) return this.#networks.has(clientAddress(exchange));
    return this.refusal(exchange) === null;
  }

  /** Returns why a request may not change anything, null if it may. */
  changeRefusal(exchange: Exchange): string | null {
    const reason = this.refusal(exchange);
    if (reason !== null) return `403 Forbidden: ${reason}`;
    return forcesPreflight(exchange.headers) ? null : `403 Forbidden: ${CHANGE_REQUEST_HELP}`;
  }

  /** Returns why a client is not trusted, null if it is. */
  refusal(exchange: Exchange): string | null {
    const { headers, signedOrigin } = exchange;
    if (isCrossOrigin(headers)) return "cross-origin pages may not change graphs";
    const address = clientAddress(exchange);
    if (signedOrigin?.isTrusted === true) return null;
    if (signedOrigin !== null || !this.#networks.has(address)) {
      return `${address} may not change graphs; add its network to http.trustedNetworks`;
    }
    if (this.#isUnverified(exchange)) return UNVERIFIED;
    const host = headers.get("host");
    if (isServerHostName(host, this.#hosts)) return null;
    return `"${host}" is not a name of this server; use its address`;
  }

  /** Whether the peer forwards for a client that nothing vouches for. */
  #isUnverified({ headers, connection: { remoteAddress, ident } }: Exchange): boolean {
    // A dispatcher passes on the fields of its clients, and has authorized them.
    if (ident !== null) return false;
    if (!headers.isForwarded || this.#proxies.has(remoteAddress)) return false;
    if (!this.#isProxyLogged) {
      const help = "list it in http.proxies if it is a proxy";
      log(`requests forwarded by ${remoteAddress} are not trusted: ${help}`, "warn");
    }
    this.#isProxyLogged = true;
    return true;
  }
}

const UNVERIFIED =
  "the request passed a proxy that http.proxies does not list, so its client is unknown";

/** Advice for tools whose requests are rejected. */
export const CHANGE_REQUEST_HELP =
  "graph changes require POST with X-SVC-Change: 1 or Content-Type: application/json; " +
  'e.g. curl -X POST -H "X-SVC-Change: 1" "<url>"';

/**
 * Returns whether a request is cross-origin. Browsers send `Origin`, or at least `Sec-Fetch-Site`.
 */
export function isCrossOrigin(headers: Exchange["headers"]): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get("host");
}

/**
 * Returns whether the request has a field or media type that a cross-origin request can carry only
 * after a preflight, which is denied.
 */
function forcesPreflight(headers: Exchange["headers"]): boolean {
  if ((headers.get("x-svc-change") ?? "") !== "") return true;
  const [mediaType = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return mediaType.trim().toLowerCase() === "application/json";
}

/**
 * Returns whether `host` is an address, a loopback name or a listed one. Programs may omit it.
 * Browsers accept 0.0.0.0 as loopback, but no server has that name.
 * @param hosts names in lower case, `.name` for all subdomains
 */
export function isServerHostName(host: string | undefined, hosts: readonly string[] = []): boolean {
  if (host === undefined || isOwnName(host)) return true;
  const name = host.toLowerCase().replace(/:\d*$/, "");
  return hosts.some((host) => (host.startsWith(".") ? name.endsWith(host) : name === host));
}

const isOwnName = remember((host: string): boolean => {
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) !== 0) return !UNSPECIFIED_ADDRESSES.has(name);
  return name === "localhost" || name === hostname().toLowerCase();
});
