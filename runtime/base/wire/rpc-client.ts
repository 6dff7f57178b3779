// Client side of RPC between threads, asynchronous or blocking: opening a graph is a synchronous
// call. A blocked caller sleeps until the server side raises the signal:
//
//   this thread   postMessage({id, command}) ... Atomics.wait(signal) ... receiveMessageOnPort
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

interface RequestPort {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
}

interface PendingCall<A> {
  readonly command: A;
  resolve(value: never): void;
  reject(error: Error): void;
  /** Number of threads that died with it pending. */
  deaths: number;
}

export class RpcClient<A> {
  readonly #revive: ErrorDeserializer;
  readonly #pending = new Map<number, PendingCall<A>>();
  #lastId = 0;

  constructor(reviveError: ErrorDeserializer = deserializeError) {
    this.#revive = reviveError;
  }

  /** True while calls are pending. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  call<T>(port: RequestPort, command: A, transfer: readonly Transferable[] = []): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = this.#lastId++;
      // Throws if a transferred object is detached; then the call is not pending.
      port.postMessage({ id, command } satisfies RpcRequest<A>, transfer);
      this.#pending.set(id, { command, resolve, reject, deaths: 0 });
    });
  }

  /** Sends a one-way call. */
  send(port: RequestPort, command: A, transfer: readonly Transferable[] = []): void {
    port.postMessage({ id: this.#lastId++, command } satisfies RpcRequest<A>, transfer);
  }

  /** Settles the pending call of a reply; returns an error that has no caller. */
  settle(reply: RpcReply): Error | null {
    const pendingCall = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("value" in reply) {
      pendingCall?.resolve(reply.value as never);
      return null;
    }
    const error = this.#revive(reply.failure);
    pendingCall?.reject(error);
    return pendingCall === undefined ? error : null;
  }

  /**
   * Resends the pending calls of a dead thread to its successor.
   * @param maxDeaths calls pending at that many deaths are rejected as their likely cause
   */
  resendPending(port: RequestPort, maxDeaths: number, makeError: () => Error): void {
    for (const [id, pendingCall] of this.#pending) {
      if (++pendingCall.deaths < maxDeaths) {
        port.postMessage({ id, command: pendingCall.command } satisfies RpcRequest<A>);
        continue;
      }
      this.#pending.delete(id);
      pendingCall.reject(makeError());
    }
  }

  /** Rejects all pending calls. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** Errors of a blocked caller: deserialization of a remote error, and the timeout. */
export interface BlockedCallErrors {
  readonly revive: ErrorDeserializer;
  readonly timedOut: () => Error;
}

export class SyncRpcClient<A> {
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  readonly #errors: BlockedCallErrors;
  #lastId = 0;

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
  call(command: A, giveUpAt: number): unknown {
    const id = ++this.#lastId;
    this.#port.postMessage({ id, command } satisfies RpcRequest<A>);
    for (;;) {
      const seen = Atomics.load(this.#signal, 0);
      const reply = this.#receive(id);
      if (reply !== null && "value" in reply) return reply.value;
      if (reply !== null) throw this.#errors.revive(reply.failure);
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) throw this.#errors.timedOut();
      Atomics.wait(this.#signal, 0, seen, Math.min(leftMs, SLEEP_MS));
    }
  }

  /** Drops late replies of earlier calls. */
  #receive(id: number): RpcReply | null {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return null;
      const reply = received.message as RpcReply;
      if (reply.id === id) return reply;
    }
  }
}
