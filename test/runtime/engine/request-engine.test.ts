// Requests in progress while the server stops.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { RequestEngine } from "../../../runtime/engine/request-engine.js";

const test = suite("request engine");

function call(serial: number, method = "GET", accept = "json"): PluginCall {
  return {
    exchange: { serial, method, headers: { accept } } as never,
    port: 0,
    slots: 0,
    plugin: { name: "x", number: 0 },
    serial,
    minQueue: 0,
    isTrusted: false,
    submittedAt: 0,
    limitedClient: null,
    turn: 0,
    step: null,
  };
}

function stopped(
  waiting: PluginCall[],
  running: PluginCall[],
  rejections: unknown[],
): RequestEngine {
  const engine = new RequestEngine({
    scheduler: {
      rejectQueued: () => waiting,
      calls: () => running.map((call) => ({ call, executor: 0 })),
    },
    admin: { rejectQueued: () => [call(4)], calls: () => [] },
    responses: {
      refuse: (exchange: { serial: number }, _port: number, status: number, message: string) =>
        rejections.push([exchange.serial, status, message]),
    },
  } as never);
  engine.stop();
  return engine;
}

test("refuses waiting and running requests at the end of the grace period only", () => {
  const rejections: unknown[] = [];
  const engine = stopped([call(3)], [call(1), call(2)], rejections);
  assert.equal(rejections, []);
  engine.rejectRemaining();
  assert.equal(rejections, [
    [3, 503, "Service Out"],
    [4, 503, "Service Out"],
    [1, 503, "Service Out"],
    [2, 503, "Service Out"],
  ]);
});

test("never tells a dispatcher to retry a POST that may have been executed", () => {
  const rejections: unknown[] = [];
  const post = call(5, "POST", "partial");
  const step = { target: "", merged: [new Uint8Array(0), 0, 0, null], done: () => {} } as const;
  const engine = stopped([post, { ...call(6, "POST", "partial"), step }], [post], rejections);
  engine.rejectRemaining();
  assert.equal(rejections, [
    [5, 503, "Service Out"],
    [6, 500, "Service Out"],
    [4, 503, "Service Out"],
    [5, 500, "Service Out"],
  ]);
});

test.run();
