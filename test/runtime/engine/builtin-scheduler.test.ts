// Queries whose time slice is over run in the long-query executor, and count for their client until
// they have their outcome.

import { MessageChannel } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedState } from "../../../runtime/base/wire/shared-state.js";
import { BuiltinScheduler } from "../../../runtime/engine/builtin-scheduler.js";
import { Executor } from "../../../runtime/engine/executor.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { call, entry, until } from "./scheduler-setup.js";

const test = suite("scheduler of built-in plugins");

function setUp() {
  const events: string[] = [];
  const states = [new SharedState(), new SharedState()] as const;
  const scheduler = new BuiltinScheduler(states, 30_000, {
    result: ({ serial }, _, status, _kind, payload) =>
      events.push(`${serial} ${status} ${payload}`),
    onFailure: ({ serial }, _, failure) => events.push(`${serial} ${failure}`),
    onDrop: ({ serial }) => events.push(`${serial} dropped`),
    terminate: (executor) => events.push(`terminate ${executor}`),
    start: (executor) => events.push(`start ${executor}`),
  });
  /** Plugin 0 is quick; plugin 1 exceeds its time slice in the first executor. */
  const connect = (executor: 0 | 1) => {
    const { port1, port2 } = new MessageChannel();
    let isOver = false;
    const plugins = [
      entry("quick", () => `quick in ${executor}`),
      entry("long", () => {
        isOver = executor === 0;
        return `long in ${executor}`;
      }),
    ];
    const isSliceOver = (): boolean => {
      const wasOver = isOver;
      isOver = false;
      return wasOver;
    };
    const hooks = { prepare: () => {}, isSliceOver };
    new Executor(0, port1, states[executor], () => plugins, hooks);
    scheduler.setExecutor(executor, port2);
  };
  return { events, scheduler, connect };
}

const query = (plugin: number, address?: string): PluginCall => ({
  ...call(plugin, "/svc/builtin/x", address),
  slots: 1,
});

test("runs queries again in the second executor when their time slice is over", async () => {
  const { events, scheduler, connect } = setUp();
  connect(0);
  const [quick, longCall, otherClient] = [query(0), query(1), query(1, "127.0.0.2")];
  for (const pending of [quick, longCall, otherClient]) scheduler.submit(pending);
  await until(() => scheduler.waiting === 2);
  assert.equal(events, [`${quick.serial} 200 "quick in 0"`, "start 1"]);
  connect(1);
  await until(() => events.length === 4);
  assert.equal(events.slice(2).sort(), [
    `${longCall.serial} 200 "long in 1"`,
    `${otherClient.serial} 200 "long in 1"`,
  ]);
  assert.equal([scheduler.working, scheduler.waiting], [0, 0]);
  scheduler.close();
});

test("starts the first executor with the first request, and only once", async () => {
  const { events, scheduler, connect } = setUp();
  const queries = [query(0), query(0)];
  for (const pending of queries) scheduler.submit(pending);
  assert.equal([events, scheduler.waiting], [["start 0"], 2]);
  connect(0);
  await until(() => events.length === 3);
  assert.equal(
    events.slice(1),
    queries.map(({ serial }) => `${serial} 200 "quick in 0"`),
  );
  scheduler.close();
});

test("counts long queries for the limit of their client until they end", async () => {
  const { events, scheduler, connect } = setUp();
  connect(0);
  const long = Array.from({ length: 4 }, () => query(1));
  for (const pending of long) scheduler.submit(pending);
  const ownQuery = query(0);
  scheduler.submit(ownQuery);
  const foreignCall = query(0, "127.0.0.2");
  scheduler.submit(foreignCall);
  await until(() => events.length === 2);
  assert.equal(events, ["start 1", `${foreignCall.serial} 200 "quick in 0"`]);
  connect(1);
  await until(() => events.length === 7);
  assert.ok(events.includes(`${ownQuery.serial} 200 "quick in 0"`));
  assert.equal([...scheduler.calls()], []);
  scheduler.close();
});

test("releases the share of a client whose long query is dropped", async () => {
  const { events, scheduler, connect } = setUp();
  connect(0);
  const long = Array.from({ length: 4 }, () => query(1));
  for (const pending of long) scheduler.submit(pending);
  await until(() => scheduler.waiting === 4 && events.length === 1);
  for (const pending of long) (pending.exchange as unknown as { aborted: boolean }).aborted = true;
  connect(1);
  await until(() => events.length === 5);
  assert.ok(long.every(({ serial }) => events.includes(`${serial} dropped`)));
  for (let sent = 0; sent < 5; sent++) scheduler.submit(query(0));
  await until(() => events.length === 10);
  assert.equal([scheduler.working, scheduler.waiting], [0, 0]);
  scheduler.close();
});

test.run();
