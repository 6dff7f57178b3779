// Executors that exit at once are replaced by others: rules that threads of real plugins break only
// by chance.

import { EventEmitter, once } from "node:events";
import type { MessagePort, Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import { ExecutorPool } from "../../../runtime/lifecycle/executor-pool.js";
import type { startThread } from "../../../runtime/lifecycle/start-thread.js";
import { Metrics } from "../../../runtime/metrics/metrics.js";

const test = suite("executor pool");

/** Behavior of a thread after its start. */
type Life = (thread: EventEmitter, control: MessagePort) => void;

const stays: Life = (_thread, control) => control.postMessage({ ready: true });
/** The message is read only after the exit. */
const exitsOnceReady: Life = (thread, control) => {
  control.postMessage({ ready: true });
  process.nextTick(() => thread.emit("exit"));
};

function createPool(lives: Life[]) {
  const threads: EventEmitter[] = [];
  const replacements = new EventEmitter();
  const start: typeof startThread = (_entry, { workerData }) => {
    const { control } = workerData as { control: MessagePort };
    const thread = Object.assign(new EventEmitter(), { terminate: async () => control.close() });
    thread.once("exit", () => control.close());
    threads.push(thread);
    lives.shift()!(thread, control);
    return thread as EventEmitter as Worker;
  };
  const metrics = new Metrics();
  const data = {
    ...{ projectDir: "", stackTraces: false, cursorKey: { root: "", sharedKey: null } },
    ...{ state: new SharedState().buffer, metrics: metrics.buffer },
  };
  const bounds = {
    ...{ heapMb: 0, loadTimeoutMs: 60_000, hasFunctions: false },
    ...{ hasInstanceStart: false, stopTimeoutMs: 1 },
  };
  const events = {
    execute: async () => null,
    algorithms: (port: MessagePort) => port.close(),
    onExit: () => {},
    onDeath: async () => 0,
    onReplacement: async (died: number) => void replacements.emit("replaced", died),
    onCrashLoop: () => {},
    onRecovery: () => {},
  };
  const pool = new ExecutorPool(data, bounds, metrics, events, start);
  return { pool, threads, replacements };
}

test("an executor that exits as soon as it is ready is replaced by another one", async () => {
  const { pool, threads, replacements } = createPool([stays, exitsOnceReady, stays]);
  await pool.start(1, {}, async () => {});
  threads[0]!.emit("exit");
  await once(replacements, "replaced");
  assert.is(threads.length, 3);
  await pool.close();
});

test("a start without room for all threads fails and leaves no pending work", async () => {
  const lacksRoom: Life = () => {
    throw new Error("no room for a thread");
  };
  const { pool } = createPool([stays, lacksRoom]);
  const timers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = timers();
  try {
    await pool.start(2, {}, async () => {});
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "no room for a thread");
  }
  assert.is(timers(), before);
});

test.run();
