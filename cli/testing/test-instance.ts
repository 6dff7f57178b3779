// An instance in its own thread, controlled by a test: starts it, routes connections, injects
// faults, stops it.

import { MessageChannel, type MessagePort, Worker, type WorkerOptions } from "node:worker_threads";
import { SvcError } from "../../runtime/base/errors.js";
import { RpcClient } from "../../runtime/base/wire/rpc-client.js";
import type { RpcReply } from "../../runtime/base/wire/rpc-messages.js";
import { withClock } from "./clock-memory.js";
import { checkedFault, type Fault } from "./fault.js";
import { createInMemoryFetch } from "./in-memory-fetch.js";
import type { InstanceCommand, InstanceData } from "./instance-control.js";
import type { TestClock } from "./test-clock.js";
import type { Fetch } from "./test-settings.js";

const ENTRY = new URL("./threads/test-instance.js", import.meta.url);
const CLOCK = new URL("./threads/test-clock.js", import.meta.url);
/** Start timeout; plugins load sooner. */
const START_MS = 60_000;

export class TestInstance {
  readonly fetch: Fetch;
  readonly fetchAdmin: Fetch;
  readonly #data: InstanceData;
  readonly #clock: TestClock;
  readonly #client = new RpcClient<InstanceCommand>();
  readonly #connectPorts: MessagePort[] = [];
  #worker: Worker | null = null;

  constructor(data: InstanceData, clock: TestClock) {
    this.#data = data;
    this.#clock = clock;
    this.fetch = createInMemoryFetch(() => this.#connectPort(0));
    this.fetchAdmin = createInMemoryFetch(() => this.#connectPort(1));
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** @throws SvcError if the instance cannot start */
  async start(): Promise<void> {
    const { data } = this.#clock;
    const worker = withClock(data, () => {
      const transferList = this.#data.backEnds.map(([, connectPort]) => connectPort);
      return createWorker({ workerData: this.#data, transferList });
    });
    this.#worker = worker;
    let reason = "instance thread exited";
    worker.on("message", (reply: RpcReply) => this.#client.settle(reply));
    worker.on("error", (error) => {
      reason = (error as Error).message;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
      this.#client.rejectAll(new SvcError("SVC3301", `instance is gone: ${reason}`));
    });
    const late = setTimeout(() => {
      reason = `instance did not start within ${START_MS / 1000} s`;
      void worker.terminate();
    }, START_MS);
    await this.#call({ op: "start" }).finally(() => clearTimeout(late));
    for (const offset of [0, 1] as const) this.#connectPorts[offset] = await this.open(offset);
  }

  /** Opens a connect port for a client. */
  async open(offset: 0 | 1): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await this.#call({ op: "open", offset, connectPort: port2 }, [port2]);
    port1.unref();
    return port1;
  }

  /** Sets the connect port of a back-end. */
  async reach(port: number, connectPort: MessagePort): Promise<void> {
    await this.#call({ op: "reach", port, connectPort }, [connectPort]);
  }

  /** @throws SvcError SVC3300 for an unknown fault, SVC3301 if the instance is not running */
  async fault(fault: Fault | null): Promise<void> {
    await this.#call({ op: "fault", fault: fault === null ? null : checkedFault(fault) });
  }

  /** Terminates the instance immediately. */
  async kill(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  /** Stops after the running requests are answered. */
  async stop(): Promise<void> {
    try {
      if (this.#worker === null) return;
      await this.#call({ op: "fault", fault: null });
      await this.#call({ op: "stop" });
    } finally {
      await this.kill();
    }
  }

  #connectPort(offset: 0 | 1): MessagePort {
    if (this.#worker !== null) return this.#connectPorts[offset]!;
    throw new SvcError("SVC3301", "service is closed");
  }

  async #call(command: InstanceCommand, transfer: readonly MessagePort[] = []): Promise<unknown> {
    if (this.#worker === null) throw new SvcError("SVC3301", "instance is not running");
    return this.#client.call(this.#worker, command, transfer);
  }
}

/** Starts a thread with the clock of the test, and with the options of this process. */
function createWorker(options: WorkerOptions): Worker {
  const execArgv = [...process.execArgv, "--import", CLOCK.href];
  try {
    return new Worker(ENTRY, { ...options, execArgv });
  } catch (error) {
    // Such as V8's `--max-old-space-size`, which applies to all threads anyway.
    const refused = listRefusedOptions(error);
    const accepted = execArgv.filter((option) => !refused.includes(option));
    if (accepted.length === execArgv.length) throw error;
    return new Worker(ENTRY, { ...options, execArgv: accepted });
  }
}

/** Returns the options that Node.js does not accept for a thread. */
function listRefusedOptions(error: unknown): readonly string[] {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_WORKER_INVALID_EXEC_ARGV") return [];
  return message.slice(message.indexOf(": ") + 2).split(", ");
}
