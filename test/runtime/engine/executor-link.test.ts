// Requests cross to an executor in rows of one message.

import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RequestField } from "../../../runtime/base/wire/batch.js";
import { ExecutorLink } from "../../../runtime/engine/executor-link.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";

const test = suite("executor link");

function makeCall(exchange: object): PluginCall {
  const connection = { ident: 3, remoteAddress: "127.0.0.1" };
  const headers = { accept: "json", block: "", get: () => undefined };
  const request = { method: "GET", target: "/", t0Ms: 0, body: null, trace: null, principal: "me" };
  const merged = { ...request, headers, connection, clientAddress: "127.0.0.1" };
  Object.defineProperties(merged, Object.getOwnPropertyDescriptors(exchange));
  const call = { serial: 1, plugin: { number: 2 }, port: 0, step: null, exchange: merged };
  return call as unknown as PluginCall;
}

test("an unreadable request leaves no partial row among those of other requests", async () => {
  const { port1, port2 } = new MessageChannel();
  try {
    const link = new ExecutorLink(0, port1, () => undefined);
    const faultyCall = makeCall({
      get principal(): string {
        throw new Error("cannot be read");
      },
    });
    assert.throws(() => link.send(7, faultyCall), /cannot be read/);
    link.send(8, makeCall({}));
    const [rows] = (await once(port2, "message")) as [unknown[]];
    assert.is(rows.length, RequestField.Stride);
    assert.is(rows[RequestField.Slot], 8);
    assert.is(rows[RequestField.Principal], "me");
  } finally {
    port1.close();
  }
});

test.run();
