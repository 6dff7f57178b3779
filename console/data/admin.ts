// Admin operations and their requests: each needs its own token, issued to this page alone. Tokens
// and the key stay in memory, never in the address. A page calls its own server, which forwards
// operations for other instances.

import { callServer, errorMessage, fetchValue, isRecord, type Reply } from "./client.js";
import { numberAt, textAt } from "./node-stat.js";

const PATH = "svc/builtin/ADMIN_";

export interface Token {
  readonly text: string;
  /** Milliseconds since 1970, by the clock of this browser. */
  readonly endsAt: number;
}

/** @param key of the instance, which operators on other machines need */
export async function requestToken(key: string): Promise<Token> {
  const answer = await fetchValue(`${PATH}GetAuthToken`, { method: "POST", headers: fields(key) });
  const text = textAt(answer, "authtoken");
  if (text === "") throw new Error("The server returned no token.");
  const seconds = numberAt(answer, "tx") - numberAt(answer, "t0");
  return { text, endsAt: Date.now() + seconds * 1000 };
}

export type Args = Readonly<Record<string, string>>;

export interface Call {
  /** Without `ADMIN_`. */
  readonly operation: string;
  readonly args: Args;
  readonly body: string | null;
}

/** Returns the call by which another instance executes an operation. */
export function forwardedCall({ operation, args, body }: Call, instance: string): Call {
  return {
    operation: "Operate",
    args: { instance, operation, params: JSON.stringify(args) },
    body,
  };
}

/** Executes an operation with an unused token. */
export function operate(call: Call, token: Token, key: string): Promise<Reply> {
  const { operation, args, body } = call;
  const query = new URLSearchParams({ authtoken: token.text, ...args });
  const path = `${PATH}${operation}?${query}`;
  const headers = { ...fields(key), "content-type": "text/plain" };
  return callServer(path, { method: "POST", headers, body: body ?? "" });
}

function fields(key: string): Readonly<Record<string, string>> {
  return key === "" ? {} : { "x-svc-admin-key": key };
}

/** Describes the outcome of an operation, and whether it succeeded. */
export function operationResult(reply: Reply): { readonly isDone: boolean; readonly text: string } {
  if (!reply.ok) return { isDone: false, text: errorMessage(reply) };
  const { value } = reply;
  const inner = isRecord(value) && value.action === "operate" ? value.result : value;
  const result = isRecord(inner) && "result" in inner ? inner.result : inner;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  // Failures after the authorization are returned as text with status 200.
  return { isDone: !/Exception\(/.test(text), text };
}
