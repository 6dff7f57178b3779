// What one thread asks of another by message, and the answers, whose numbers say to what:
//
//   asking thread    {number, ask}  ──►  answering thread
//                    {number, value} or {number, failure}  ◄──
//
// Asks are answered once each, in any order. Errors cross as texts: who asked makes one of a class
// that it knows from them.

import { isErrorCode } from "../base/error-codes.js";
import { SvcError } from "../base/errors.js";

export interface RpcRequest<A> {
  readonly number: number;
  readonly ask: A;
}

export type RpcReply =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: Failure };

/** An error on its way. */
export interface Failure {
  readonly name: string;
  /** One of the table; empty for any other error. */
  readonly code: string;
  readonly message: string;
}

/** Makes the error that is thrown of one that has crossed. */
export type ErrorDeserializer = (failure: Failure) => Error;

export const deserializeError: ErrorDeserializer = ({ code, message }) =>
  isErrorCode(code) ? new SvcError(code, message) : new Error(message);

/** Where answers go to: a port, a worker, or the parent of this thread. */
interface Poster {
  postMessage(message: unknown): void;
}

/**
 * Does what was asked, beginning at once, and posts the answer, whatever happens.
 * @param signal raised then, for whoever sleeps until the answer is there
 */
export async function answer<A>(
  port: Poster,
  { number, ask }: RpcRequest<A>,
  act: (ask: A) => unknown,
  signal?: Int32Array,
): Promise<void> {
  let given: RpcReply;
  try {
    given = { number, value: await act(ask) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const code = error instanceof SvcError ? error.code : "";
    given = { number, failure: { name, code, message } };
  }
  port.postMessage(given);
  if (signal === undefined) return;
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
