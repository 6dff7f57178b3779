// One request and its answer, without any second try. The answer is foreign: as much of it is read
// as its kind may be long.

import { memberOf } from "./answer-error.js";
import type { Fetch, FetchAnswer, FetchInit } from "./options.js";
import { SvcError } from "./svc-error.js";

/** About the longest string that engines make. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;
/** Errors of more are cut, and then are no envelopes. */
const MAX_ERROR_BYTES = 1024 * 1024;

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Hash of the server's argspec, where it says so. */
  readonly argspec: string | null;
}

/** @throws SvcError of kind `network` when no whole answer comes */
export async function exchange(fetch: Fetch, url: string, init: FetchInit, path: string) {
  let status: number | null = null;
  try {
    const answer = await fetch(url, init);
    status = answer.status;
    const text = await textOf(answer);
    return { status, text, argspec: answer.headers.get("x-svc-argspec") } satisfies Answer;
  } catch (cause) {
    throw new SvcError("network", `${path}: ${reasonOf(cause)}`, { status, cause });
  }
}

async function textOf({ status, body }: FetchAnswer): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let length = 0; ; ) {
    const { done, value = new Uint8Array() } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > (status === 200 ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES)) {
      reader.cancel().catch(() => {});
      if (status === 200) throw new Error("the answer is too long");
      return text;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** `fetch` says no more than that it failed, but for URLs that are none; its cause says why. */
function reasonOf(fault: unknown): string {
  const cause = memberOf(fault, "cause");
  const code = memberOf(cause, "code");
  const reason = code !== "ERR_INVALID_URL" && (memberOf(cause, "message") || code);
  return String(reason || memberOf(fault, "message") || fault);
}

/** True when no byte was sent, so that nothing can have been executed. Only Node tells. */
export function isConnectFault(fault: unknown): boolean {
  return isBeforeSending(memberOf(fault, "cause"));
}

function isBeforeSending(cause: unknown): boolean {
  // Of several addresses, each has an error of its own.
  const errors = memberOf(cause, "errors");
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isBeforeSending);
  const call = memberOf(cause, "syscall");
  if (call === "connect" || call === "getaddrinfo") return true;
  return memberOf(cause, "code") === "UND_ERR_CONNECT_TIMEOUT";
}
