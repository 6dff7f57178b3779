// RPC messages between threads:
//
//   client thread    {id, command}  ──►  server thread
//                    {id, value} or {id, failure}  ◄──
//
// Each call gets one reply, in any order. Errors cross as text and are rebuilt by the caller.

import { isOwnCode, SvcError } from "../errors.js";

export interface RpcRequest<A> {
  readonly id: number;
  readonly command: A;
}

export type RpcReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure };

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
  isOwnCode(code) ? new SvcError(code, message) : new Error(message);

/** Destination of replies: a port, a worker, or this thread's parent. */
interface Poster {
  postMessage(message: unknown): void;
}

/**
 * Executes a call at once and posts its reply, also on failure.
 * @param signal raised afterwards, for a blocked caller
 */
export async function executeCall<A>(
  port: Poster,
  { id, command }: RpcRequest<A>,
  act: (command: A) => unknown,
  signal?: Int32Array,
): Promise<void> {
  let reply: RpcReply;
  try {
    reply = { id, value: await act(command) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const code = error instanceof SvcError ? error.code : "";
    reply = { id, failure: { name, code, message } };
  }
  port.postMessage(reply);
  if (signal === undefined) return;
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
