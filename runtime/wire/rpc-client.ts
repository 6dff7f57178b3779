// The asking side of threads that talk: with promises, or without letting this thread go on, as
// opening a graph is a synchronous call. Then it sleeps until the other side raises the signal:
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

/** A sleeper looks for itself this often. */
const SLEEP_MS = 100;

interface RequestedPort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
}

interface Waiting<A> {
  readonly ask: A;
  resolve(value: never): void;
  reject(error: Error): void;
  /** To how many threads it was sent that have died. */
  deaths: number;
}

export class RpcClient<A> {
  readonly #revive: ErrorDeserializer;
  readonly #waiting = new Map<number, Waiting<A>>();
  #asks = 0;

  constructor(reviveError: ErrorDeserializer = deserializeError) {
    this.#revive = reviveError;
  }

  /** Somebody waits for an answer. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  ask<T>(port: RequestedPort, ask: A, transfer: readonly Transferable[] = []): Promise<T> {
    return new Promise((resolve, reject) => {
      const number = this.#asks++;
      // Throws when what is to be transferred is gone: then nobody waits.
      port.postMessage({ number, ask } satisfies RpcRequest<A>, transfer);
      this.#waiting.set(number, { ask, resolve, reject, deaths: 0 });
    });
  }

  /** Asks what need not be answered. */
  tell(port: RequestedPort, ask: A, transfer: readonly Transferable[] = []): void {
    port.postMessage({ number: this.#asks++, ask } satisfies RpcRequest<A>, transfer);
  }

  /** Hands an answer to who waits for it; returns an error that nobody waits for. */
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
   * Asks the next thread what one that has died did not answer.
   * @param maxDeaths asks that were there at so many deaths fail: they are likely to be the reason
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

  /** Nobody will answer any more. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** What a sleeper throws: an error from the other side, and that it has slept too long. */
export interface BlockedCallErrors {
  readonly revive: ErrorDeserializer;
  readonly late: () => Error;
}

export class SyncRpcClient<A> {
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #errors: BlockedCallErrors;
  #last = 0;

  /** @param signal raised by the other side after each answer */
  constructor(port: MessagePort, signal: Int32Array, errors: BlockedCallErrors) {
    this.#port = port;
    this.#signal = signal;
    this.#errors = errors;
  }

  /**
   * @param giveUpAt by `performance.now()`
   * @throws what the other side throws, or that it does not answer
   */
  ask(ask: A, giveUpAt: number): unknown {
    const number = ++this.#last;
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

  /** Drops answers that came too late for who had asked. */
  #receive(number: number): RpcReply | null {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return null;
      const answer = received.message as RpcReply;
      if (answer.number === number) return answer;
    }
  }
}
