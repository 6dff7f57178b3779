// A scheduler with real executors over real message ports, and requests for it.

import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import * as assert from "uvu/assert";
import { RESULT_VALUE } from "../../../runtime/base/wire/batch.js";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import { Executor } from "../../../runtime/engine/executor.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { Scheduler, type SchedulerLimits } from "../../../runtime/engine/scheduler.js";
import { Metrics } from "../../../runtime/metrics/metrics.js";
import type { PluginEntry } from "../../../runtime/plugin/contract/plugin-entry.js";

export function entry(name: string, invoke: PluginEntry["invoke"]): PluginEntry {
  const description = {
    path: `/svc/plugin/${name}`,
    description: name,
    parameters: {},
    bound_graph: null,
  };
  return { name, role: "engine", graph: null, readonly: false, readers: {}, description, invoke };
}

let serial = 1;
export function nextSerial(): number {
  return serial;
}

export function call(
  plugin: number,
  target = "/svc/plugin/x",
  remoteAddress = "127.0.0.1",
): PluginCall {
  return {
    port: 0,
    slots: 0,
    serial: serial++,
    minQueue: 0,
    isTrusted: false,
    submittedAt: 0,
    limitedClient: null,
    turn: 0,
    step: null,
    plugin: { name: `p${plugin}`, number: plugin },
    exchange: {
      method: "GET",
      target,
      headers: { block: "", accept: "json", minQueue: 0 },
      body: null,
      connection: { remoteAddress, ident: null, endedAtMs: 0 },
      t0Ms: Date.now(),
      aborted: false,
      trace: null,
      principal: null,
      isWarmUp: false,
    } as never,
  };
}

/** A scheduler, its notifications, and a factory of executors that run `plugins` in this thread. */
export function setUp(plugins: readonly PluginEntry[], timeoutMs = 0, limits?: SchedulerLimits) {
  const state = new SharedState();
  const outcomes: string[] = [];
  const scheduler = new Scheduler(
    state,
    new Metrics(),
    timeoutMs,
    30_000,
    {
      result: (done, execId, status, kind, payload) => {
        const value = kind === RESULT_VALUE ? payload : `kind ${kind}`;
        outcomes.push(`${done.serial} ${execId} ${status} ${value}`);
      },
      onFailure: (failed, execId, failure) =>
        outcomes.push(`${failed.serial} ${execId} ${failure}`),
      onDrop: (call) => outcomes.push(`${call.serial} dropped`),
      terminate: (id) => outcomes.push(`terminate ${id}`),
      onRetire: (id) => outcomes.push(`retired ${id}`),
    },
    null,
    limits,
  );
  const executor = (id: number) => {
    const { port1, port2 } = new MessageChannel();
    new Executor(id, port1, state, () => plugins);
    return { id, port: port2 };
  };
  return { state, outcomes, scheduler, executor };
}

export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !condition(); turn++) await delay(1);
  assert.ok(condition(), "condition was not met");
}
