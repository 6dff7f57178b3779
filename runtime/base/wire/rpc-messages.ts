// RPC messages between threads:
//
//   client thread    {number, ask}  ──►  server thread
//                    {number, value} or {number, failure}  ◄──
//
// Each call gets one reply, in any order. Errors cross as text and are rebuilt by the caller.

import { isErrorCode } from "../error-codes.js";
import { SvcError } from "../errors.js";

export interface RpcRequest<A> {
  readonly number: number;
  readonly ask: A;
}

export type RpcReply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: Failure };

/** A serialized error. */
export interface Failure {
  readonly name: string;
  /** Error code of the table; empty for other errors. */
  readonly code: string;
  readonly message: string;
}

/** Builds the error to throw from a serialized one. */
export type ErrorDeserializer = (failure: Failure) => Error;

export const deserializeError: ErrorDeserializer = ({ code, message }) =>
  isErrorCode(code) ? new SvcError(code, message) : new Error(message);

/** Destination of replies: a port, a worker, or this thread's parent. */
interface Poster {
  postMessage(message: unknown): void;
}

/**
 * Executes a call at once and posts its reply, also on failure.
 * @param signal raised afterwards, for a blocked caller
 */
export async function answer<A>(
  port: Poster,
  { number, ask }: RpcRequest<A>,
  act: (ask: A) => unknown,
  signal?: Int32Array,
): Promise<void> {
  let reply: RpcReply;
  try {
    reply = { number, value: await act(ask) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const code = error instanceof SvcError ? error.code : "";
    reply = { number, failure: { name, code, message } };
  }
  port.postMessage(reply);
  if (signal === undefined) return;
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
