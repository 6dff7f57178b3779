// What becomes of requests in progress when the server stops.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { RequestEngine } from "../../../runtime/engine/request-engine.js";

const test = suite("request engine");

function call(serial: number): PluginCall {
  return {
    exchange: { serial } as never,
    port: 0,
    slots: 0,
    plugin: { name: "x", number: 0 },
    serial,
    minQueue: 0,
    step: null,
  };
}

test("waiting requests are refused at once, running ones when the time is up", () => {
  const refused: unknown[] = [];
  const engine = new RequestEngine({
    scheduler: {
      dropWaiting: () => [call(3)],
      calls: () => [
        { call: call(1), executor: 0 },
        { call: call(2), executor: 1 },
      ],
    },
    admin: { dropWaiting: () => [call(4)], calls: () => [] },
    answers: {
      refuse: (exchange: { serial: number }, _port: number, status: number, message: string) =>
        refused.push([exchange.serial, status, message]),
    },
  } as never);
  engine.stop();
  assert.equal(refused, [
    [3, 503, "Service Out"],
    [4, 503, "Service Out"],
  ]);
  engine.giveUp();
  assert.equal(refused.slice(2), [
    [1, 503, "Service Out"],
    [2, 503, "Service Out"],
  ]);
});

test.run();
