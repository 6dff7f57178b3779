// One request and its response, without retries. The response is untrusted: at most the maximum
// size of its kind is read.

import type { Fetch, FetchInit, FetchReader, FetchResponse } from "./options.js";
import { readMember } from "./response-error.js";
import { SvcError } from "./svc-error.js";

/** Approximate maximum length of a string in JavaScript engines. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** Longer error bodies are truncated, and then are no longer envelopes. */
const MAX_ERROR_BYTES = 1024 * 1024;

export interface RawResponse<T> {
  readonly status: number;
  readonly content: T;
  /** Hash of the server's argspec, if sent. */
  readonly argspec: string | null;
}

/**
 * @param read reads the response
 * @throws SvcError of kind `network` if the response is incomplete
 */
export async function exchange<T>(
  fetch: Fetch,
  url: string,
  init: FetchInit,
  path: string,
  read: (response: FetchResponse) => Promise<T>,
): Promise<RawResponse<T>> {
  let status: number | null = null;
  try {
    const response = await fetch(url, init);
    status = response.status;
    const content = await read(abortable(response, init.signal));
    return { status, content, argspec: response.headers.get("x-svc-argspec") };
  } catch (cause) {
    if (cause instanceof SvcError) throw cause;
    throw new SvcError("network", `${path}: ${describeCause(cause)}`, { status, cause });
  }
}

/** The `fetch` of Node.js 20 forgets its signal when memory is collected while a body arrives. */
function abortable({ status, headers, body }: FetchResponse, signal: AbortSignal): FetchResponse {
  const getReader = (): FetchReader => {
    const reader = body!.getReader();
    const cancel = () => reader.cancel().catch(() => {});
    signal.addEventListener("abort", cancel);
    return {
      cancel,
      async read() {
        const chunk = await reader.read();
        signal.throwIfAborted();
        return chunk;
      },
    };
  };
  return { status, headers, body: body && { getReader } };
}

/** Reads the body up to the maximum length of its kind. */
export async function readText({ status, body }: FetchResponse): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let length = 0; ; ) {
    const { done, value = new Uint8Array() } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > (status === 200 ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES)) {
      void reader.cancel();
      if (status === 200) throw new Error("response is too large");
      return text;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns why `fetch` failed: the reason is only in `cause`. */
export function describeCause(fault: unknown): string {
  const cause = readMember(fault, "cause");
  const code = readMember(cause, "code");
  const reason = code !== "ERR_INVALID_URL" && (readMember(cause, "message") || code);
  return String(reason || readMember(fault, "message") || fault);
}

/** Text that is not JSON is returned as it is. */
export function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns true if no byte was sent, so that nothing can have been executed. Only Node.js reports
 * that.
 */
export function isConnectError(fault: unknown): boolean {
  return isBeforeSending(readMember(fault, "cause"));
}

function isBeforeSending(cause: unknown): boolean {
  // With several addresses, each has its own error.
  const errors = readMember(cause, "errors");
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isBeforeSending);
  const call = readMember(cause, "syscall");
  if (call === "connect" || call === "getaddrinfo") return true;
  return readMember(cause, "code") === "UND_ERR_CONNECT_TIMEOUT";
}
