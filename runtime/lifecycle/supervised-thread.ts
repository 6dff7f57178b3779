// Supervisor of a singleton thread, in the main thread: the interconnect thread, which owns graphs,
// a thread that runs built-in plugins which query them, or the thread of algorithms. The thread
// starts with the first call, so that a server can listen earlier. A dead thread is replaced, and
// its pending calls are repeated.

import {
  MessageChannel,
  type MessagePort,
  type Transferable,
  type Worker,
} from "node:worker_threads";
import { Backoff } from "../base/backoff.js";
import { log } from "../base/log.js";
import { logEvent } from "../base/recent-events.js";
import { RpcClient, SyncRpcClient } from "../base/wire/rpc-client.js";
import { executeCall, type RpcReply, type RpcRequest } from "../base/wire/rpc-messages.js";
import type { GraphCommand } from "../graph/manager/graph-source.js";
import { DataError, SERIALIZABLE_GRAPH_ERRORS } from "../graph/model/errors.js";
import { startThread, type Thread } from "./start-thread.js";

/** Calls pending at that many deaths are rejected as their likely cause. */
const MAX_DEATHS = 2;
/** Restart delays of consecutive early deaths. */
const RESTART_BACKOFF = { minMs: 2, maxMs: 1_000 };
const STABLE_AFTER_MS = 5_000;

/** Start data of such a thread, besides its own. */
export interface SupervisedThreadData {
  /** Its number in graphs. */
  readonly thread: number;
  /** Port of calls that one of both threads awaits blocked; others use the worker's own port. */
  readonly port: MessagePort;
  /** Raised after each reply on `port`. */
  readonly signal: Int32Array;
}

export interface ThreadKind<D> {
  readonly entry: Thread;
  /** Name in the server log. */
  readonly title: string;
  /** Returns its number in graphs after that many deaths. */
  number(deaths: number): number;
  readonly data: D;
  /** Starts the worker (default: `startThread`). */
  readonly start?: typeof startThread;
}

export interface ThreadEvents<N> {
  /** @param thread its number in graphs; its successor has another */
  onDeath(thread: number): void;
  /** Called when it is running, before the first call. */
  onStart(isFirst: boolean): void;
  /**
   * Executes a call of the thread, which awaits the reply; such a thread gets no blocking calls.
   */
  execute?(command: GraphCommand): Promise<unknown>;
  /** Receives notifications of the thread. */
  notified?(notice: N): void;
}

/** An unsolicited message of a thread. */
interface Notification {
  readonly notice: string;
}

interface Running<A> {
  readonly worker: Worker;
  readonly sync: SyncRpcClient<A>;
}

export class SupervisedThread<A, D extends object = object, N extends Notification = never> {
  readonly #kind: ThreadKind<D>;
  readonly #events: ThreadEvents<N>;
  readonly #rpc = new RpcClient<A>(SERIALIZABLE_GRAPH_ERRORS.revive);
  #running: Running<A> | null = null;
  #startedAtMs = 0;
  #deaths = 0;
  readonly #backoff = new Backoff(RESTART_BACKOFF);
  #closed = false;

  constructor(kind: ThreadKind<D>, events: ThreadEvents<N>) {
    this.#kind = kind;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Number in graphs of the running thread, or of the next one. */
  get threadNumber(): number {
    return this.#kind.number(this.#deaths);
  }

  call(command: A): Promise<unknown> {
    const { worker } = this.#thread();
    // Keeps the process alive until the reply.
    worker.ref();
    return this.#rpc.call(worker, command);
  }

  /** Sends a one-way call. */
  send(command: A, transfer: readonly Transferable[] = []): void {
    this.#rpc.send(this.#thread().worker, command, transfer);
  }

  /** Like `call`, but blocks the main thread. */
  callSync(command: A, giveUpAt: number): unknown {
    return this.#thread().sync.call(command, giveUpAt);
  }

  /** Terminates the thread, which is then replaced. */
  terminate(reason: string): void {
    logEvent("thread", `${this.#kind.title} replaced: ${reason}`, "warn");
    void this.#running?.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.worker.terminate();
  }

  /** Returns the thread, starting it if necessary. */
  #thread(): Running<A> {
    if (this.#running !== null) return this.#running;
    const started = this.#start();
    this.#running = started;
    this.#events.onStart(this.#deaths === 0);
    this.#repeatPending(started.worker);
    return started;
  }

  #start(): Running<A> {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const common: SupervisedThreadData = { thread: this.threadNumber, port: port2, signal };
    const { entry, data, start = startThread } = this.#kind;
    const worker = start(entry, {
      workerData: { ...data, ...common },
      transferList: [port2],
      name: `svc-${entry}`,
    });
    this.#startedAtMs = performance.now();
    // Alone it does not keep the process alive.
    worker.unref();
    if (this.#events.execute !== undefined) this.#serveCalls(port1, signal);
    port1.unref();
    let reason = "exited by itself";
    worker.on("message", (message: RpcReply | N) => {
      if ("notice" in message) this.#events.notified?.(message);
      else this.#onReply(message);
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

  #serveCalls(port: MessagePort, signal: Int32Array): void {
    port.on("message", (request: RpcRequest<GraphCommand>) => {
      void executeCall(port, request, (command) => this.#events.execute!(command), signal);
    });
  }

  #onReply(reply: RpcReply): void {
    const error = this.#rpc.settle(reply);
    // During `close` the caller awaits the exit.
    if (!this.#rpc.hasPending && !this.#closed) this.#running?.worker.unref();
    if (error !== null) log(`${this.#kind.title}: ${error.message}`, "error");
  }

  #onDeath(reason: string): void {
    logEvent("thread", `${this.#kind.title} died: ${reason}`, "error");
    this.#running = null;
    const dead = this.threadNumber;
    this.#deaths++;
    const wasStable = performance.now() - this.#startedAtMs > STABLE_AFTER_MS;
    if (wasStable) this.#backoff.reset();
    else this.#backoff.fail();
    this.#events.onDeath(dead);
    this.#restart();
  }

  #restart(): void {
    setTimeout(() => {
      if (this.#closed) return;
      try {
        this.#thread();
      } catch (error) {
        log(`${this.#kind.title} failed to start: ${(error as Error).message}`, "error");
        this.#backoff.fail();
        this.#restart();
      }
    }, this.#backoff.delayMs);
  }

  #repeatPending(worker: Worker): void {
    this.#rpc.resendPending(worker, MAX_DEATHS, () => {
      return new DataError(`${this.#kind.title} died`);
    });
    if (this.#rpc.hasPending) worker.ref();
  }
}
