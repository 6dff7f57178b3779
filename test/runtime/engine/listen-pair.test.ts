// Pairs of ports: which are tried when any will do, and what is said when none can be had.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listenPair } from "../../../runtime/engine/listen-pair.js";

const test = suite("pairs of ports");
const ANY = { port: 0, ip: null, adminIp: null };

/** A machine on which `isFree` tells of each port; 0 gives one of those that clients get, too. */
function machine(isFree: (port: number) => boolean) {
  const bound = new Set<number>();
  let asked = 0;
  const listen = async (given: number) => {
    asked++;
    const port = given === 0 ? 40_001 + 2 * (asked % 1000) : given;
    if (bound.has(port) || !isFree(port)) {
      throw Object.assign(new Error("taken"), { code: "EADDRINUSE" });
    }
    bound.add(port);
    return { port, close: async () => bound.delete(port) } as never;
  };
  return { bound, listen, asked: () => asked };
}

test("any pair is found where clients hold every port that they are given", async () => {
  const { bound, listen } = machine((port) => port < 32_768);
  const servers = await listenPair(ANY, listen);
  const [main, admin] = servers.map(({ port }) => port);
  assert.is(admin, main! + 1);
  assert.equal([...bound].sort(), [main, admin]);
});

test("where no pair is free, that is said, and nothing stays bound", async () => {
  const { bound, listen } = machine((port) => port % 2 === 1);
  const error = await listenPair(ANY, listen).catch((thrown: Error) => thrown);
  assert.match((error as Error).message, /^no pair of free ports in 200 tries; of the last: /);
  assert.is(bound.size, 0);
});

test("an address that cannot be had is said at once", async () => {
  let asked = 0;
  const listen = async () => {
    asked++;
    throw Object.assign(new Error("no such address"), { code: "EADDRNOTAVAIL" });
  };
  const error = await listenPair({ ...ANY, ip: "192.0.2.1" }, listen).catch((thrown) => thrown);
  assert.match(error.message, /main port \d+ of 192\.0\.2\.1 cannot be bound: no such address/);
  assert.is(asked, 1);
});

test.run();
