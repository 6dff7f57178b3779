// The main thread's end of the IO thread: asks with promises, notices with a callback.

import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { isErrorCode } from "../base/error-codes.js";
import { SvcError } from "../base/errors.js";
import { STOP_GRACE_MS } from "../base/limits.js";
import type { UnloadableGraph } from "../builtin/server-view.js";
import type {
  Ask,
  ExecutorPort,
  IoThreadData,
  Listening,
  Notice,
  NumberedAsk,
  Reply,
} from "../engine/io-control.js";
import type { SharedGraph } from "../graph/keeper/graph-source.js";
import { prepareUws } from "../http/uws/environment.js";
import type { PluginList, PluginTable } from "../plugin/contract/plugin-table.js";
import { startThread } from "./thread-entry.js";

export class IoThread {
  readonly #drainMs: number;
  readonly #worker: Worker;
  readonly #asked = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  #asks = 0;
  #closing = false;

  /**
   * @param onNotice what the IO thread tells by itself
   * @param onDeath called when the thread ends without having been closed
   */
  constructor(
    data: IoThreadData,
    onNotice: (notice: Notice) => void,
    onDeath: (error: Error) => void,
  ) {
    this.#drainMs = data.settings.drain * 1000;
    prepareUws();
    this.#worker = startThread("io", { workerData: data, name: "svc-io" });
    this.#worker.on("message", (message: Reply | Notice) => {
      if ("notice" in message) onNotice(message);
      else this.#onReply(message);
    });
    let failure = new Error("the IO thread ended");
    this.#worker.on("error", (error) => {
      failure = error;
    });
    this.#worker.on("exit", () => {
      if (this.#closing) return;
      for (const { reject } of this.#asked.values()) reject(failure);
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
  setExecutors(executors: readonly ExecutorPort[], table: PluginTable): Promise<void> {
    return this.#ask(
      { op: "executors", executors, table },
      executors.map(({ port }) => port),
    );
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

  #ask<T>(ask: Ask, transfer: readonly ExecutorPort["port"][] = []): Promise<T> {
    return new Promise((resolve, reject) => {
      const number = this.#asks++;
      this.#asked.set(number, { resolve, reject });
      this.#worker.postMessage({ number, ask } satisfies NumberedAsk, transfer);
    });
  }

  #onReply(reply: Reply): void {
    const asked = this.#asked.get(reply.reply);
    this.#asked.delete(reply.reply);
    if ("value" in reply) asked?.resolve(reply.value as never);
    else asked?.reject(revive(reply.failure));
  }
}

function revive({ code, message }: { code: string; message: string }): Error {
  return isErrorCode(code) ? new SvcError(code, message) : new Error(message);
}
