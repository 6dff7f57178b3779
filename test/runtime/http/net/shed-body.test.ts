// Bodies that are refused while they arrive, because the memory for bodies is used up.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BodyBudget } from "../../../../runtime/http/net/body-store.js";
import { Client, Clients } from "../../../../runtime/http/net/clients.js";
import { ResponseMemory } from "../../../../runtime/http/net/response-memory.js";
import { type ArrivingBody, shedLargestBody } from "../../../../runtime/http/net/shed-body.js";

const test = suite("arriving bodies");

/** Clients that share 1,000 bytes, 100 of them for small bodies, and the bodies that arrive. */
function setUp() {
  const budget = new BodyBudget(1000, 100);
  const responseMemory = new ResponseMemory(1000, null);
  const limits = { connections: 0, requestsPerSecond: 0 };
  const bodies = new Set<ArrivingBody>();
  const shed: number[] = [];
  const makeRoom = (client: Client, bytes: number) => shedLargestBody(bodies, client, bytes);
  const clients = new Clients(
    (key) => new Client(key, budget, 500, responseMemory, limits, makeRoom),
  );
  /** Adds a body of a client, if there is memory for it. */
  const add = (address: string, bytes: number): boolean => {
    const owner = clients.at(address);
    if (!owner.take(bytes, true)) return false;
    const body = {
      owner,
      bytes,
      shed() {
        bodies.delete(body);
        owner.give(bytes);
        shed.push(bytes);
      },
    };
    bodies.add(body);
    return true;
  };
  return { add, shed, budget, clients };
}

test("are rejected in favor of a client that holds less, the largest first", () => {
  const { add, shed } = setUp();
  const sizes: [string, number][] = [
    ["10.0.0.1", 200],
    ["10.0.0.1", 230],
    ["10.0.0.1", 20],
    ["10.0.0.2", 400],
    ["10.0.0.3", 30],
  ];
  for (const [address, bytes] of sizes) assert.ok(add(address, bytes));
  assert.ok(add("10.0.0.4", 100));
  assert.equal(shed, [230]);
  assert.ok(add("10.0.0.4", 200));
  assert.equal(shed, [230, 400]);
});

test("are kept if the new body would give its client as much memory", () => {
  const { add, shed, budget } = setUp();
  for (const address of ["10.0.0.1", "10.0.0.2"]) assert.ok(add(address, 440));
  assert.not.ok(add("10.0.0.3", 440));
  assert.not.ok(add("10.0.0.1", 30));
  assert.equal(shed, []);
  assert.is(budget.used, 880);
});

test("are rejected one by one until there is enough memory", () => {
  const { add, shed } = setUp();
  for (let count = 0; count < 9; count++) assert.ok(add("10.0.0.1", 50));
  assert.ok(add("10.0.0.2", 380));
  assert.ok(add("10.0.0.3", 130));
  assert.equal(shed, [50, 50]);
});

test.run();
