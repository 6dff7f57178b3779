// Who may change things: programs on this machine, and those of the networks that the option
// `http.trusted` names. Pages of other origins may not, whatever machine they are shown on. A page
// whose name was made to lead to this machine comes from here and has no other origin: only the
// name that it calls us by tells it from the rest.

import { BlockList, isIP } from "node:net";
import { hostname } from "node:os";
import { SvcError } from "../base/errors.js";
import { parseNetwork } from "./network.js";
import type { Exchange } from "./transport.js";

export class TrustedClients {
  readonly #loopback = new BlockList();
  readonly #trusted = new BlockList();

  /**
   * @param trusted networks beside this machine, as `10.0.0.0/8` or one address
   * @throws SvcError SVC2205 for what is no network
   */
  constructor(trusted: readonly string[]) {
    for (const network of ["127.0.0.0/8", "::1"]) addNetwork(this.#loopback, network);
    for (const network of trusted) addNetwork(this.#trusted, network);
  }

  /** Why a request may not change anything, null if it may. */
  refusal({ connection, headers }: Exchange): string | null {
    if (isForeign(headers)) return "403 Forbidden: pages of other origins may not change graphs";
    const address = new URL(connection.client).hostname.replace(/^\[|\]$/g, "");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (this.#trusted.check(address, family)) return null;
    const isLocal = this.#loopback.check(address, family);
    if (isLocal && isOwnName(headers.get("host"))) return null;
    const who = isLocal ? `who calls this machine ${headers.get("host")}` : address;
    return `403 Forbidden: ${who} may not change graphs; the option http.trusted may allow it`;
  }
}

function addNetwork(networks: BlockList, text: string): void {
  const network = parseNetwork(text);
  if (network === null) {
    throw new SvcError("SVC2205", `\`http.trusted\`: ${text} is not a network like 10.0.0.0/8`);
  }
  networks.addSubnet(network.address, network.bits, network.family);
}

/** Browsers say where a request comes from: with `Origin`, or at least with `Sec-Fetch-Site`. */
function isForeign(headers: Exchange["headers"]): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get("host");
}

/** An address, or a name that this machine gives itself. Programs may leave it out. */
function isOwnName(host: string | undefined): boolean {
  if (host === undefined) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  return isIP(name) !== 0 || name === "localhost" || name === hostname().toLowerCase();
}
