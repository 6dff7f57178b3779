// Calls an admin operation of an instance: gets a fresh token, then calls. Another operator on the
// same machine may replace our token; then it is requested again.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../base/errors.js";
import { isPlainObject } from "../base/plain-object.js";
import { type Address, MAX_QUOTED_CHARS, requestInstanceJson } from "./instance-client.js";

const TIMEOUT_MS = 90_000;
/** A live instance returns a token at once. */
const TOKEN_TIMEOUT_MS = 10_000;
const ATTEMPTS = 5;
/** The console calls from the IO thread, where parsing 4 MiB takes half a second. */
const MAX_BYTES = 256 * 1024;
const PATH = "/svc/builtin/ADMIN_";
/** Response while the plugins are loading; callers wait for it to pass. */
export const STARTING = "the server is starting";
/** Response while the instance closes its ports, for a restart of its HTTP service or for good. */
const CLOSING = "Service Out";
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 200;
/** Time an instance may take to reopen its ports. */
const REOPEN_TIMEOUT_MS = 2000;
const CLOSED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", CLOSING]);
/** The instance has received nothing. */
const REFUSED: ReadonlySet<string> = new Set(["ECONNREFUSED"]);
/** Operations of a procedure, which follow each other: the token of the next one is got ahead. */
const FREQUENT: ReadonlySet<string> = new Set(["Lease", "MoveSlots"]);
/** Tokens by instance. Each serves one call; an instance knows only the last one of a client. */
const ahead = new Map<string, { readonly token: string; readonly untilMs: number }>();
/** The connection is still open then, and the instance is as it was. */
const AHEAD_MS = 1000;
/** Response after another operator replaced the token, or the instance restarted. */
const LOST_TOKEN = /^(?:(?:Expired|Invalid) authtoken|Not authorized)$/;

type Parameters = Readonly<Record<string, string>>;

export interface AdminCall {
  /** Without `ADMIN_`. */
  readonly operation: string;
  readonly parameters: Parameters;
  /** Sent as a POST. */
  readonly body?: string;
  /** Maximum response size; default: 256 KiB. */
  readonly maxBytes?: number;
  /** Headers of each request, such as the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws SvcError SVC2701 without a response, SVC3115 if the operation was refused or failed */
export async function callAdminOperation(address: Address, wanted: AdminCall): Promise<unknown> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (let attempt = 1; ; attempt++) {
    const result = await callWithToken(address, wanted);
    if (!("problem" in result)) return result.response;
    if (isPassing(wanted, result.problem) && performance.now() < deadline) {
      await sleep(POLL_MS);
      attempt--;
      continue;
    }
    if (attempt < ATTEMPTS && LOST_TOKEN.test(result.problem)) continue;
    const { host, port } = address;
    const problem = result.problem.slice(0, MAX_QUOTED_CHARS);
    throw new SvcError("SVC3115", `${wanted.operation} at ${host}:${port}: ${problem}`);
  }
}

/** Returns whether to wait. A restart that meets another one is repeated: it does no harm. */
function isPassing({ operation }: AdminCall, problem: string): boolean {
  return problem === STARTING || (problem === CLOSING && operation === "RestartHTTP");
}

type CallResult = { readonly response: unknown } | { readonly problem: string };

async function callWithToken(address: Address, wanted: AdminCall): Promise<CallResult> {
  const { operation, parameters, headers } = wanted;
  const request = { operation: "GetAuthToken", parameters: {}, headers };
  // Shutdown requires two tokens.
  const former = operation === "Shutdown" ? await requestToken(address, request) : null;
  if (former !== null && "problem" in former) return former;
  const isFrequent = FREQUENT.has(operation);
  const known = isFrequent ? takeAhead(address) : undefined;
  const token = known === undefined ? await requestToken(address, request) : { token: known };
  if ("problem" in token) return token;
  const shutdown = former === null ? {} : { authshutdown: former.token };
  const query = { ...parameters, ...shutdown, authtoken: token.token };
  const result = await retryWhileClosed(
    () => call(address, { ...wanted, parameters: query }),
    REFUSED,
  );
  if ("problem" in result) return result;
  if (isFrequent) void getAhead(address, request);
  // Failures after authorization are returned as text.
  const { response } = result;
  return typeof response === "string" ? { problem: unwrapException(response) } : result;
}

function takeAhead(address: Address): string | undefined {
  const place = placeOf(address);
  const found = ahead.get(place);
  ahead.delete(place);
  return found !== undefined && performance.now() < found.untilMs ? found.token : undefined;
}

async function getAhead(address: Address, request: AdminCall): Promise<void> {
  const result = await call(address, request).catch(() => null);
  const token = result === null || "problem" in result ? undefined : readToken(result.response);
  const untilMs = performance.now() + AHEAD_MS;
  if (token !== undefined) ahead.set(placeOf(address), { token, untilMs });
}

const placeOf = ({ host, port }: Address): string => `${host}:${port}`;

function readToken(response: unknown): string | undefined {
  const token = isPlainObject(response) ? response.authtoken : undefined;
  return typeof token === "string" ? token : undefined;
}

async function requestToken(
  address: Address,
  wanted: AdminCall,
): Promise<{ readonly token: string } | { readonly problem: string }> {
  const result = await retryWhileClosed(() => callOpen(address, wanted), CLOSED);
  if ("problem" in result) return result;
  const token = readToken(result.response);
  return token === undefined ? { problem: "it gives no token" } : { token };
}

/** Calls an operation without effect. @throws Error if the instance is closing its ports */
async function callOpen(address: Address, wanted: AdminCall): Promise<CallResult> {
  const result = await call(address, wanted);
  if (!("problem" in result) || result.problem !== CLOSING) return result;
  const text = `${address.host}:${address.port}: ${CLOSING}`;
  throw new SvcError("SVC2701", text, { cause: { code: CLOSING } });
}

/** Retries a request that had no effect while the instance may be reopening its ports. */
async function retryWhileClosed(
  request: () => Promise<CallResult>,
  codes: ReadonlySet<string>,
): Promise<CallResult> {
  const deadline = performance.now() + REOPEN_TIMEOUT_MS;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const { cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
      if (!codes.has(cause?.code ?? "") || performance.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

async function call(address: Address, wanted: AdminCall): Promise<CallResult> {
  const { operation, parameters, headers, body, maxBytes = MAX_BYTES } = wanted;
  const path = `${PATH}${operation}?${new URLSearchParams(parameters)}`;
  const posted = body === undefined ? {} : { body };
  const timeoutMs = operation === "GetAuthToken" ? TOKEN_TIMEOUT_MS : TIMEOUT_MS;
  const request = { path, headers, timeoutMs, maxBytes, ...posted };
  const { status, text } = await requestInstanceJson(address, request);
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return { problem: `${status} ${text.slice(0, 200)}` };
  }
  if (!isPlainObject(envelope)) return { problem: `${status}` };
  if (envelope.status === "OK") return { response: envelope.response };
  return { problem: readMessage(envelope.message) ?? `${status}` };
}

function readMessage(message: unknown): string | null {
  if (typeof message === "string") return message;
  const [detail] = isPlainObject(message) ? Object.values(message) : [];
  return isPlainObject(detail) && typeof detail.value === "string" ? detail.value : null;
}

/** Returns the text of `Exception("…")`. */
function unwrapException(text: string): string {
  const [, quoted] = /^Exception\((".*")\)$/s.exec(text) ?? [];
  try {
    return quoted === undefined ? text : String(JSON.parse(quoted));
  } catch {
    return text;
  }
}
