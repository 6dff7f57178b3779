// Client of the algorithm thread in an executor. Messages pass through the main thread.

import type { MessagePort } from "node:worker_threads";
import { RpcClient } from "../../base/wire/rpc-client.js";
import type { RpcReply } from "../../base/wire/rpc-messages.js";
import { SERIALIZABLE_GRAPH_ERRORS } from "../model/errors.js";
import type { BackgroundCall, BackgroundRunner } from "../query/calls/background-runner.js";
import type { StepOptions } from "../query/walk/steps.js";
import type { AlgorithmCommand, AlgorithmProgress } from "./algorithm-messages.js";

export class RemoteAlgorithms implements BackgroundRunner {
  readonly #port: MessagePort;
  readonly #rpc = new RpcClient<AlgorithmCommand>(SERIALIZABLE_GRAPH_ERRORS.revive);
  readonly #progress = new Map<number, StepOptions["onProgress"]>();
  #lastId = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (message: RpcReply | AlgorithmProgress) => {
      if ("notice" in message) this.#progress.get(message.id)?.(message.share);
      else this.#rpc.settle(message);
    });
    // An idle port must not keep the thread alive.
    port.unref();
  }

  async run(call: BackgroundCall, { onProgress, signal }: StepOptions): Promise<unknown> {
    const id = ++this.#lastId;
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    const cancel = (): void => this.#rpc.send(this.#port, { op: "cancel", id, reason: "" });
    signal?.addEventListener("abort", cancel, { once: true });
    this.#port.ref();
    try {
      return await this.#rpc.call(this.#port, { op: "run", id, call });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      this.#progress.delete(id);
      signal?.removeEventListener("abort", cancel);
      if (!this.#rpc.hasPending) this.#port.unref();
    }
  }
}
