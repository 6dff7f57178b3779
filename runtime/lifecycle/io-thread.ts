// The main thread's end of the IO thread: asks with promises, notices with a callback.

import { setTimeout as sleep } from "node:timers/promises";
import { MessageChannel, type Transferable } from "node:worker_threads";
import { STOP_GRACE_MS } from "../base/limits.js";
import type { NodeState, UnloadableGraph } from "../builtin/server-view.js";
import type {
  ControlledServer,
  ControlOutcome,
  ControlRequest,
  ExecutorPort,
  IoNotification,
  IoThreadData,
  Listening,
} from "../engine/io-control.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import { prepareUws } from "../http/uws/environment.js";
import type { PluginList, PluginTable } from "../plugin/contract/plugin-table.js";
import { RpcClient } from "../wire/rpc-client.js";
import type { RpcReply } from "../wire/rpc-messages.js";
import { exitWhenOrphaned, startThread } from "./start-thread.js";

/** What is needed of the thread that has the sockets. */
export interface IoThreadHandle {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: "message" | "error" | "exit", listener: (value: unknown) => void): unknown;
  terminate(): Promise<unknown>;
}

export type StartIo = (data: IoThreadData) => IoThreadHandle;

export class IoThread {
  readonly #drainMs: number;
  readonly #worker: IoThreadHandle;
  readonly #asker = new RpcClient<ControlRequest>();
  #closing = false;

  /**
   * @param onNotice what the IO thread tells by itself
   * @param onDeath called when the thread ends without having been closed
   */
  constructor(
    data: IoThreadData,
    onNotice: (notice: IoNotification) => void,
    onDeath: (error: Error) => void,
    start: StartIo = startWorker,
  ) {
    this.#drainMs = data.settings.drain * 1000;
    this.#worker = start(data);
    this.#worker.on("message", (value) => {
      const message = value as RpcReply | IoNotification;
      if ("notice" in message) onNotice(message);
      else this.#asker.settle(message);
    });
    let failure = new Error("it ended, or lost its connection to the main thread");
    this.#worker.on("error", (error) => {
      failure = error as Error;
    });
    this.#worker.on("exit", () => {
      if (this.#closing) return;
      this.#asker.rejectAll(failure);
      onDeath(failure);
    });
  }

  /** Binds both ports. Rejects with an SvcError when one of them cannot be had. */
  listen(): Promise<Listening> {
    return this.#ask({ op: "listen" });
  }

  /** Changes the service name that the status services show. */
  rename(name: string): Promise<void> {
    return this.#ask({ op: "rename", name });
  }

  /** Replaces the user plugins that the executors already know. */
  setPlugins(list: PluginList): Promise<void> {
    return this.#ask({ op: "plugins", list });
  }

  /** Changes what clients are told that ask which argspec is served. */
  setArgspec(hash: string): Promise<void> {
    return this.#ask({ op: "argspec", hash });
  }

  /** Replaces all executors together with the plugins they run. */
  setExecutors(
    executors: readonly ExecutorPort[],
    table: PluginTable,
    inlineDir: string | null,
  ): Promise<void> {
    return this.#ask(
      { op: "executors", executors, table, inlineDir },
      executors.map(({ port }) => port),
    );
  }

  /** Calls its own plugins for a while; nothing of it is counted or logged. */
  warmUp(targets: readonly string[], withinMs: number): Promise<void> {
    return this.#ask({ op: "warmUp", targets, withinMs });
  }

  /** Resolves with the number of requests that the executor was running. */
  executorDied(id: number): Promise<number> {
    return this.#ask({ op: "executorDied", id });
  }

  replaceExecutor(died: number, executor: ExecutorPort): Promise<void> {
    return this.#ask({ op: "replaceExecutor", died, executor }, [executor.port]);
  }

  /** Lets the admin executor take requests, in place of a former one. */
  setAdmin(executor: ExecutorPort): Promise<void> {
    return this.#ask({ op: "admin", executor }, [executor.port]);
  }

  adminDied(): Promise<void> {
    return this.#ask({ op: "adminDied" });
  }

  /** Makes a graph known to the status services. */
  addGraph(graph: SharedGraph): Promise<void> {
    return this.#ask({ op: "graph", graph });
  }

  /** Makes all graphs that could not be opened known to whoever watches. */
  setUnloadable(graphs: readonly UnloadableGraph[]): Promise<void> {
    return this.#ask({ op: "unloadable", graphs });
  }

  /** Tells a client what became of what it has asked for. */
  controlled(number: number, outcome: ControlOutcome): Promise<void> {
    return this.#ask({ op: "controlled", number, outcome });
  }

  setNode(node: NodeState): Promise<void> {
    return this.#ask({ op: "node", node });
  }

  /** @throws SvcError SVC2800 where requests would have nowhere to go */
  setMatrix(dispatcher: object): Promise<void> {
    return this.#ask({ op: "matrix", dispatcher });
  }

  /** Turns newcomers away, waits for what runs up to the bound, then closes both ports. */
  async stop(timeoutMs: number): Promise<void> {
    const boundMs = this.#drainMs + timeoutMs + STOP_GRACE_MS;
    const bound = sleep(boundMs, undefined, { ref: false });
    await Promise.race([this.#ask({ op: "stop", timeoutMs }), bound]);
    this.#closing = true;
    await this.#worker.terminate();
  }

  /** Ends the thread at once, with whatever it was doing. */
  async kill(): Promise<void> {
    this.#closing = true;
    await this.#worker.terminate();
  }

  #ask<T>(ask: ControlRequest, transfer: readonly ExecutorPort["port"][] = []): Promise<T> {
    return this.#asker.ask(this.#worker, ask, transfer);
  }
}

function startWorker(data: IoThreadData): IoThreadHandle {
  prepareUws();
  const { port1, port2 } = new MessageChannel();
  const worker = startThread("io", {
    workerData: { ...data, control: port2 } satisfies IoThreadData & ControlledServer,
    transferList: [port2],
    name: "svc-io",
  });
  exitWhenOrphaned(worker, port1);
  return {
    postMessage: (message, transfer = []) => port1.postMessage(message, transfer),
    on: (event, listener) =>
      event === "message" ? port1.on(event, listener) : worker.on(event, listener),
    terminate: () => worker.terminate(),
  };
}
