// Faults of a `fetch` that prove that nothing was sent, and their messages. Node's own faults over
// real connections are in test/e2e/client-faults.test.ts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchange, isConnectError, readText } from "../../../client/typescript/exchange.js";
import type { FetchReader } from "../../../client/typescript/options.js";
import type { SvcError } from "../../../client/typescript/svc-error.js";

const test = suite("client exchange");

function fault(cause: unknown): Error {
  return new TypeError("fetch failed", { cause });
}

function coded(code: string, syscall?: string): Error {
  return Object.assign(new Error(`it was ${code}`), { code, ...(syscall && { syscall }) });
}

test("treats only connection faults as proof that nothing was sent", () => {
  const connectionRefused = coded("ECONNREFUSED", "connect");
  const unsent = [
    ...[connectionRefused, coded("EHOSTUNREACH", "connect"), coded("ENETUNREACH", "connect")],
    ...[coded("ETIMEDOUT", "connect"), coded("ECONNRESET", "connect")],
    ...[coded("ENOTFOUND", "getaddrinfo"), coded("EAI_AGAIN", "getaddrinfo")],
    coded("UND_ERR_CONNECT_TIMEOUT"),
    new AggregateError([connectionRefused, coded("ETIMEDOUT", "connect")]),
  ];
  for (const cause of unsent) assert.ok(isConnectError(fault(cause)), `${cause}`);
  const sent = [
    ...[undefined, null, "text", {}, new Error("x"), coded("UND_ERR_SOCKET")],
    ...[coded("ECONNRESET", "read"), coded("EPIPE", "write"), coded("ETIMEDOUT", "read")],
    ...[
      new AggregateError([]),
      new AggregateError([connectionRefused, coded("ECONNRESET", "read")]),
    ],
  ];
  for (const cause of sent) assert.not.ok(isConnectError(fault(cause)), `${cause}`);
  assert.not.ok(isConnectError(connectionRefused));
  assert.not.ok(isConnectError(undefined));
});

test("uses the message of the cause, or of the error", async () => {
  const cause = Object.assign(coded("ERR_INVALID_URL"), { message: "Invalid URL" });
  const notAnAddress = new TypeError("Failed to parse URL from h:1/p", { cause });
  const reasons: readonly [unknown, string][] = [
    [fault(coded("X")), "it was X"],
    [fault(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })), "ECONNREFUSED"],
    [new TypeError("Failed to fetch"), "Failed to fetch"],
    [notAnAddress, "Failed to parse URL from h:1/p"],
    ["text", "text"],
    [undefined, "undefined"],
  ];
  for (const [cause, reason] of reasons) {
    const init = {
      method: "GET",
      headers: {},
      signal: new AbortController().signal,
      redirect: "error" as const,
    };
    const error = await exchange(() => Promise.reject(cause), "", init, "/p", readText).then(
      () => assert.unreachable(),
      (thrown: SvcError) => thrown,
    );
    assert.is(error!.kind, "network");
    assert.is(error!.message, `/p: ${reason}`);
    assert.is(error!.cause, cause);
  }
});

/** A response in chunks. */
function inPieces(status: number, pieces: (Uint8Array | undefined)[], cancel = async () => {}) {
  const reader: FetchReader = {
    read: async () => ({ done: pieces.length === 0, value: pieces.shift() }),
    cancel,
  };
  const response = { status, headers: { get: () => null }, body: { getReader: () => reader } };
  const init = {
    method: "GET",
    headers: {},
    signal: new AbortController().signal,
    redirect: "error" as const,
  };
  return exchange(async () => response, "", init, "/p", readText);
}

test("decodes characters split between chunks, and empty chunks", async () => {
  const bytes = new TextEncoder().encode("é\u{1f600}z");
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 4), new Uint8Array(0), bytes.subarray(4)];
  assert.is((await inPieces(200, [...pieces, undefined])).content, "é\u{1f600}z");
  assert.is((await inPieces(200, [bytes.subarray(0, 1)])).content, "\ufffd");
});

test("aborts a response that is too long, and truncates an error", async () => {
  const smallBytes = Uint8Array.of(120);
  const huge = (length: number) =>
    Object.defineProperty(Uint8Array.of(121), "length", { value: length });
  let cancels = 0;
  const cancel = async () => {
    cancels++;
    throw new Error("gone");
  };
  const { content: text } = await inPieces(500, [smallBytes, huge(2 ** 20), smallBytes], cancel);
  assert.is(text, "x");
  const error = await inPieces(200, [smallBytes, huge(2 ** 29), smallBytes], cancel).then(
    () => assert.unreachable(),
    (thrown: SvcError) => thrown,
  );
  assert.is(error!.kind, "network");
  assert.is(error!.status, 200);
  assert.is(error!.message, "/p: response is too large");
  assert.is(cancels, 2);
  assert.is((await inPieces(200, [huge(2 ** 29)])).content, "y");
});

test("ends a read when the call ends, also if `fetch` has forgotten its signal", async () => {
  const controller = new AbortController();
  let cancel = () => {};
  const chunk = new Promise<{ done: boolean }>((resolve) => {
    cancel = () => resolve({ done: true });
  });
  const reader: FetchReader = { read: () => chunk, cancel: async () => cancel() };
  const response = { status: 200, headers: { get: () => null }, body: { getReader: () => reader } };
  const init = {
    ...{ method: "GET", headers: {}, redirect: "error" as const },
    signal: controller.signal,
  };
  const reading = exchange(async () => response, "", init, "/p", readText);
  await Promise.resolve();
  controller.abort(new Error("over"));
  const error = await reading.then(
    () => assert.unreachable(),
    (thrown: SvcError) => thrown,
  );
  assert.is(error?.message, "/p: over");
});

test.run();
