// Asks another thread and waits for the answer, without letting this thread go on: opening a graph
// is a synchronous call. The other side answers by message and then raises the signal:
//
//   this thread   postMessage({number, ask}) ... Atomics.wait(signal) ... receiveMessageOnPort
//   other thread  postMessage(Answer), Atomics.add(signal), Atomics.notify(signal)

import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { ErrorCodeName } from "../base/error-codes.js";
import { SvcError } from "../base/errors.js";
import { AccessError, DataError, InternalError, OperationTimeout } from "../graph/model/errors.js";

/** A sleeper looks for itself this often. */
const SLEEP_MS = 100;

export interface Asked<A> {
  readonly number: number;
  readonly ask: A;
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: Failure };

/** An error, as it crosses threads. */
interface Failure {
  readonly name: string;
  readonly message: string;
  /** Of an `SvcError`. */
  readonly code: ErrorCodeName | null;
}

const CLASSES = { AccessError, DataError, OperationTimeout };

export class SyncPort<A> {
  readonly #port: MessagePort;
  readonly #signal: Int32Array;
  #last = 0;

  constructor(port: MessagePort, signal: Int32Array) {
    this.#port = port;
    this.#signal = signal;
  }

  /**
   * @param giveUpAt by `performance.now()`
   * @throws OperationTimeout; what the other side throws
   */
  ask(ask: A, giveUpAt: number): unknown {
    const number = ++this.#last;
    this.#port.postMessage({ number, ask } satisfies Asked<A>);
    for (;;) {
      const seen = Atomics.load(this.#signal, 0);
      const answer = this.#receive(number);
      if (answer !== null) return answeredValue(answer);
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) throw new OperationTimeout("the thread that keeps graphs does not answer");
      Atomics.wait(this.#signal, 0, seen, Math.min(leftMs, SLEEP_MS));
    }
  }

  /** Drops answers that came too late for who had asked. */
  #receive(number: number): Answer | null {
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return null;
      const answer = received.message as Answer;
      if (answer.number === number) return answer;
    }
  }
}

/** @throws what the other side threw */
export function answeredValue(answer: Answer): unknown {
  if ("value" in answer) return answer.value;
  const { name, message, code } = answer.failure;
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : undefined;
  if (known !== undefined) throw new known(message);
  throw code === null ? new InternalError(`${name}: ${message}`) : new SvcError(code, message);
}

/** Does what was asked; whatever happens becomes an answer. */
export function answerOf(number: number, act: () => unknown): Answer {
  try {
    return { number, value: act() };
  } catch (error) {
    return failureOf(number, error);
  }
}

/** The same for what may take its time. */
export async function answerLater(number: number, act: () => unknown): Promise<Answer> {
  try {
    return { number, value: await act() };
  } catch (error) {
    return failureOf(number, error);
  }
}

function failureOf(number: number, error: unknown): Answer {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return {
    number,
    failure: { name, message, code: error instanceof SvcError ? error.code : null },
  };
}

/** Wakes who waits for an answer that was just posted. */
export function raise(signal: Int32Array): void {
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}
