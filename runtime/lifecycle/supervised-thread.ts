// The main thread's end of a thread of which there is one: the interconnect thread, which keeps
// graphs, and the admin thread, which runs built-in plugins that query them. It starts when it is
// first asked: nothing that a server needs before it listens waits for it. One that dies is
// replaced; what it had not answered is asked of the next.

import {
  MessageChannel,
  type MessagePort,
  type Transferable,
  type Worker,
} from "node:worker_threads";
import { log } from "../base/log.js";
import type { GraphCommand } from "../graph/manager/graph-source.js";
import { DataError } from "../graph/model/errors.js";
import { SERIALIZABLE_GRAPH_ERRORS } from "../graph/model/serializable-errors.js";
import { RpcClient, SyncRpcClient } from "../wire/rpc-client.js";
import { answer, type RpcReply, type RpcRequest } from "../wire/rpc-messages.js";
import type { InterconnectNotification } from "./interconnect-control.js";
import { startThread, type Thread } from "./start-thread.js";

/** Asks that were there at so many deaths are likely to bring them about. */
const MAX_DEATHS = 2;
/** Deaths in a row are followed later and later. */
const MAX_RESTART_DELAY_MS = 1_000;
const LONG_LIFE_MS = 5_000;

/** What such a thread is started with, beside data of its own. */
export interface SupervisedThreadData {
  /** By which it is known in graphs. */
  readonly thread: number;
  /**
   * Asks that one of both threads waits for come here, and answers to them, all others by the
   * worker's own port.
   */
  readonly port: MessagePort;
  /** Raised after each answer on `port`. */
  readonly signal: Int32Array;
}

export interface ThreadKind<D> {
  readonly entry: Thread;
  /** As the log calls it. */
  readonly title: string;
  /** Number by which it is known in graphs, after so many deaths. */
  number(deaths: number): number;
  readonly data: D;
}

export interface ThreadEvents {
  /** @param thread number by which it was known in graphs; the next one has another */
  died(thread: number): void;
  /** It is there, and was asked nothing yet. */
  started(isFirst: boolean): void;
  /** Does what the thread asks for, which waits for the answer; such a one is never asked `now`. */
  asked?(ask: GraphCommand): Promise<unknown>;
  /** Hears what the thread tells by itself. */
  told?(notice: InterconnectNotification): void;
}

interface Running<A> {
  readonly worker: Worker;
  readonly sync: SyncRpcClient<A>;
}

export class SupervisedThread<A, D extends object = object> {
  readonly #kind: ThreadKind<D>;
  readonly #events: ThreadEvents;
  readonly #asker = new RpcClient<A>(SERIALIZABLE_GRAPH_ERRORS.revive);
  #running: Running<A> | null = null;
  #startedAtMs = 0;
  #deaths = 0;
  #deathsInARow = 0;
  #closed = false;

  constructor(kind: ThreadKind<D>, events: ThreadEvents) {
    this.#kind = kind;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Number by which the thread that runs, or the next one, is known in graphs. */
  get threadNumber(): number {
    return this.#kind.number(this.#deaths);
  }

  ask(ask: A): Promise<unknown> {
    const { worker } = this.#thread();
    // Who waits for an answer wants the process to live until it comes.
    worker.ref();
    return this.#asker.ask(worker, ask);
  }

  /** Asks what need not be answered, and is asked anew of the next thread if this one dies. */
  tell(ask: A, transfer: readonly Transferable[] = []): void {
    this.#asker.tell(this.#thread().worker, ask, transfer);
  }

  /** The same as `ask`, without letting the main thread go on. */
  askNow(ask: A, giveUpAt: number): unknown {
    return this.#thread().sync.ask(ask, giveUpAt);
  }

  /** Ends what the thread is doing; it is replaced. */
  terminate(reason: string): void {
    log(`the ${this.#kind.title} is replaced: ${reason}`, "warn");
    void this.#running?.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.worker.terminate();
  }

  /** The thread, which is started if there is none. */
  #thread(): Running<A> {
    if (this.#running !== null) return this.#running;
    const started = this.#start();
    this.#running = started;
    this.#events.started(this.#deaths === 0);
    this.#askAgain(started.worker);
    return started;
  }

  #start(): Running<A> {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const common: SupervisedThreadData = { thread: this.threadNumber, port: port2, signal };
    const { entry, data } = this.#kind;
    const worker = startThread(entry, {
      workerData: { ...data, ...common },
      transferList: [port2],
      name: `svc-${entry}`,
    });
    this.#startedAtMs = performance.now();
    // By itself it is no reason for the process to go on.
    worker.unref();
    if (this.#events.asked !== undefined) this.#answerAsks(port1, signal);
    port1.unref();
    let reason = "it ended by itself";
    worker.on("message", (message: RpcReply | InterconnectNotification) => {
      if ("notice" in message) this.#events.told?.(message);
      else this.#onAnswer(message);
    });
    worker.on("error", (error) => {
      reason = `${error.name}: ${error.message}`;
    });
    worker.on("exit", () => {
      port1.close();
      if (!this.#closed) this.#onDeath(reason);
    });
    return { worker, sync: new SyncRpcClient(port1, signal, SERIALIZABLE_GRAPH_ERRORS) };
  }

  #answerAsks(port: MessagePort, signal: Int32Array): void {
    port.on("message", (asked: RpcRequest<GraphCommand>) => {
      void answer(port, asked, (ask) => this.#events.asked!(ask), signal);
    });
  }

  #onAnswer(answer: RpcReply): void {
    const error = this.#asker.settle(answer);
    // Once it is being ended, whoever does so waits for that.
    if (!this.#asker.isWaiting && !this.#closed) this.#running?.worker.unref();
    if (error !== null) log(`the ${this.#kind.title}: ${error.message}`, "error");
  }

  #onDeath(reason: string): void {
    log(`the ${this.#kind.title} died: ${reason}`, "error");
    this.#running = null;
    const dead = this.threadNumber;
    this.#deaths++;
    const livedLong = performance.now() - this.#startedAtMs > LONG_LIFE_MS;
    this.#deathsInARow = livedLong ? 0 : this.#deathsInARow + 1;
    this.#events.died(dead);
    this.#restart();
  }

  #restart(): void {
    const delayMs = Math.min(2 ** this.#deathsInARow - 1, MAX_RESTART_DELAY_MS);
    setTimeout(() => {
      if (this.#closed) return;
      try {
        this.#thread();
      } catch (error) {
        log(`the ${this.#kind.title} cannot start: ${(error as Error).message}`, "error");
        this.#deathsInARow++;
        this.#restart();
      }
    }, delayMs);
  }

  #askAgain(worker: Worker): void {
    this.#asker.askAgain(worker, MAX_DEATHS, () => {
      return new DataError(`the ${this.#kind.title} died`);
    });
    if (this.#asker.isWaiting) worker.ref();
  }
}
