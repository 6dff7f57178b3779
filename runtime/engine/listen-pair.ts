// Two servers, two neighbouring ports: the main port and the next one. Either both are bound or
// none is.

import { SvcError } from "../base/errors.js";
import type { HttpServer } from "../http/transport.js";

/**
 * A free port whose neighbour is taken is given up this many times. The system gives listeners odd
 * ports and clients even ones: after a load test most neighbours are still taken for a minute.
 */
const FREE_PAIR_TRIES = 200;

export interface PairAddress {
  /** Main port; 0 picks a free pair. */
  readonly port: number;
  readonly ip: string | null;
  readonly adminIp: string | null;
}

type Listen = (port: number, ip: string | null, offset: 0 | 1) => Promise<HttpServer>;

/** Binds main and admin port; throws an SvcError that names the port that cannot be had. */
export async function listenPair(address: PairAddress, listen: Listen): Promise<HttpServer[]> {
  for (let tries = 1; ; tries++) {
    const main = await bind(address.port, address.ip, 0, listen);
    try {
      return [main, await bind(main.port + 1, address.adminIp ?? address.ip, 1, listen)];
    } catch (error) {
      await main.close();
      if (address.port !== 0 || tries === FREE_PAIR_TRIES) throw error;
    }
  }
}

async function bind(
  port: number,
  ip: string | null,
  offset: 0 | 1,
  listen: Listen,
): Promise<HttpServer> {
  try {
    return await listen(port, ip, offset);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const server = offset === 0 ? "main" : "admin";
    const where = `${server} port ${port}${ip === null ? "" : ` of ${ip}`}`;
    if (code === "EADDRINUSE") throw new SvcError("SVC2202", `${where} is in use`);
    if (code === "EACCES") throw new SvcError("SVC2202", `${where} may not be bound by this user`);
    throw new SvcError("SVC2202", `${where} cannot be bound: ${(error as Error).message}`);
  }
}
