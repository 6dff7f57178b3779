// Supervises algorithms over whole graphs: running ones, their callers and their progress. One
// worker thread, started on demand, runs all of them in turns, so that requests are not delayed. If
// it dies, its successor restarts them once.

import type { MessagePort } from "node:worker_threads";
import type {
  AlgorithmOutcome,
  AlgorithmReport,
  RunningAlgorithm,
} from "../base/algorithm-report.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import type { BackgroundCall, BackgroundRunner } from "../graph/api/algorithm-entry-points.js";
import type { StepOptions } from "../graph/api/entry-points.js";
import type { AlgorithmCommand, AlgorithmProgress } from "../graph/manager/algorithm-messages.js";
import type { GraphCommand } from "../graph/manager/graph-source.js";
import { algorithmThread } from "../graph/manager/thread-numbers.js";
import { KeyError } from "../graph/model/errors.js";
import { startThread } from "./start-thread.js";
import { SupervisedThread } from "./supervised-thread.js";
import type { AlgorithmThreadData } from "./thread-commands.js";

export interface AlgorithmEvents {
  /** @param thread number of the dead thread in graphs */
  onDeath(thread: number): void;
  /** Executes a call of the thread. */
  execute(command: GraphCommand): Promise<unknown>;
  onChange(report: AlgorithmReport): void;
}

interface Running extends RunningAlgorithm {
  progress: number;
  isCancelled: boolean;
  readonly onProgress: StepOptions["onProgress"];
}

export class AlgorithmSupervisor implements BackgroundRunner {
  readonly #events: AlgorithmEvents;
  readonly #thread: SupervisedThread<AlgorithmCommand, AlgorithmThreadData, AlgorithmProgress>;
  readonly #running = new Map<number, Running>();
  readonly #counts: Record<AlgorithmOutcome, number> = { completed: 0, failed: 0, cancelled: 0 };
  #restarts = 0;
  #lastId = 0;

  /** @param start starts the worker */
  constructor({ clock }: AlgorithmThreadData, events: AlgorithmEvents, start = startThread) {
    this.#events = events;
    this.#thread = new SupervisedThread(
      {
        entry: "algorithms",
        title: "algorithm thread",
        number: algorithmThread,
        data: { clock },
        start,
      },
      {
        onDeath: (thread) => {
          this.#restarts++;
          events.onDeath(thread);
          this.#changed();
        },
        onStart: () => undefined,
        execute: (command) => events.execute(command),
        notified: (notice) => this.#onProgress(notice),
      },
    );
  }

  /** Number by which graphs identify the thread. */
  get threadNumber(): number {
    return this.#thread.threadNumber;
  }

  report(): AlgorithmReport {
    const running = [...this.#running.values()].map(
      ({ id, algorithm, graph, sinceMs, progress }) => {
        return { id, algorithm, graph, sinceMs, progress };
      },
    );
    return { running, counts: { ...this.#counts }, restarts: this.#restarts };
  }

  async run(call: BackgroundCall, { onProgress, signal }: StepOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const { algorithm, graph } = call;
    const state = { id, algorithm, graph, sinceMs: Date.now(), progress: 0, isCancelled: false };
    const running: Running = { ...state, onProgress };
    this.#running.set(id, running);
    this.#changed();
    const cancel = (): void => this.#cancel(running, "");
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const result = await this.#thread.call({ op: "run", id, call });
      this.#counts.completed++;
      return result;
    } catch (error) {
      this.#counts[running.isCancelled ? "cancelled" : "failed"]++;
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#running.delete(id);
      this.#changed();
    }
  }

  /**
   * Cancels an algorithm for an operator; the call fails with a SearchError.
   * @throws KeyError unless it runs
   */
  cancel(id: number): RunningAlgorithm {
    const running = this.#running.get(id);
    if (running === undefined) throw new KeyError(`no algorithm with the id ${id} runs`);
    this.#cancel(running, `${running.algorithm} was cancelled by an operator`);
    return running;
  }

  /** Runs the algorithms of another thread, until its end of the port closes. */
  serve(port: MessagePort): void {
    const controllers = new Map<number, AbortController>();
    port.on("message", (request: RpcRequest<AlgorithmCommand>) => {
      const { command } = request;
      if (command.op === "cancel") controllers.get(command.id)?.abort();
      else void executeCall(port, request, () => this.#runFor(port, controllers, command));
    });
    port.on("close", () => {
      for (const controller of controllers.values()) controller.abort();
    });
    port.unref();
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #runFor(
    port: MessagePort,
    controllers: Map<number, AbortController>,
    { id, call }: AlgorithmCommand & { readonly op: "run" },
  ): Promise<unknown> {
    const controller = new AbortController();
    controllers.set(id, controller);
    const onProgress = (share: number): void =>
      port.postMessage({ notice: "progress", id, share } satisfies AlgorithmProgress);
    try {
      return await this.run(call, { onProgress, signal: controller.signal });
    } finally {
      controllers.delete(id);
    }
  }

  #cancel(running: Running, reason: string): void {
    if (running.isCancelled) return;
    running.isCancelled = true;
    this.#thread.send({ op: "cancel", id: running.id, reason });
  }

  #onProgress({ id, share }: AlgorithmProgress): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.progress = share;
    running.onProgress?.(share);
    this.#changed();
  }

  #changed(): void {
    this.#events.onChange(this.report());
  }
}
