// Checks of what a server is started with, the same for the library and the command line
// (interface, "Management operations").

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { SvcError } from "../errors.js";

/** The admin port is the next one and must exist too. */
const MAX_MAIN_PORT = 65534;
const PREFIX = /^[A-Za-z0-9\-./=@_~]+$/;

/** A main port: an integer from 0 (any free pair) to 65534. */
export function checkedPort(port: unknown): number {
  if (Number.isInteger(port) && (port as number) >= 0 && (port as number) <= MAX_MAIN_PORT) {
    return port as number;
  }
  throw invalid(`invalid port number: expected an integer from 0 to ${MAX_MAIN_PORT}`, port);
}

/** An address to bind; host names are resolved. Null and undefined mean all addresses. */
export async function checkedIp(ip: unknown): Promise<string | null> {
  if (ip === undefined || ip === null) return null;
  if (typeof ip !== "string" || ip === "") throw invalid("invalid ip address", ip);
  if (isIP(ip) !== 0) return ip;
  try {
    return (await lookup(ip)).address;
  } catch {
    throw invalid("ip address does not resolve", ip);
  }
}

/** A service prefix as `/prefix`: one leading slash, none at the end. Empty means none. */
export function checkedPrefix(prefix: unknown): string | null {
  if (prefix === undefined || prefix === null || prefix === "") return null;
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) throw invalid("invalid prefix", prefix);
  const path = `/${prefix.replace(/^\/+|\/+$/g, "")}`;
  const segments = path.slice(1).split("/");
  const hidesPaths = segments.some((segment) => segment === "" || /^\.{1,2}$/.test(segment));
  if (hidesPaths || segments[0] === "svc") throw invalid("invalid prefix", prefix);
  return path;
}

function invalid(what: string, value: unknown): SvcError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
  return new SvcError("SVC2205", `${what}, got ${shown}`);
}
