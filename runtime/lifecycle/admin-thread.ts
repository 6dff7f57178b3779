// The main thread's end of the admin thread, which keeps graphs and runs built-in plugins that
// query them. It starts when it is first asked: nothing that a server needs before it listens waits
// for it. One that dies is replaced; what it had not answered is asked of the next.

import { MessageChannel, type Transferable, type Worker } from "node:worker_threads";
import { log } from "../base/log.js";
import type { KeeperSettings } from "../graph/keeper/graph-keeper.js";
import { keeperThread } from "../graph/keeper/thread-numbers.js";
import { DataError } from "../graph/model/errors.js";
import { type Answer, answeredValue, SyncPort } from "../wire/sync-port.js";
import type { AdminAsk, AdminThreadData } from "./admin-control.js";
import { startThread } from "./thread-entry.js";

/** Asks that were there at so many deaths are likely to bring them about. */
const MAX_DEATHS = 2;
/** Deaths in a row are followed later and later. */
const MAX_RESTART_DELAY_MS = 1_000;
const LONG_LIFE_MS = 5_000;

interface Waiting {
  readonly ask: AdminAsk;
  resolve(value: unknown): void;
  reject(error: Error): void;
  deaths: number;
}

export interface AdminThreadEvents {
  /** @param thread number by which it was known in graphs; the next one has another */
  died(thread: number): void;
  replaced(): void;
}

interface Running {
  readonly worker: Worker;
  readonly sync: SyncPort<AdminAsk>;
}

export class AdminThread {
  readonly #settings: KeeperSettings;
  readonly #events: AdminThreadEvents;
  readonly #waiting = new Map<number, Waiting>();
  #running: Running | null = null;
  #asks = 0;
  #startedAtMs = 0;
  #deaths = 0;
  #deathsInARow = 0;
  #closed = false;

  constructor(settings: KeeperSettings, events: AdminThreadEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Number by which the thread that runs, or the next one, is known in graphs. */
  get threadNumber(): number {
    return keeperThread(this.#deaths);
  }

  ask(ask: AdminAsk): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { worker } = this.#thread();
      const number = this.#asks++;
      this.#waiting.set(number, { ask, resolve, reject, deaths: 0 });
      worker.postMessage({ number, ask });
      // Who waits for an answer wants the process to live until it comes.
      worker.ref();
    });
  }

  /** Asks what need not be answered, and is asked anew of the next thread if this one dies. */
  tell(ask: AdminAsk, transfer: readonly Transferable[] = []): void {
    this.#thread().worker.postMessage({ number: this.#asks++, ask }, transfer);
  }

  /** The same as `ask`, without letting the main thread go on. */
  askNow(ask: AdminAsk, giveUpAt: number): unknown {
    return this.#thread().sync.ask(ask, giveUpAt);
  }

  /** Ends what the thread is doing; it is replaced. */
  terminate(reason: string): void {
    log(`the admin executor is replaced: ${reason}`);
    void this.#running?.worker.terminate();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running?.worker.terminate();
  }

  /** The thread, which is started if there is none. */
  #thread(): Running {
    if (this.#running !== null) return this.#running;
    const started = this.#start();
    this.#running = started;
    if (this.#deaths > 0) {
      this.#events.replaced();
      this.#askAgain(started.worker);
    }
    return started;
  }

  #start(): Running {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const data: AdminThreadData = {
      thread: this.threadNumber,
      settings: this.#settings,
      port: port2,
      signal,
    };
    const worker = startThread("admin", {
      workerData: data,
      transferList: [port2],
      name: "svc-admin",
    });
    this.#startedAtMs = performance.now();
    // By itself it is no reason for the process to go on.
    worker.unref();
    port1.unref();
    let reason = "it ended by itself";
    worker.on("message", (answer: Answer) => this.#onAnswer(answer));
    worker.on("error", (error) => {
      reason = `${error.name}: ${error.message}`;
    });
    worker.on("exit", () => {
      port1.close();
      if (!this.#closed) this.#onDeath(reason);
    });
    return { worker, sync: new SyncPort(port1, signal) };
  }

  #onAnswer(answer: Answer): void {
    const waiting = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    if (this.#waiting.size === 0) this.#running?.worker.unref();
    try {
      const value = answeredValue(answer);
      waiting?.resolve(value);
    } catch (error) {
      if (waiting === undefined) log(`the admin executor: ${(error as Error).message}`);
      else waiting.reject(error as Error);
    }
  }

  #onDeath(reason: string): void {
    log(`the admin executor died: ${reason}`);
    this.#running = null;
    const dead = this.threadNumber;
    this.#deaths++;
    const livedLong = performance.now() - this.#startedAtMs > LONG_LIFE_MS;
    this.#deathsInARow = livedLong ? 0 : this.#deathsInARow + 1;
    this.#events.died(dead);
    const delayMs = Math.min(2 ** this.#deathsInARow - 1, MAX_RESTART_DELAY_MS);
    setTimeout(() => {
      if (!this.#closed) this.#thread();
    }, delayMs);
  }

  #askAgain(worker: Worker): void {
    for (const [number, waiting] of this.#waiting) {
      if (++waiting.deaths < MAX_DEATHS) {
        worker.postMessage({ number, ask: waiting.ask });
        worker.ref();
        continue;
      }
      this.#waiting.delete(number);
      waiting.reject(new DataError("the thread that keeps graphs died"));
    }
  }
}
