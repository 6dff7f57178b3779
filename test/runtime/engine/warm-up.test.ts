// Warm-up calls over a real socket: round-robin until the time is over, and closed to clients
// without the key.

import { get } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EXECUTOR_SWEEP_MS } from "../../../runtime/base/limits.js";
import { warmUp } from "../../../runtime/engine/warm-up.js";
import { netTransport } from "../../../runtime/http/net/transport.js";
import type { Exchange, ServerEvents, ServerOptions } from "../../../runtime/http/transport.js";

const test = suite("warm-up calls");

const TARGETS = ["/a", "/bad", "/b", "/stream", "/slow"];
const OPTIONS: ServerOptions = {
  maxBodyBytes: 1024,
  cors: null,
  dispatcherNetworks: [],
  proxies: [],
  proxyProtocol: false,
  maxConnections: 100,
  limits: { connections: 0, requestsPerSecond: 0 },
  idleTimeoutMs: 1000,
  bodyMemoryBytes: 1 << 20,
  responseMemoryBytes: 1 << 20,
  tls: null,
};

function respondWith(request: (exchange: Exchange) => void): ServerEvents {
  return {
    request,
    errorBody: () => ({ mediaType: "text/plain", body: "" }),
    onRejection: () => assert.unreachable("counted"),
    onShedConnection: () => assert.unreachable("counted"),
    onResponse: () => {},
    onConnection: () => assert.unreachable("counted"),
  };
}

test("calls targets in turn and reports unusable ones", async () => {
  const requests: string[] = [];
  let atOnce = 0;
  const events = respondWith((exchange) => {
    assert.ok(exchange.isWarmUp);
    const { target } = exchange;
    requests.push(target);
    const isOfUse = target === "/a" || target === "/b";
    if (!isOfUse) assert.is(++atOnce, 1, "one alone at first");
    if (target === "/stream") {
      const source = Object.assign(pieces(), { cancel: () => {} });
      atOnce = 0;
      return exchange.respondChunked(200, "text/plain", source);
    }
    const respond = (): void => {
      atOnce = 0;
      exchange.respond(target === "/bad" ? 404 : 200, "text/plain", "answer");
    };
    setTimeout(respond, target === "/slow" ? 150 : 0);
  });
  const useless = await warmUp({ targets: TARGETS, withinMs: 1200 }, OPTIONS, events);
  assert.equal([...useless].sort(), [
    ["/bad", "responds with 404"],
    ["/slow", "takes longer than 100 ms"],
    ["/stream", "responds with a stream"],
  ]);
  const count = (list: string[], target: string) => list.filter((entry) => entry === target).length;
  assert.equal(
    ["/bad", "/slow", "/stream"].map((target) => count(requests, target)),
    [2, 2, 2],
  );
  // A first call may be slow, and is repeated.
  const turns = requests.slice(requests.lastIndexOf("/slow") + 1);
  assert.ok(count(turns, "/a") > 1);
  assert.ok(Math.abs(count(turns, "/a") - count(turns, "/b")) <= 1);
});

test("opens new connections now and then", async () => {
  const connections = new Set<object>();
  let calls = 0;
  const events = respondWith((exchange) => {
    calls++;
    connections.add(exchange.connection);
    exchange.respond(200, "text/plain", "answer");
  });
  // A busy machine calls less.
  while (calls < 2000) {
    calls = 0;
    connections.clear();
    await warmUp({ targets: ["/a"], withinMs: 500 }, OPTIONS, events);
  }
  // Of the 40 that call at once, one in a hundred calls ends its connection.
  assert.ok(connections.size > 40, `${connections.size} connections`);
});

test("lets executors become idle in between", async () => {
  let atOnce = 0;
  let maxRunning = 0;
  let respondedAtMs = 0;
  let longestMs = 0;
  const events = respondWith((exchange) => {
    if (atOnce++ === 0 && maxRunning > 1) {
      longestMs = Math.max(longestMs, performance.now() - respondedAtMs);
    }
    maxRunning = Math.max(maxRunning, atOnce);
    setImmediate(() => {
      atOnce--;
      respondedAtMs = performance.now();
      exchange.respond(200, "text/plain", "answer");
    });
  });
  const isLong = () => longestMs > 2.5 * EXECUTOR_SWEEP_MS;
  // On a busy machine, no call may follow the pause.
  for (let tries = 0; tries < 5 && !isLong(); tries++) {
    await warmUp({ targets: ["/a"], withinMs: 500 }, OPTIONS, events);
  }
  assert.ok(isLong(), `${longestMs} ms`);
});

test("ends when all targets fail or the server does not respond", async () => {
  const refuse = respondWith((exchange) => exchange.respond(500, null, ""));
  const failures = await warmUp({ targets: ["/a"], withinMs: 3_600_000 }, OPTIONS, refuse);
  assert.equal([...failures], [["/a", "responds with 500"]]);
  const hang = respondWith(() => {});
  const hung = await warmUp({ targets: ["/a", "/b"], withinMs: 50 }, OPTIONS, hang);
  assert.equal([...hung], [["/a", "no response after 50 ms"]]);
});

test("rejects clients without the key", async () => {
  const { listen } = netTransport;
  const statuses: (number | undefined)[] = [];
  const listenAndCall: typeof listen = async (...args) => {
    const server = await listen(...args);
    for (const key of ["", "0".repeat(32), "short"]) {
      const headers = { "X-SVC-Warm-Up": key };
      const pending = get({ port: server.port, headers }, (response) => {
        statuses.push(response.resume().statusCode);
      });
      // The server may close while the rest of its response is read.
      pending.on("error", () => {});
    }
    return server;
  };
  Object.assign(netTransport, { listen: listenAndCall });
  try {
    // Fails, which ends the warm-up, once all clients have their response.
    const events = respondWith(function refuse(exchange): void {
      if (statuses.length < 3) setTimeout(refuse, 5, exchange);
      else exchange.respond(500, null, "");
    });
    await warmUp({ targets: ["/a"], withinMs: 3_600_000 }, OPTIONS, events);
  } finally {
    Object.assign(netTransport, { listen });
  }
  assert.equal(statuses, [403, 403, 403]);
});

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("piece");
}

test.run();
