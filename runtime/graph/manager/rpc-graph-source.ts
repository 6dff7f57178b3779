// Graph source that forwards each call synchronously to another thread.

import type { MessagePort } from "node:worker_threads";
import { SyncRpcClient } from "../../base/wire/rpc-client.js";
import { SERIALIZABLE_GRAPH_ERRORS } from "../model/errors.js";
import type {
  GraphCommand,
  GraphRequest,
  GraphSource,
  RepairAction,
  SharedGraph,
} from "./graph-source.js";

export class RpcGraphSource implements GraphSource {
  readonly #port: SyncRpcClient<GraphCommand>;

  /** @param signal incremented by the other side after each response */
  constructor(port: MessagePort, signal: Int32Array) {
    this.#port = new SyncRpcClient(port, signal, SERIALIZABLE_GRAPH_ERRORS);
  }

  open(request: GraphRequest, giveUpAt: number): SharedGraph {
    return this.#port.call({ op: "open", request }, giveUpAt) as SharedGraph;
  }

  find(name: string): SharedGraph | null {
    return this.#port.call({ op: "find", name }, Number.POSITIVE_INFINITY) as SharedGraph | null;
  }

  names(): readonly string[] {
    return this.#port.call({ op: "names" }, Number.POSITIVE_INFINITY) as readonly string[];
  }

  remove(name: string, isErased: boolean): boolean {
    const command: GraphCommand = { op: "remove", name, isErased };
    return this.#port.call(command, Number.POSITIVE_INFINITY) as boolean;
  }

  sync(repair: RepairAction, timeoutMs: number): boolean {
    const command: GraphCommand = { op: "sync", sync: { repair, timeoutMs } };
    return this.#port.call(command, Number.POSITIVE_INFINITY) as boolean;
  }
}
