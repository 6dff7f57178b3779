// Who may change things: programs on this machine, and those of the networks that the option
// `http.trusted` names. Pages of other origins may not, whatever machine they are shown on.

import { BlockList, isIP } from "node:net";
import { SvcError } from "../errors.js";
import type { Exchange } from "./transport.js";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

export class TrustedClients {
  readonly #networks = new BlockList();

  /**
   * @param trusted networks beside this machine, as `10.0.0.0/8` or one address
   * @throws SvcError SVC2205 for what is no network
   */
  constructor(trusted: readonly string[]) {
    for (const network of [...LOOPBACK, ...trusted]) this.#add(network);
  }

  /** Why a request may not change anything, null if it may. */
  refusal({ connection, headers }: Exchange): string | null {
    const address = new URL(connection.client).hostname.replace(/^\[|\]$/g, "");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (!this.#networks.check(address, family)) {
      return `403 Forbidden: ${address} may not change graphs; the option http.trusted may allow it`;
    }
    return isForeign(headers)
      ? "403 Forbidden: pages of other origins may not change graphs"
      : null;
  }

  #add(network: string): void {
    const [address, bits] = network.split("/", 2) as [string, string | undefined];
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : Number(bits);
    if (family === 0 || bits === "" || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
      throw new SvcError(
        "SVC2205",
        `\`http.trusted\`: ${network} is not a network like 10.0.0.0/8`,
      );
    }
    this.#networks.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
  }
}

/** Browsers say where a request comes from: with `Origin`, or at least with `Sec-Fetch-Site`. */
function isForeign(headers: Exchange["headers"]): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("origin");
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get("host");
}
