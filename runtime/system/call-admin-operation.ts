// Calls an admin operation of an instance: requests a token, then sends the operation with it.
// Requests another token if another operator on this machine has invalidated the first.

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
/** Response while the plugins are loading: callers retry. */
export const STARTING = "the server is starting";
/** Response while the instance closes its ports, to restart its HTTP service or to stop. */
const CLOSING = "Service Out";
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 200;
/** Time an instance may take to reopen its ports. */
const REOPEN_TIMEOUT_MS = 2000;
const CLOSED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", CLOSING]);
/** Errors that prove that the instance has not received the request. */
const REFUSED: ReadonlySet<string> = new Set(["ECONNREFUSED"]);
/** Operations that procedures call repeatedly: their responses contain the next token. */
const FREQUENT: ReadonlySet<string> = new Set(["Lease", "MoveSlots"]);
/** Next tokens by instance. A token authorizes one call; a newer one invalidates it. */
const nextTokens = new Map<string, { readonly token: string; readonly untilMs: number }>();
/** Short enough that the connection is still open and the instance has not restarted. */
const NEXT_TOKEN_MS = 1000;
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
export async function callAdminOperation(address: Address, adminCall: AdminCall): Promise<unknown> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (let attempt = 1; ; attempt++) {
    const result = await callWithToken(address, adminCall);
    if (!("problem" in result)) return result.response;
    if (isTransient(adminCall, result.problem) && performance.now() < deadline) {
      await sleep(POLL_MS);
      attempt--;
      continue;
    }
    if (attempt < ATTEMPTS && LOST_TOKEN.test(result.problem)) continue;
    const { host, port } = address;
    const problem = result.problem.slice(0, MAX_QUOTED_CHARS);
    throw new SvcError("SVC3115", `${adminCall.operation} at ${host}:${port}: ${problem}`);
  }
}

/** Returns whether to retry later. A second restart of the HTTP service is harmless. */
function isTransient({ operation }: AdminCall, problem: string): boolean {
  return problem === STARTING || (problem === CLOSING && operation === "RestartHTTP");
}

type CallResult = { readonly response: unknown } | { readonly problem: string };

async function callWithToken(address: Address, adminCall: AdminCall): Promise<CallResult> {
  const { operation, parameters, headers } = adminCall;
  const request = { operation: "GetAuthToken", parameters: {}, headers };
  // Shutdown requires two tokens.
  const firstToken = operation === "Shutdown" ? await requestToken(address, request) : null;
  if (firstToken !== null && "problem" in firstToken) return firstToken;
  const isFrequent = FREQUENT.has(operation);
  const nextToken = isFrequent ? takeNextToken(address) : undefined;
  const token =
    nextToken === undefined ? await requestToken(address, request) : { token: nextToken };
  if ("problem" in token) return token;
  const shutdown = firstToken === null ? {} : { authshutdown: firstToken.token };
  const query = { ...parameters, ...shutdown, authtoken: token.token };
  const result = await retryWhileClosed(
    () => call(address, { ...adminCall, parameters: query }),
    REFUSED,
  );
  if ("problem" in result) return result;
  // Failures after authorization are returned as text.
  const { response } = result;
  if (typeof response === "string") return { problem: unwrapException(response) };
  return isFrequent ? { response: withoutNextToken(address, response) } : result;
}

function takeNextToken(address: Address): string | undefined {
  const key = addressKey(address);
  const entry = nextTokens.get(key);
  nextTokens.delete(key);
  return entry !== undefined && performance.now() < entry.untilMs ? entry.token : undefined;
}

/** Keeps the next token of a response, if it has one, and returns the rest. */
function withoutNextToken(address: Address, response: unknown): unknown {
  const token = readToken(response);
  if (token === undefined) return response;
  nextTokens.set(addressKey(address), { token, untilMs: performance.now() + NEXT_TOKEN_MS });
  const { authtoken: _, ...rest } = Object(response) as Record<string, unknown>;
  return rest;
}

const addressKey = ({ host, port }: Address): string => `${host}:${port}`;

function readToken(response: unknown): string | undefined {
  const token = isPlainObject(response) ? response.authtoken : undefined;
  return typeof token === "string" ? token : undefined;
}

async function requestToken(
  address: Address,
  adminCall: AdminCall,
): Promise<{ readonly token: string } | { readonly problem: string }> {
  const result = await retryWhileClosed(() => callIdempotent(address, adminCall), CLOSED);
  if ("problem" in result) return result;
  const token = readToken(result.response);
  return token === undefined ? { problem: "the response contains no token" } : { token };
}

/** Calls an operation that is safe to repeat. @throws Error if the instance is closing its ports */
async function callIdempotent(address: Address, adminCall: AdminCall): Promise<CallResult> {
  const result = await call(address, adminCall);
  if (!("problem" in result) || result.problem !== CLOSING) return result;
  const text = `${address.host}:${address.port}: ${CLOSING}`;
  throw new SvcError("SVC2701", text, { cause: { code: CLOSING } });
}

/** Retries a request that failed without effect, because the instance may reopen its ports. */
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

async function call(address: Address, adminCall: AdminCall): Promise<CallResult> {
  const { operation, parameters, headers, body, maxBytes = MAX_BYTES } = adminCall;
  const path = `${PATH}${operation}?${new URLSearchParams(parameters)}`;
  const withBody = body === undefined ? {} : { body };
  const timeoutMs = operation === "GetAuthToken" ? TOKEN_TIMEOUT_MS : TIMEOUT_MS;
  const request = { path, headers, timeoutMs, maxBytes, ...withBody };
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
