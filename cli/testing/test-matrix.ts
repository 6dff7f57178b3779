// A matrix within a test process: a dispatcher and its engines in their own threads, connected in
// memory. Engines can be faulted, killed and restarted.

import type { MessagePort } from "node:worker_threads";
import { SvcError } from "../../runtime/base/errors.js";
import type { DispatcherConfig } from "../../runtime/settings/config-values.js";
import type { Fault } from "./fault.js";
import { type Callable, createCalls, type TestCalls } from "./test-calls.js";
import { TestClock } from "./test-clock.js";
import { TestInstance } from "./test-instance.js";
import type { TestOptions } from "./test-service.js";
import type { Fetch } from "./test-settings.js";
import {
  closeInstances,
  closeOnFailure,
  type TestedProject,
  testedProject,
} from "./tested-project.js";

export interface MatrixOptions extends TestOptions {
  /** Number of partitions. Default 2. */
  readonly partitions?: number;
  /** Replicas of each partition. Default 2. */
  readonly replicas?: number;
  /** `options` of the dispatcher, as in its configuration. */
  readonly dispatch?: Omit<NonNullable<DispatcherConfig["options"]>, "tls">;
}

/** One engine of a matrix. */
export interface TestEngine {
  readonly partition: number;
  readonly replica: number;
  /** Requests to the engine itself; `fetchAdmin` uses its admin port. */
  readonly fetch: Fetch;
  readonly fetchAdmin: Fetch;
  /**
   * Injects a fault; null removes it.
   * @throws SvcError SVC3300 for an unknown fault, SVC3301 for a killed engine
   */
  fault(fault: Fault | null): Promise<void>;
  /** Terminates the engine immediately. */
  kill(): Promise<void>;
  /**
   * Restarts a killed engine with empty graphs.
   * @throws SvcError SVC3301 if it is running
   */
  start(): Promise<void>;
}

export interface TestMatrix<Calls> extends Callable<Calls>, AsyncDisposable {
  /** Like the global `fetch`, for paths of the dispatcher. */
  readonly fetch: Fetch;
  /** Like `fetch`, for paths of its admin port. */
  readonly fetchAdmin: Fetch;
  /** Clock of all instances, including plugins and graphs. */
  readonly clock: TestClock;
  /** @throws SvcError SVC3300 if the matrix has no such engine */
  engine(partition: number, replica: number): TestEngine;
  /** Stops it after its running requests, and deletes its data. */
  close(): Promise<void>;
}

/** Each engine has several threads. */
const MAX_ENGINES = 64;
/** Nominal ports of the engines. */
const FIRST_PORT = 10_000;

/**
 * Starts a project as a dispatcher and its engines, reachable from this process only.
 * @param folder of the project
 * @throws SvcError SVC3300 for an invalid size, SVC2944 for a project that does not build, SVC2201
 *   for plugins that do not load
 * @example
 * await using matrix = await testMatrix<PluginRegistry>(".", { partitions: 2, replicas: 2 });
 * await matrix.engine(0, 1).fault("hang");
 */
export async function testMatrix<Calls = TestCalls>(
  folder = ".",
  options: MatrixOptions = {},
): Promise<TestMatrix<Calls>> {
  const { partitions = 2, replicas = 2, settings = {} } = options;
  checkSize(partitions, replicas);
  const project = await testedProject(folder, options.build !== false);
  const clock = new TestClock();
  const engines = Array.from({ length: partitions * replicas }, (_, index) => {
    const data = { projectDir: project.folder, root: project.root(`engine-${index}`), settings };
    return new TestInstance({ ...data, role: "engine", dispatcher: null, backEnds: [] }, clock);
  });
  const started: { front?: TestInstance } = {};
  const close = closeInstances(project, clock, () => [started.front, ...engines]);
  await closeOnFailure(close, async () => {
    await Promise.all(engines.map((engine) => engine.start()));
    const connectPorts = await Promise.all(engines.map((engine) => engine.open(0)));
    started.front = frontOf(project, clock, connectPorts, options);
    await started.front.start();
  });
  const front = started.front!;
  const { fetch, fetchAdmin } = front;
  return {
    ...{ fetch, fetchAdmin, clock, close, call: createCalls<Calls>(project.argspec, fetch) },
    engine: (partition, replica) => {
      const index = partition * replicas + replica;
      const isThere = Number.isInteger(partition) && replica >= 0 && replica < replicas;
      const engine = isThere ? engines[index] : undefined;
      if (engine) return engineAt(engine, front, { index, partition, replica });
      const size = `${partitions} partitions of ${replicas} replicas`;
      throw new SvcError(
        "SVC3300",
        `no engine at partition ${partition}, replica ${replica} in ${size}`,
      );
    },
    [Symbol.asyncDispose]: close,
  };
}

function checkSize(partitions: number, replicas: number): void {
  const areCounts = [partitions, replicas].every((count) => Number.isInteger(count) && count >= 1);
  if (areCounts && partitions * replicas <= MAX_ENGINES) return;
  const size = `${partitions} partitions of ${replicas} replicas`;
  throw new SvcError("SVC3300", `a test matrix has 1 to ${MAX_ENGINES} engines, got ${size}`);
}

function frontOf(
  project: TestedProject,
  clock: TestClock,
  connectPorts: readonly MessagePort[],
  { partitions = 2, replicas = 2, dispatch, settings = {} }: MatrixOptions,
): TestInstance {
  const rows = Array.from({ length: replicas });
  const dispatcher = {
    partitions: Array.from({ length: partitions }, (_, partition) =>
      rows.map((_, replica) => {
        return { host: "127.0.0.1", port: FIRST_PORT + partition * replicas + replica };
      }),
    ),
    replicas: rows.map(() => ({})),
    options: { ...dispatch, tls: false },
  };
  const backEnds = connectPorts.map(
    (connectPort, index) => [FIRST_PORT + index, connectPort] as const,
  );
  const data = { projectDir: project.folder, root: project.root("dispatcher"), settings };
  return new TestInstance({ ...data, role: "dispatcher", dispatcher, backEnds }, clock);
}

function engineAt(
  instance: TestInstance,
  front: TestInstance,
  { index, partition, replica }: { index: number; partition: number; replica: number },
): TestEngine {
  const { fetch, fetchAdmin } = instance;
  return {
    ...{ partition, replica, fetch, fetchAdmin },
    fault: (fault) => instance.fault(fault),
    kill: () => instance.kill(),
    start: async () => {
      if (instance.isRunning) throw new SvcError("SVC3301", "engine is already running");
      await instance.start();
      await front.reach(FIRST_PORT + index, await instance.open(0));
    },
  };
}
