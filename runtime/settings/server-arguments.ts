// Checks of what a server is started with, the same for the library and the command line
// (interface, "Management operations").

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { SvcError } from "../base/errors.js";
import { MAX_MAIN_PORT } from "../base/limits.js";
import type { TransportChoice } from "../http/load-transport.js";
import { TrustedClients } from "../http/trusted-clients.js";

/** Printable, so that no value can add header fields. */
const ORIGIN = /^[\x21-\x7e]+$/;
const TRANSPORTS: readonly TransportChoice[] = ["auto", "net", "uws"];
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

/** Value of Access-Control-Allow-Origin. Null and undefined mean that there is no such field. */
export function checkedCors(cors: unknown): string | null {
  if (cors === undefined || cors === null) return null;
  if (typeof cors === "string" && ORIGIN.test(cors)) return cors;
  throw invalid("invalid cors: expected an origin", cors);
}

/** A transport; undefined means `auto`. */
export function checkedTransport(transport: unknown): TransportChoice {
  const known = TRANSPORTS.find((name) => name === (transport ?? "auto"));
  if (known !== undefined) return known;
  throw invalid(`invalid transport: expected ${TRANSPORTS.join(", ")}`, transport);
}

/** A number of bytes or milliseconds; undefined means `fallback`. */
export function checkedCount(name: string, count: unknown, fallback: number): number {
  if (count === undefined) return fallback;
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  throw invalid(`invalid ${name}: expected an integer from 0`, count);
}

/** Networks beside this machine that may change graphs; undefined and null mean none. */
export function checkedTrusted(trusted: unknown): readonly string[] {
  if (trusted === undefined || trusted === null) return [];
  const isList = Array.isArray(trusted) && trusted.every((item) => typeof item === "string");
  if (!isList) throw invalid("invalid trusted: expected a list of networks", trusted);
  // Refuses what is no network; the server makes its own of the same list.
  new TrustedClients(trusted);
  return trusted;
}

function invalid(what: string, value: unknown): SvcError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
  return new SvcError("SVC2205", `${what}, got ${shown}`);
}
