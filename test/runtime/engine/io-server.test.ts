// The IO thread measures itself once before a warm-up, as it will every second afterwards.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type IoParts, IoServer } from "../../../runtime/engine/io-server.js";
import type { Exchange, ServerEvents } from "../../../runtime/http/transport.js";

const test = suite("IO server");

/** The parts of a server that records its measurements and its requests. */
function makeParts(steps: string[]): IoParts {
  const events: ServerEvents = {
    request: (exchange: Exchange) => {
      steps.push(exchange.target);
      exchange.respond(200, "text/plain", "answer");
    },
    errorBody: () => ({ mediaType: "text/plain", body: "" }),
    ...{
      onRejection: () => {},
      onShedConnection: () => {},
      onResponse: () => {},
      onConnection: () => {},
    },
  };
  const note = (event: string) => () => void steps.push(event);
  const parts = {
    settings: { maxBodyBytes: 1024, dispatcherNetworks: [], proxies: [], idleTimeoutSeconds: 1 },
    metrics: { ioBusy: () => {}, tick: note("metrics"), forget: note("forget") },
    pluginCounters: { tick: note("pluginCounters"), forget: () => {} },
    requests: { forget: () => {} },
    scheduler: { tick: note("scheduler") },
    admin: { tick: note("admin") },
    responses: { streams: { recheck: () => {} } },
    ...{ engine: { events: [events] }, inline: { loaded: [] }, dispatcher: null },
  };
  return parts as unknown as IoParts;
}

test("measures before the first call of a warm-up, whose calls are forgotten", async () => {
  const steps: string[] = [];
  const server = new IoServer(makeParts(steps));
  await server.execute({ op: "warmUp", targets: ["/a"], withinMs: 20 });
  const first = steps.indexOf("/a");
  assert.equal(steps.slice(0, first), ["metrics", "pluginCounters", "scheduler", "admin"]);
  assert.ok(steps.indexOf("forget") > steps.lastIndexOf("/a"));
});

test.run();
