// Binds two servers to adjacent ports, main and admin. Either both are bound or none is.

import { randomInt } from "node:crypto";
import type { ErrorCodeName } from "../base/error-codes.js";
import { SvcError } from "../base/errors.js";
import type { HttpServer } from "../http/transport.js";

/**
 * Range searched first for a free pair: below the ephemeral ports, which stay in TIME_WAIT for a
 * minute, so that after a load test hardly any pair of them is free.
 */
const FREE_PAIR_RANGE = [10_240, 32_700] as const;
const FREE_PAIR_TRIES = 100;
/** Further attempts, in which the system chooses. */
const SYSTEM_TRIES = 100;
const OUT_OF_FILES = new Set(["EMFILE", "ENFILE"]);

export interface PairAddress {
  /** Main port; 0 picks a free pair. */
  readonly port: number;
  readonly ip: string | null;
  readonly adminIp: string | null;
}

type Listen = (port: number, ip: string | null, offset: 0 | 1) => Promise<HttpServer>;

/** Binds main and admin port; throws an SvcError that names the port that cannot be bound. */
export async function listenPair(address: PairAddress, listen: Listen): Promise<HttpServer[]> {
  if (address.port !== 0) return bindPair(address, address.port, listen);
  for (let tries = 1; ; tries++) {
    const port = tries <= FREE_PAIR_TRIES ? randomInt(...FREE_PAIR_RANGE) : 0;
    try {
      return await bindPair(address, port, listen);
    } catch (error) {
      if (!isTaken(error)) throw error;
      if (tries === FREE_PAIR_TRIES + SYSTEM_TRIES) throw noPair(error);
    }
  }
}

async function bindPair(
  { ip, adminIp }: PairAddress,
  port: number,
  listen: Listen,
): Promise<HttpServer[]> {
  const main = await bind(port, ip, 0, listen);
  try {
    return [main, await bind(main.port + 1, adminIp ?? ip, 1, listen)];
  } catch (error) {
    await main.close();
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}

/** A general error: that of the last attempt would name a port that was not requested. */
function noPair(error: unknown): SvcError {
  const { message } = error as Error;
  const tries = FREE_PAIR_TRIES + SYSTEM_TRIES;
  return new SvcError(
    "SVC2202",
    `no free port pair after ${tries} attempts; last error: ${message}`,
  );
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
    const { code = "" } = error as NodeJS.ErrnoException;
    const server = offset === 0 ? "main" : "admin";
    const where = `${server} port ${port}${ip === null ? "" : ` of ${ip}`}`;
    const refused = (why: string, name: ErrorCodeName = "SVC2202") =>
      new SvcError(name, `${where} ${why}`, { cause: error });
    if (code === "EADDRINUSE") throw refused("is in use");
    if (code === "EACCES") throw refused("requires more privileges");
    // Out of file descriptors: another port would not help.
    const name = OUT_OF_FILES.has(code) ? "SVC3093" : "SVC2202";
    throw refused(`cannot be bound: ${(error as Error).message}`, name);
  }
}
