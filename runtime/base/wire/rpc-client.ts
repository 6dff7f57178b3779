// Client side of RPC between threads: asynchronous, or blocking, as opening a graph is a
// synchronous call. A blocking caller sleeps until the server side raises the signal:
//
//   this thread   postMessage({number, ask}) ... Atomics.wait(signal) ... receiveMessageOnPort
//   other thread  postMessage(Reply), Atomics.add(signal), Atomics.notify(signal)

import { type MessagePort, receiveMessageOnPort, type Transferable } from "node:worker_threads";
import {
  deserializeError,
  type ErrorDeserializer,
  type RpcReply,
  type RpcRequest,
} from "./rpc-messages.js";

/** Polling interval of a blocked caller. */
const SLEEP_MS = 100;

interface RequestedPort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
}

interface Waiting<A> {
  readonly ask: A;
  resolve(value: never): void;
  reject(error: Error): void;
  /** Number of threads that died with it pending. */
  deaths: number;
}

export class RpcClient<A> {
  readonly #revive: ErrorDeserializer;
  readonly #waiting = new Map<number, Waiting<A>>();
  #lastNumber = 0;

  constructor(reviveError: ErrorDeserializer = deserializeError) {
    this.#revive = reviveError;
  }

  /** True while calls are pending. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  ask<T>(port: RequestedPort, ask: A, transfer: readonly Transferable[] = []): Promise<T> {
    return new Promise((resolve, reject) => {
      const number = this.#lastNumber++;
      // Throws if a transferred object is detached; then the call is not pending.
      port.postMessage({ number, ask } satisfies RpcRequest<A>, transfer);
      this.#waiting.set(number, { ask, resolve, reject, deaths: 0 });
    });
  }

  /** Sends a one-way call. */
  tell(port: RequestedPort, ask: A, transfer: readonly Transferable[] = []): void {
    port.postMessage({ number: this.#lastNumber++, ask } satisfies RpcRequest<A>, transfer);
  }

  /** Settles the pending call of a reply; returns an error that has no caller. */
  settle(answer: RpcReply): Error | null {
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if ("value" in answer) {
      waiting?.resolve(answer.value as never);
      return null;
    }
    const error = this.#revive(answer.failure);
    waiting?.reject(error);
    return waiting === undefined ? error : null;
  }

  /**
   * Resends the pending calls of a dead thread to its successor.
   * @param maxDeaths calls pending at that many deaths are rejected as their likely cause
   */
  askAgain(port: RequestedPort, maxDeaths: number, makeError: () => Error): void {
    for (const [number, waiting] of this.#waiting) {
      if (++waiting.deaths < maxDeaths) {
        port.postMessage({ number, ask: waiting.ask } satisfies RpcRequest<A>);
        continue;
      }
      this.#waiting.delete(number);
      waiting.reject(makeError());
    }
  }

  /** Rejects all pending calls. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Errors of a blocked caller: deserialization of a remote error, and the timeout. */
export interface BlockedCallErrors {
  readonly revive: ErrorDeserializer;
  readonly late: () => Error;
}

export class SyncRpcClient<A> {
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #errors: BlockedCallErrors;
  #lastNumber = 0;

  /** @param signal raised by the other side after each reply */
  constructor(port: MessagePort, signal: Int32Array, errors: BlockedCallErrors) {
    this.#port = port;
    this.#signal = signal;
    this.#errors = errors;
  }

  /**
   * @param giveUpAt deadline by `performance.now()`
   * @throws the remote error, or a timeout
   */
  ask(ask: A, giveUpAt: number): unknown {
    const number = ++this.#lastNumber;
    this.#port.postMessage({ number, ask } satisfies RpcRequest<A>);
    for (;;) {
      const seen = Atomics.load(this.#signal, 0);
      const answer = this.#receive(number);
      if (answer !== null && "value" in answer) return answer.value;
      if (answer !== null) throw this.#errors.revive(answer.failure);
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) throw this.#errors.late();
      Atomics.wait(this.#signal, 0, seen, Math.min(leftMs, SLEEP_MS));
    }
  }

  /** Drops late replies of earlier calls. */
  #receive(number: number): RpcReply | null {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return null;
      const answer = received.message as RpcReply;
      if (answer.number === number) return answer;
    }
  }
}
