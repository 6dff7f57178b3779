// Invariants of slot moves. After each step, all members agree on the owners of a map version, and
// a merged response contains each key once. At the end, each acknowledged change is stored by the
// owner of its key, and no other group has that key.

import * as assert from "uvu/assert";
import { SlotMap } from "../../../../runtime/base/slot-map.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import { findOwner, KEYS, SLOTS } from "./simulated-dispatcher.js";
import type { Content, Member, SimulatedGroup } from "./simulated-group.js";

/** @throws AssertionError */
export function checkOwners(members: readonly { readonly record: SlotRecord }[]): void {
  const maps = new Map<number, SlotRecord["map"]>();
  for (const { record } of members) {
    const known = maps.get(record.version) ?? record.map;
    // Most members share one object; this runs after each step.
    if (record.map === known) maps.set(record.version, known);
    else assert.equal(record.map, known, `two maps of version ${record.version}`);
  }
}

/** @throws AssertionError if a key is missing, or in several parts */
export function checkResponse(
  before: Content,
  parts: readonly { readonly content: Content }[],
): void {
  for (let key = 0; key < KEYS; key++) {
    const holders = parts.filter(({ content }) => content.has(key));
    assert.ok(holders.length <= 1, `key ${key} is twice in an answer`);
    for (const serial of before.get(key) ?? []) {
      assert.ok(holders[0]?.content.get(key)?.has(serial), `an answer lacks ${serial} of ${key}`);
    }
  }
}

/**
 * @param sharingGroups groups that share the slots
 * @throws AssertionError
 */
export function checkEnd(
  members: readonly Member[],
  groups: readonly SimulatedGroup[],
  sharingGroups: readonly string[],
  acknowledged: Content,
): void {
  const { record } = members[0]!;
  for (const { id, record: memberRecord } of members) {
    assert.is(memberRecord.version, record.version, id);
    assert.is(memberRecord.move, null, id);
  }
  const shares = new Map<string, number>();
  for (let slot = 0; slot < SLOTS; slot++) {
    const owner = record.groups[new SlotMap(record.map).ownerOf(slot)]!;
    shares.set(owner, (shares.get(owner) ?? 0) + 1);
  }
  const counts = sharingGroups.map((group) => shares.get(group) ?? 0);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, "equal shares");
  for (let key = 0; key < KEYS; key++) {
    const owner = record.groups[findOwner(record, key)];
    for (const group of groups) {
      const { content } = group.leading!;
      if (group.name !== owner) {
        assert.not.ok(content.has(key), `key ${key} is still in ${group.name}`);
        continue;
      }
      for (const serial of acknowledged.get(key) ?? []) {
        assert.ok(content.get(key)?.has(serial), `change ${serial} of key ${key} is lost`);
      }
    }
  }
}
