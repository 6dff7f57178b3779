// Sends one request to a running server. The server is untrusted: time and size are limited, and
// the envelope is validated.

import { SvcError } from "../../runtime/base/errors.js";
import { accessToken } from "./access-token.js";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

export interface FetchedResponse {
  readonly status: "OK" | "ERROR";
  /** Only if the status is `OK`. */
  readonly response: unknown;
}

export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * @param url address of the server, including its prefix
 * @param target path and query
 * @throws SvcError SVC3016 without a response, SVC3017 for an invalid envelope, SVC3024 if the
 *   server rejects the token
 */
export async function fetchResponse(
  url: string,
  target: string,
  timeoutMs = TIMEOUT_MS,
): Promise<FetchedResponse> {
  let text: string;
  let isRejected = false;
  try {
    const base = new URL(url);
    const address = `${base.origin}${base.pathname.replace(/\/+$/, "")}${target}`;
    const token = accessToken();
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { accept: "application/json", ...authorization };
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 401) isRejected = true;
    text = await readLimited(response);
  } catch (error) {
    throw new SvcError("SVC3016", `no response from ${url}: ${failureReason(error)}`, {
      cause: error,
    });
  }
  if (isRejected) throw new SvcError("SVC3024", `authentication failed at ${url}`);
  const envelope = parseEnvelope(text);
  if (envelope?.status === "OK" || envelope?.status === "ERROR") {
    return { status: envelope.status, response: envelope.response };
  }
  throw new SvcError("SVC3017", `not an svc server: ${url}`);
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // An exception in the loop cancels the response.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`response exceeds ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseEnvelope(
  text: string,
): { readonly status?: unknown; readonly response?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns why `fetch` failed: the message of its cause, or of the first address that failed. */
function failureReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return failureReason(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
