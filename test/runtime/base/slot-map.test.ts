// Every key has exactly one owner, however many there are.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { divideSlots, findShare, renameOwners, SlotMap } from "../../../runtime/base/slot-map.js";
import { Random, SEED } from "../../property/support/random.js";
import { rounds } from "../../support/rounds.js";

const test = suite("slot map");

/** Returns how many slots each owner has. */
function countSlots(map: SlotMap, owners: number): number[] {
  const counts: number[] = new Array(owners).fill(0);
  for (let slot = 0; slot < map.count; slot++) counts[map.ownerOf(slot)]!++;
  return counts;
}

test("divides the slots into contiguous shares that differ by one at most", () => {
  for (const owners of [1, 2, 3, 5, 24, 127, 128, 500, 4096]) {
    const runs = divideSlots(4096, owners);
    const counts = countSlots(new SlotMap(runs), owners);
    assert.is(runs.runs.length, owners);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${owners}: ${counts}`);
    assert.ok(Math.min(...counts) > 0);
  }
});

test("gives every key one owner, and all groups about as many", () => {
  const random = new Random();
  for (let round = 0; round < rounds(5); round++) {
    const owners = 1 + random.below(40);
    const map = new SlotMap(divideSlots(4096, owners));
    const counts: number[] = new Array(owners).fill(0);
    const total = 500 * owners;
    for (let key = 0; key < total; key++) counts[map.ownerOfKey(`key ${random.below(2 ** 31)}`)]!++;
    assert.is(
      counts.reduce((sum, count) => sum + count),
      total,
    );
    assert.ok(Math.max(...counts) < 700, `${counts}, seed ${SEED}`);
    assert.ok(Math.min(...counts) > 300, `${counts}, seed ${SEED}`);
  }
});

test("a dispatcher's map names partitions, and none for groups not below it", () => {
  const map = divideSlots(16, 4);
  const partitions = [1, -1, 0, 0];
  const renamed = renameOwners(map, (group) => partitions[group]!);
  assert.equal(renamed.runs, [
    [0, 1],
    [4, -1],
    [8, 0],
  ]);
  assert.equal(countSlots(new SlotMap(renamed), 2), [8, 4]);
});

test("shares without a map are equal ranges", () => {
  for (let width = 1; width <= 9; width++) {
    const owners = new Set(Array.from({ length: 300 }, (_, key) => findShare(`${key}`, width)));
    assert.equal([...owners].sort(), [...Array(width).keys()]);
  }
});

test.run();
