// An operation on one instance: a fresh token, the operation, and what became of it. Somebody else
// who asks for a token from the same machine takes ours away; then we ask again.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { KEY_HEADER } from "../../runtime/http/operators.js";
import { readAdminKey } from "../../runtime/settings/admin-key.js";
import { isPlainObject } from "../../runtime/settings/rules.js";
import { type Address, ask } from "../../runtime/system/ask-instance.js";

const TIMEOUT_MS = 90_000;
const ATTEMPTS = 5;
const PATH = "/svc/builtin/ADMIN_";
/** It listens, and its plugins are being loaded. */
const NOT_YET = "the server is being started";
const START_MS = 30_000;
const POLL_MS = 200;
/** The one that another operator has taken the place of. */
const LOST_TOKEN = /^(?:Expired|Invalid) authtoken$/;

type Parameters = Readonly<Record<string, string>>;

/**
 * @param body makes it a POST
 * @throws SvcError SVC2701 without an answer, SVC3115 for a refusal or a failure
 */
export async function operate(
  address: Address,
  operation: string,
  parameters: Parameters = {},
  body?: string,
): Promise<unknown> {
  const deadline = performance.now() + START_MS;
  for (let attempt = 1; ; attempt++) {
    const told = await once(address, operation, parameters, body);
    if (!("problem" in told)) return told.response;
    if (told.problem === NOT_YET && performance.now() < deadline) {
      await sleep(POLL_MS);
      attempt--;
      continue;
    }
    if (attempt < ATTEMPTS && LOST_TOKEN.test(told.problem)) continue;
    const { host, port } = address;
    throw new SvcError("SVC3115", `${operation} at ${host}:${port}: ${told.problem}`);
  }
}

type Told = { readonly response: unknown } | { readonly problem: string };

async function once(
  address: Address,
  operation: string,
  parameters: Parameters,
  body: string | undefined,
): Promise<Told> {
  // The end of a process takes two tokens.
  const former = operation === "Shutdown" ? await tokenOf(address) : null;
  if (former !== null && "problem" in former) return former;
  const token = await tokenOf(address);
  if ("problem" in token) return token;
  const shutdown = former === null ? {} : { authshutdown: former.token };
  const query = { ...parameters, ...shutdown, authtoken: token.token };
  const told = await call(address, operation, query, body);
  if ("problem" in told) return told;
  // What fails once it is authorised is told as a text.
  const { response } = told;
  return typeof response === "string" ? { problem: plain(response) } : told;
}

async function tokenOf(
  address: Address,
): Promise<{ readonly token: string } | { readonly problem: string }> {
  const told = await call(address, "GetAuthToken", {});
  if ("problem" in told) return told;
  const { response } = told;
  const token = isPlainObject(response) ? response.authtoken : undefined;
  return typeof token === "string" ? { token } : { problem: "it gives no token" };
}

async function call(
  address: Address,
  operation: string,
  query: Parameters,
  body?: string,
): Promise<Told> {
  const key = readAdminKey(null);
  const headers = key === null ? {} : { [KEY_HEADER]: key };
  const path = `${PATH}${operation}?${new URLSearchParams(query)}`;
  const posted = body === undefined ? {} : { body };
  const { status, text } = await ask(address, { path, headers, timeoutMs: TIMEOUT_MS, ...posted });
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
