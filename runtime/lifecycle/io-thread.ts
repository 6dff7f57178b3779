// The main thread's side of the IO thread: commands with promises, notifications with a callback.

import { setTimeout as sleep } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import type { AlgorithmReport } from "../base/algorithm-report.js";
import { STOP_GRACE_MS } from "../base/limits.js";
import { RpcClient } from "../base/wire/rpc-client.js";
import type { RpcReply } from "../base/wire/rpc-messages.js";
import type { NodeState, UnloadableGraph } from "../builtin/server-view.js";
import type { RequestHold } from "../dispatch/held-requests.js";
import type { BuiltinExecutor } from "../engine/builtin-scheduler.js";
import type {
  ControlOutcome,
  ControlRequest,
  ExecutorPort,
  IoNotification,
  IoThreadData,
  Listening,
} from "../engine/io-control.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { PluginList, PluginTable } from "../plugin/contract/plugin-table.js";
import { type IoThreadHandle, type StartIo, startIoWorker } from "./io-worker.js";

export class IoThread {
  readonly #drainMs: number;
  readonly #worker: IoThreadHandle;
  readonly #rpc = new RpcClient<ControlRequest>();
  #closing = false;

  /**
   * @param onNotice receives the notifications of the IO thread
   * @param onDeath called when the thread exits without having been closed
   */
  constructor(
    data: IoThreadData,
    onNotice: (notice: IoNotification) => void,
    onDeath: (error: Error) => void,
    start: StartIo = startIoWorker,
  ) {
    this.#drainMs = data.settings.drainSeconds * 1000;
    this.#worker = start(data);
    this.#worker.on("message", (value) => {
      const message = value as RpcReply | IoNotification;
      if ("notice" in message) onNotice(message);
      else this.#rpc.settle(message);
    });
    let failure = new Error("exited, or lost its connection to the main thread");
    this.#worker.on("error", (error) => {
      failure = error as Error;
    });
    this.#worker.on("exit", () => {
      if (this.#closing) return;
      this.#rpc.rejectAll(failure);
      onDeath(failure);
    });
  }

  /** Binds both ports. @throws SvcError if a port cannot be bound */
  listen(): Promise<Listening> {
    return this.#call({ op: "listen" });
  }

  /** Changes the service name shown by the status services. */
  rename(name: string): Promise<void> {
    return this.#call({ op: "rename", name });
  }

  /** Replaces the user plugins; the executors already know them. */
  setPlugins(list: PluginList): Promise<void> {
    return this.#call({ op: "plugins", list });
  }

  /** Changes the argspec hash that clients see. */
  setArgspec(hash: string): Promise<void> {
    return this.#call({ op: "argspec", hash });
  }

  /** Replaces all executors together with their plugins. */
  setExecutors(
    executors: readonly ExecutorPort[],
    table: PluginTable,
    inlineDir: string | null,
  ): Promise<void> {
    return this.#call(
      { op: "executors", executors, table, inlineDir },
      executors.map(({ port }) => port),
    );
  }

  /** Calls the server's own plugins for warm-up, without metrics or logging. */
  warmUp(targets: readonly string[], withinMs: number): Promise<void> {
    return this.#call({ op: "warmUp", targets, withinMs });
  }

  /** Resolves with the number of requests the executor was running. */
  executorDied(id: number): Promise<number> {
    return this.#call({ op: "executorDied", id });
  }

  replaceExecutor(died: number, executor: ExecutorPort): Promise<void> {
    return this.#call({ op: "replaceExecutor", died, executor }, [executor.port]);
  }

  /** Connects an executor of built-in plugins, replacing a former one. */
  setAdmin(executor: BuiltinExecutor, port: MessagePort): Promise<void> {
    return this.#call({ op: "admin", executor, port }, [port]);
  }

  adminDied(executor: BuiltinExecutor): Promise<void> {
    return this.#call({ op: "adminDied", executor });
  }

  /** Announces a graph to the status services. */
  addGraph(graph: SharedGraph): Promise<void> {
    return this.#call({ op: "graph", graph });
  }

  /** Publishes the graphs that failed to open. */
  setUnloadable(graphs: readonly UnloadableGraph[]): Promise<void> {
    return this.#call({ op: "unloadable", graphs });
  }

  /** Publishes the running algorithms. */
  setAlgorithms(report: AlgorithmReport): Promise<void> {
    return this.#call({ op: "algorithms", report });
  }

  /** Sends a client the outcome of its operation. */
  controlled(number: number, outcome: ControlOutcome): Promise<void> {
    return this.#call({ op: "controlled", number, outcome });
  }

  /** Runs a job now. @throws Error if it is unknown or runs */
  runJob(name: string): Promise<void> {
    return this.#call({ op: "runJob", name });
  }

  setNode(node: NodeState): Promise<void> {
    return this.#call({ op: "node", node });
  }

  /** @throws SvcError SVC2800 if too few partitions would be alive */
  setMatrix(dispatcher: object): Promise<void> {
    return this.#call({ op: "matrix", dispatcher });
  }

  /** Lets requests for back-ends wait; returns the number that is still running. */
  async hold(hold: RequestHold): Promise<number> {
    return Number(await this.#call<unknown>({ op: "hold", hold }));
  }

  /** Sends the requests that wait. */
  release(): Promise<void> {
    return this.#call({ op: "release" });
  }

  /** Refuses new requests, drains running ones up to the timeout, then closes both ports. */
  async stop(timeoutMs: number): Promise<void> {
    const limitMs = this.#drainMs + timeoutMs + STOP_GRACE_MS;
    const timeout = sleep(limitMs, undefined, { ref: false });
    await Promise.race([this.#call({ op: "stop", timeoutMs }), timeout]);
    this.#closing = true;
    await this.#worker.terminate();
  }

  /** Closes both ports and terminates the thread at once. */
  async kill(): Promise<void> {
    const timeout = sleep(STOP_GRACE_MS, undefined, { ref: false });
    // Open sockets of `uws` would abort the process.
    await Promise.race([this.#call({ op: "close" }).catch(() => {}), timeout]);
    this.#closing = true;
    await this.#worker.terminate();
  }

  #call<T>(command: ControlRequest, transfer: readonly ExecutorPort["port"][] = []): Promise<T> {
    return this.#rpc.call(this.#worker, command, transfer);
  }
}
