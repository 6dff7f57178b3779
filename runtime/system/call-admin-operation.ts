// An operation on one instance: a fresh token, the operation, and what became of it. Somebody else
// who asks for a token from the same machine takes ours away; then we ask again.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../base/errors.js";
import { isPlainObject } from "../settings/rules.js";
import { type Address, MAX_QUOTED_CHARS, requestInstanceJson } from "./instance-client.js";

const TIMEOUT_MS = 90_000;
/** A token is there at once, where anybody is. */
const TOKEN_TIMEOUT_MS = 10_000;
const ATTEMPTS = 5;
/** Pages have it asked by the thread of the sockets, where 4 MiB take half a second to parse. */
const MAX_BYTES = 256 * 1024;
const PATH = "/svc/builtin/ADMIN_";
/** It listens, and its plugins are being loaded. */
const NOT_YET = "the server is being started";
const START_MS = 30_000;
const POLL_MS = 200;
/** How long an instance may take to open its ports anew, and what it says meanwhile. */
const ANEW_MS = 2000;
const CLOSED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET"]);
/** The one that another operator has taken the place of. */
const LOST_TOKEN = /^(?:Expired|Invalid) authtoken$/;

type Parameters = Readonly<Record<string, string>>;

export interface AdminCall {
  /** Without `ADMIN_`. */
  readonly operation: string;
  readonly parameters: Parameters;
  /** Makes it a POST. */
  readonly body?: string;
  /** Of every question: the key, say. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws SvcError SVC2701 without an answer, SVC3115 for a refusal or a failure */
export async function callAdminOperation(address: Address, wanted: AdminCall): Promise<unknown> {
  const deadline = performance.now() + START_MS;
  for (let attempt = 1; ; attempt++) {
    const told = await once(address, wanted);
    if (!("problem" in told)) return told.response;
    if (told.problem === NOT_YET && performance.now() < deadline) {
      await sleep(POLL_MS);
      attempt--;
      continue;
    }
    if (attempt < ATTEMPTS && LOST_TOKEN.test(told.problem)) continue;
    const { host, port } = address;
    const problem = told.problem.slice(0, MAX_QUOTED_CHARS);
    throw new SvcError("SVC3115", `${wanted.operation} at ${host}:${port}: ${problem}`);
  }
}

type Told = { readonly response: unknown } | { readonly problem: string };

async function once(address: Address, wanted: AdminCall): Promise<Told> {
  const { operation, parameters, headers } = wanted;
  const question = { operation: "GetAuthToken", parameters: {}, headers };
  // The end of a process takes two tokens.
  const former = operation === "Shutdown" ? await tokenOf(address, question) : null;
  if (former !== null && "problem" in former) return former;
  const token = await tokenOf(address, question);
  if ("problem" in token) return token;
  const shutdown = former === null ? {} : { authshutdown: former.token };
  const query = { ...parameters, ...shutdown, authtoken: token.token };
  const told = await call(address, { ...wanted, parameters: query });
  if ("problem" in told) return told;
  // What fails once it is authorised is told as a text.
  const { response } = told;
  return typeof response === "string" ? { problem: plain(response) } : told;
}

async function tokenOf(
  address: Address,
  wanted: AdminCall,
): Promise<{ readonly token: string } | { readonly problem: string }> {
  const told = await onceItListens(() => call(address, wanted));
  if ("problem" in told) return told;
  const { response } = told;
  const token = isPlainObject(response) ? response.authtoken : undefined;
  return typeof token === "string" ? { token } : { problem: "it gives no token" };
}

/** Asks again for what harms nobody, since an instance may be opening its ports anew. */
async function onceItListens(question: () => Promise<Told>): Promise<Told> {
  const deadline = performance.now() + ANEW_MS;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      const { cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
      if (!CLOSED.has(cause?.code ?? "") || performance.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

async function call(address: Address, wanted: AdminCall): Promise<Told> {
  const { operation, parameters, headers, body } = wanted;
  const path = `${PATH}${operation}?${new URLSearchParams(parameters)}`;
  const posted = body === undefined ? {} : { body };
  const timeoutMs = operation === "GetAuthToken" ? TOKEN_TIMEOUT_MS : TIMEOUT_MS;
  const question = { path, headers, timeoutMs, maxBytes: MAX_BYTES, ...posted };
  const { status, text } = await requestInstanceJson(address, question);
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return { problem: `${status} ${text.slice(0, 200)}` };
  }
  if (!isPlainObject(envelope)) return { problem: `${status}` };
  if (envelope.status === "OK") return { response: envelope.response };
  return { problem: messageOf(envelope.message) ?? `${status}` };
}

function messageOf(message: unknown): string | null {
  if (typeof message === "string") return message;
  const [detail] = isPlainObject(message) ? Object.values(message) : [];
  return isPlainObject(detail) && typeof detail.value === "string" ? detail.value : null;
}

/** The text of `Exception("…")`. */
function plain(text: string): string {
  const [, quoted] = /^Exception\((".*")\)$/s.exec(text) ?? [];
  try {
    return quoted === undefined ? text : String(JSON.parse(quoted));
  } catch {
    return text;
  }
}
