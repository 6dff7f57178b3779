// Executor threads, which run user plugins: starts them, replaces dead ones, and starts a second
// set before the first is retired on reload. Lives in the main thread.

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Worker,
} from "node:worker_threads";
import { Backoff } from "../base/backoff.js";
import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import { logEvent } from "../base/recent-events.js";
import { executeCall, type RpcRequest } from "../base/wire/rpc-messages.js";
import { MAX_EXECUTOR_IDS } from "../base/wire/shared-state.js";
import type {
  ControlledExecutor,
  ExecutorNotification,
  ExecutorPort,
  ExecutorThreadData,
} from "../engine/io-control.js";
import type { GraphCommand } from "../graph/manager/graph-source.js";
import type { Metrics } from "../metrics/metrics.js";
import type { StopScope } from "../plugin/contract/lifecycle.js";
import type { Routes } from "../plugin/contract/plugin-table.js";
import { MemoryWatchdog, type WatchedExecutor } from "./memory-watchdog.js";
import { pendingTopLevelAwaits } from "./pending-awaits.js";
import { exitWhenOrphaned, isFdExhausted, startThread } from "./start-thread.js";
import { runStopFunction } from "./stop-functions.js";
import { currentSourceLine } from "./thread-probe.js";

/**
 * Consecutive early deaths without a running request that count as a crash loop: the plugins
 * themselves fail.
 */
const CRASH_LOOP_DEATHS = 10;
/** An executor that lives this long ends a series of deaths. */
const STABLE_AFTER_MS = 5_000;
/** Restart delays of executors that die early. */
const RESTART_BACKOFF = { minMs: 2, maxMs: 60_000 };

export interface ExecutorPoolEvents {
  /** Executes a request of an executor, which awaits the reply. */
  execute(command: GraphCommand): Promise<unknown>;
  /** Runs the algorithms of an executor. */
  algorithms(port: MessagePort): void;
  /** An executor has exited; its id is reused afterwards. */
  onExit(id: number): void;
  /** Resolves with the number of requests the executor was running. */
  onDeath(id: number): Promise<number>;
  onReplacement(died: number, executor: ExecutorPort): Promise<void>;
  /** Executors die as fast as they are replaced: nothing can be served. */
  onCrashLoop(): void;
  /** An executor has stayed up after a crash loop. */
  onRecovery(): void;
}

/** Data common to all executors. */
type SharedData = Omit<ExecutorThreadData, "id" | "port" | "routes" | "signal" | "algorithms">;

export interface ExecutorBounds {
  /** Limit of heap and buffers; 0: none. */
  readonly heapMb: number;
  /** Timeout of loading plugin modules. */
  readonly loadTimeoutMs: number;
  /** The project has start or stop functions. */
  readonly hasFunctions: boolean;
  /** A start function of the instance runs in the first executor before the others start. */
  readonly hasInstanceStart: boolean;
  /** Timeout of a stop function. */
  readonly stopTimeoutMs: number;
}

interface Member {
  readonly worker: Worker;
  readonly routes: Routes;
  readonly startedAtMs: number;
  /** Port of its stop functions; null without any. */
  readonly stops: MessagePort | null;
  /** Receives requests, and is replaced when it exits. */
  inService: boolean;
  /** Terminated by the pool, which has logged the reason. */
  terminated: boolean;
}

/**
 * V8's default on most machines. Where the default is higher, as under Node 24, one collection can
 * overshoot the heap limit, which ends the process instead of the thread.
 */
const YOUNG_GENERATION_MB = 48;

/** Exit code of a thread that has nothing to do while its modules still wait. */
const UNSETTLED = 13;
/** Delay after which the server log states what a start waits for. */
const SLOW_LOAD_MS = 10_000;

export class ExecutorPool {
  readonly #data: SharedData;
  readonly #bounds: ExecutorBounds;
  readonly #memory: MemoryWatchdog | null;
  readonly #metrics: Metrics;
  readonly #events: ExecutorPoolEvents;
  readonly #startThread: typeof startThread;
  readonly #members = new Map<number, Member>();
  #nextId = 0;
  /** Its failures are consecutive early deaths without a running request. */
  readonly #backoff = new Backoff(RESTART_BACKOFF);
  #closed = false;
  /** The start function of the instance has run, or runs. */
  #isInstanceStarted = false;

  constructor(
    data: SharedData,
    bounds: ExecutorBounds,
    metrics: Metrics,
    events: ExecutorPoolEvents,
    start = startThread,
  ) {
    this.#data = data;
    this.#startThread = start;
    this.#bounds = bounds;
    const { heapMb } = bounds;
    const executors = (): WatchedExecutor[] =>
      [...this.#members].map(([id, { worker }]) => ({ id, worker }));
    const exceeded = (id: number, reason: string): void => this.terminate(id, reason);
    this.#memory = heapMb > 0 ? new MemoryWatchdog(heapMb, executors, exceeded) : null;
    this.#metrics = metrics;
    this.#events = events;
  }

  /**
   * Starts executors with the current build and puts them in service when all are ready.
   * @param routes plugin numbers of requests
   * @param serve directs requests to them; must fail at once if it cannot
   * @throws SvcError SVC2201 if the plugins cannot be loaded or an executor exits early; all
   *   started ones are then terminated
   */
  async start(
    count: number,
    routes: Routes,
    serve: (executors: ExecutorPort[]) => Promise<void>,
  ): Promise<void> {
    this.#requireIds(count);
    const ids = Array.from({ length: count }, () => this.#takeId());
    try {
      const executors = await this.#load(ids, routes);
      for (const id of ids) this.#enterService(id);
      await serve(executors);
    } catch (error) {
      await this.#end(ids);
      throw isClosedPort(error) ? earlyExitError() : error;
    }
  }

  async #load(ids: readonly number[], routes: Routes): Promise<ExecutorPort[]> {
    const waiting = setTimeout(() => {
      const reason = pendingTopLevelAwaits(this.#data.projectDir);
      log(`plugins still loading after ${SLOW_LOAD_MS / 1000} s: ${reason}`, "warn");
    }, SLOW_LOAD_MS);
    const isFirst = this.#bounds.hasInstanceStart && !this.#isInstanceStarted;
    const first = isFirst ? [await this.#startFirst(ids[0]!, routes)] : [];
    const others = ids.slice(first.length);
    const results = await Promise.allSettled(others.map((id) => this.#startOne(id, routes)));
    const started = [...first, ...results];
    clearTimeout(waiting);
    const failed = started.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return started.map((result) => (result as PromiseFulfilledResult<ExecutorPort>).value);
  }

  /** Starts the executor that runs the start function of the instance. */
  async #startFirst(id: number, routes: Routes): Promise<PromiseSettledResult<ExecutorPort>> {
    this.#isInstanceStarted = true;
    const [result] = await Promise.allSettled([this.#startOne(id, routes, true)]);
    if (result.status === "rejected") this.#isInstanceStarted = false;
    return result;
  }

  /** Terminates an executor; one in service is replaced. */
  terminate(id: number, reason: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    member.terminated = true;
    logEvent("thread", `executor ${id} replaced: ${reason}`, "warn");
    void member.worker.terminate();
  }

  /** Terminates an executor that is no longer needed. */
  retire(id: number): Promise<void> {
    return this.#end([id]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#memory?.close();
    await this.#end([...this.#members.keys()], true);
  }

  /** @param isLast the instance stops, too: its stop function runs after those of all executors */
  async #end(ids: readonly number[], isLast = false): Promise<void> {
    const members = ids.flatMap((id) => {
      const member = this.#members.get(id);
      return member === undefined ? [] : [{ id, member, wasInService: member.inService }];
    });
    for (const { member } of members) member.inService = false;
    const stopping = members.filter(({ wasInService }) => wasInService);
    const stop = (of: typeof stopping, scope: StopScope): Promise<unknown> =>
      Promise.all(of.map(({ id, member }) => this.#stop(id, member, scope)));
    await stop(stopping, "executor");
    if (isLast) await stop(stopping.slice(0, 1), "instance");
    await Promise.all(members.map(({ member }) => member.worker.terminate()));
  }

  async #stop(id: number, { stops }: Member, scope: StopScope): Promise<void> {
    if (stops !== null) await runStopFunction(stops, scope, id, this.#bounds.stopTimeoutMs);
  }

  #enterService(id: number): void {
    const member = this.#members.get(id);
    if (member === undefined) throw earlyExitError();
    member.inService = true;
  }

  /** @throws SvcError SVC2201 if ids run out because earlier builds do not drain */
  #requireIds(count: number): void {
    if (this.#members.size + count <= MAX_EXECUTOR_IDS) return;
    throw new SvcError("SVC2201", "executors of earlier builds still run requests");
  }

  #takeId(): number {
    do this.#nextId = (this.#nextId + 1) % MAX_EXECUTOR_IDS;
    while (this.#members.has(this.#nextId));
    return this.#nextId;
  }

  async #startOne(id: number, routes: Routes, isFirst = false): Promise<ExecutorPort> {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const { port1: control, port2: controlled } = new MessageChannel();
    const algorithms = this.#connectAlgorithms();
    const threadData = { id, port: port1, routes, signal, algorithms };
    const data: ExecutorThreadData = { ...this.#data, ...threadData };
    const { hasFunctions, loadTimeoutMs: timeoutMs } = this.#bounds;
    const stops = hasFunctions ? new MessageChannel() : null;
    const hooks = stops && { port: stops.port1, isFirst, timeoutMs };
    stops?.port2.unref();
    const worker = this.#startThread("executor", {
      workerData: { ...data, control: controlled, hooks } satisfies ExecutorThreadData &
        ControlledExecutor,
      transferList: [port1, controlled, algorithms, ...(stops === null ? [] : [stops.port1])],
      name: `svc-executor-${id}`,
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
        ...(this.#bounds.heapMb > 0 && { maxOldGenerationSizeMb: this.#bounds.heapMb }),
      },
    });
    const member: Member = {
      worker,
      routes,
      startedAtMs: performance.now(),
      stops: stops?.port2 ?? null,
      inService: false,
      terminated: false,
    };
    this.#members.set(id, member);
    return new Promise((resolve, reject) => {
      let ready = false;
      let reason = "exited by itself";
      const timer = setTimeout(async () => {
        const error = await this.#overdue(worker);
        void worker.terminate();
        reject(error);
      }, this.#bounds.loadTimeoutMs);
      const onMessage = (notice: ExecutorNotification | RpcRequest<GraphCommand>): void => {
        if ("command" in notice) {
          void executeCall(control, notice, (command) => this.#events.execute(command), signal);
        } else if ("failure" in notice) {
          clearTimeout(timer);
          void worker.terminate();
          reject(loadError(notice.failure));
        } else {
          ready = true;
          clearTimeout(timer);
          this.#resetCrashCounter(id, member);
          resolve({ id, port: port2 });
        }
      };
      control.on("message", onMessage);
      exitWhenOrphaned(worker, control);
      worker.on("error", (error) => {
        reason = `${error.name}: ${error.message}`;
      });
      worker.on("exit", (code) => {
        // Its last message may state the reason.
        for (let last = receiveMessageOnPort(control); last; last = receiveMessageOnPort(control))
          onMessage(last.message);
        clearTimeout(timer);
        if (code === UNSETTLED && !ready) reason = pendingTopLevelAwaits(data.projectDir);
        this.#events.onExit(id);
        this.#members.delete(id);
        if (member.inService && !this.#closed) this.#onDeath(id, member, reason);
        else reject(loadError(reason));
      });
    });
  }

  #connectAlgorithms(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#events.algorithms(port2);
    return port1;
  }

  /** Returns the error for plugins that did not load in time. */
  async #overdue(worker: Worker): Promise<SvcError> {
    const line = await currentSourceLine(worker);
    const cause = line === null ? "they wait for something" : `${line} is still running`;
    const text = `plugins did not load within ${this.#bounds.loadTimeoutMs} ms: ${cause}`;
    return new SvcError("SVC2120", text);
  }

  #resetCrashCounter(id: number, member: Member): void {
    if (this.#backoff.failures < CRASH_LOOP_DEATHS) return;
    setTimeout(() => {
      if (this.#members.get(id) !== member || this.#closed) return;
      if (this.#backoff.failures < CRASH_LOOP_DEATHS) return;
      this.#backoff.reset();
      this.#events.onRecovery();
    }, STABLE_AFTER_MS).unref();
  }

  async #onDeath(id: number, member: Member, reason: string): Promise<void> {
    if (!member.terminated) logEvent("thread", `executor ${id} died: ${reason}`, "error");
    this.#metrics.countExecutorRestart();
    const wasStable = performance.now() - member.startedAtMs > STABLE_AFTER_MS;
    const running = await this.#events.onDeath(id);
    if (running > 0 || wasStable) this.#backoff.reset();
    else this.#recordSelfExit();
    this.#replace(id, member.routes);
  }

  #recordSelfExit(): void {
    this.#backoff.fail();
    if (this.#backoff.failures === CRASH_LOOP_DEATHS) this.#events.onCrashLoop();
  }

  /**
   * Removes an executor that died before it got requests.
   * @returns false if its death is already handled
   */
  #abandon(id: number): boolean {
    const member = this.#members.get(id);
    if (member === undefined) return false;
    member.inService = false;
    void member.worker.terminate();
    return true;
  }

  /** Starts a replacement: at once if a request caused the death, otherwise with backoff. */
  #replace(died: number, routes: Routes): void {
    setTimeout(async () => {
      if (this.#closed) return;
      /** In service, so that its own exit leads to a replacement. */
      let entered: ExecutorPort | null = null;
      try {
        this.#requireIds(1);
        const started = await this.#startOne(this.#takeId(), routes);
        this.#enterService(started.id);
        entered = started;
        await this.#events.onReplacement(died, entered);
      } catch (error) {
        if (this.#closed || (entered !== null && !this.#abandon(entered.id))) return;
        log(`failed to replace executor ${died}: ${(error as Error).message}`, "error");
        this.#recordSelfExit();
        this.#replace(died, routes);
      }
    }, this.#backoff.delayMs);
  }
}

/** Error of a port whose other end is gone, which precedes the exit event. */
function isClosedPort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "DataCloneError";
}

function loadError(reason: string): SvcError {
  return new SvcError(isFdExhausted(reason) ? "SVC3093" : "SVC2201", reason);
}

function earlyExitError(): SvcError {
  return new SvcError("SVC2201", "executor exited right after loading its plugins");
}
