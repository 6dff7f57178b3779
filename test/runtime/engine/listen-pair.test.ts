// Pairs of consecutive ports: the candidates for any port, and the error when no pair is free.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listenPair } from "../../../runtime/engine/listen-pair.js";

const test = suite("pairs of ports");
const ANY = { port: 0, ip: null, adminIp: null };

/** A machine where `isFree` decides for each port; port 0 yields an ephemeral one. */
function machine(isFree: (port: number) => boolean) {
  const bound = new Set<number>();
  let calls = 0;
  const listen = async (requestedPort: number) => {
    calls++;
    const port = requestedPort === 0 ? 40_001 + 2 * (calls % 1000) : requestedPort;
    if (bound.has(port) || !isFree(port)) {
      throw Object.assign(new Error("taken"), { code: "EADDRINUSE" });
    }
    bound.add(port);
    return { port, close: async () => bound.delete(port) } as never;
  };
  return { bound, listen, asked: () => calls };
}

test("finds a pair outside the ephemeral range when clients occupy that range", async () => {
  const { bound, listen } = machine((port) => port < 32_768);
  const servers = await listenPair(ANY, listen);
  const [main, admin] = servers.map(({ port }) => port);
  assert.is(admin, main! + 1);
  assert.equal([...bound].sort(), [main, admin]);
});

test("fails and releases all ports when no pair is free", async () => {
  const { bound, listen } = machine((port) => port % 2 === 1);
  const error = await listenPair(ANY, listen).catch((thrown: Error) => thrown);
  assert.match((error as Error).message, /^no free port pair after 200 attempts; last error: /);
  assert.is(bound.size, 0);
});

test("fails at once for an unavailable address", async () => {
  let calls = 0;
  const listen = async () => {
    calls++;
    throw Object.assign(new Error("no such address"), { code: "EADDRNOTAVAIL" });
  };
  const error = await listenPair({ ...ANY, ip: "192.0.2.1" }, listen).catch((thrown) => thrown);
  assert.match(error.message, /main port \d+ of 192\.0\.2\.1 cannot be bound: no such address/);
  assert.is(calls, 1);
});

test("distinguishes failures that another port may avoid from others", async () => {
  for (const [code, expected] of [
    ["EADDRINUSE", "SVC2202: main port 99 is in use"],
    ["EACCES", "SVC2202: main port 99 requires more privileges"],
    ["EMFILE", "SVC3093: main port 99 cannot be bound: refused"],
    ["ENFILE", "SVC3093: main port 99 cannot be bound: refused"],
    ["EOTHER", "SVC2202: main port 99 cannot be bound: refused"],
    [undefined, "SVC2202: main port 99 cannot be bound: refused"],
  ] as const) {
    const listen = async () => {
      throw Object.assign(new Error("refused"), { code });
    };
    const error = await listenPair({ ...ANY, port: 99 }, listen).catch((thrown) => thrown);
    assert.is(`${error.code}: ${error.message}`, expected);
  }
});

test.run();
