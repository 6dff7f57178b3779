// Slots: queue ranges, order of choice, balance over executors, and avoidance of hung executors.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ExecutorLink } from "../../../runtime/engine/executor-link.js";
import type { PluginCall } from "../../../runtime/engine/plugin-call.js";
import { executorId, NO_SLOT, SlotTable } from "../../../runtime/engine/slot-table.js";

const test = suite("slot table");

function link(id: number): ExecutorLink & { silent: boolean } {
  return { id, alive: true, inFlight: 0, silent: false } as never;
}

const call = (serial: number) => ({ serial }) as PluginCall;

test("takes slots from the lowest queue, lowest id first", () => {
  const table = new SlotTable();
  table.share([link(0)]);
  const chosen: number[] = [];
  for (let serial = 0; serial < 33; serial++) {
    const slot = table.choose(0, 0);
    chosen.push(slot);
    if (slot !== NO_SLOT) table.take(slot, call(serial), table.owner(slot));
  }
  assert.equal(chosen, [...Array.from({ length: 32 }, (_, id) => id), NO_SLOT]);
});

test("reserves eight slots for the admin port", () => {
  const table = new SlotTable();
  table.share([link(0)]);
  const ids: number[] = [];
  for (let slot = table.choose(1, 0); slot !== NO_SLOT; slot = table.choose(1, 0)) {
    table.take(slot, call(0), table.owner(slot));
    ids.push(executorId(slot));
  }
  assert.equal(ids, [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("leaves the lower slots free with a minimum queue", () => {
  const table = new SlotTable();
  table.share([link(0)]);
  assert.equal(
    [0, 1, 2, 3].map((queue) => table.choose(0, queue)),
    [0, 3, 8, 15],
  );
  assert.equal(
    [0, 1, 2, 3].map((queue) => executorId(table.choose(1, queue))),
    [0, 2, 4, 6],
  );
});

test("alternates between idle executors", () => {
  const table = new SlotTable();
  const links = [link(0), link(1)];
  table.share(links);
  const owners: number[] = [];
  for (let serial = 0; serial < 6; serial++) {
    const slot = table.choose(0, 0);
    owners.push(table.owner(slot).id);
    table.take(slot, call(serial), table.owner(slot));
  }
  assert.equal(owners.filter((id) => id === 0).length, 3);
  assert.equal(owners.filter((id) => id === 1).length, 3);
});

test("distributes the remaining slots when executors do not divide them", () => {
  const table = new SlotTable();
  const links = [link(0), link(1), link(2)];
  table.share(links);
  const counts = [0, 0, 0];
  for (let slot = table.choose(0, 0); slot !== NO_SLOT; slot = table.choose(0, 0)) {
    counts[table.owner(slot).id]!++;
    table.take(slot, call(0), table.owner(slot));
  }
  assert.equal(counts, [11, 11, 10]);
});

test("uses a hung executor only when no other has a free slot", () => {
  const table = new SlotTable();
  const links = [link(0), link(1)];
  table.share(links);
  links[0]!.silent = true;
  const owners = new Set<number>();
  for (let serial = 0; serial < 16; serial++) {
    const slot = table.choose(0, 0);
    owners.add(table.owner(slot).id);
    table.take(slot, call(serial), table.owner(slot));
  }
  assert.equal([...owners], [1]);
  assert.is(table.owner(table.choose(0, 0)).id, 0);
});

test("never uses a dead executor", () => {
  const table = new SlotTable();
  const only = link(0);
  table.share([only]);
  only.alive = false;
  assert.is(table.choose(0, 0), NO_SLOT);
});

test("holds a slot until its request releases it", () => {
  const table = new SlotTable();
  const only = link(0);
  table.share([only]);
  table.take(0, call(7), only);
  assert.ok(table.holds(0, 7, only));
  assert.not(table.holds(0, 8, only));
  table.abandon(0);
  assert.ok(table.holds(0, 7, only));
  assert.is(table.call(0), null);
  table.release(0);
  assert.not(table.holds(0, 7, only));
  assert.is(table.choose(0, 0), 0);
});

test.run();
