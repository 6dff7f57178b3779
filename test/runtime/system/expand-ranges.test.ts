// Ranges in a descriptor stand for instances, within limits.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { planInstance } from "../../../runtime/system/instance-plan.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("ranges of a descriptor");

function messageOf(given: unknown): string {
  try {
    readDescriptor(given);
    return "";
  } catch (error) {
    return (error as SvcError).message;
  }
}

const DESCRIPTOR = {
  graphs: ["g"],
  common: { graph: "g" },
  instances: {
    T: { type: "dispatch", hport: 9000 },
    "D{1..2}": { type: "dispatch", hport: 9000, host: "d{1}" },
    "B{1..2}.{1..3}": { type: "builder", hport: 9000, host: "b{1}-{2}.example" },
    "S{1..2}.{1..3}": { type: "search", hport: 9000, tport: 9100, host: "s{1}-{2}" },
  },
  topology: {
    transaction: { "B{1..2}.{1..3}": ["S{1}.{2}"] },
    dispatch: {
      T: [{ partitions: ["D{1..2}"] }],
      "D{1..2}": [{ partitions: ["S{1}.{1..3}"] }, { partitions: ["B{1}.{1..3}"] }],
    },
  },
};

test("stand for all their names, in keys, lists and values", () => {
  const system = readDescriptor(DESCRIPTOR);
  assert.is(system.instances.size, 15);
  assert.is(system.instances.get("B2.3")!.host, "b2-3.example");
  assert.is(system.providers.get("S2.1"), "B2.1");
  assert.equal(system.matrices.get("T")!.partitions, [["D1"], ["D2"]]);
  assert.equal(system.matrices.get("D2")!.partitions.flat(), [
    ...["S2.1", "B2.1", "S2.2", "B2.2", "S2.3", "B2.3"],
  ]);
  // It stays small on its way.
  assert.equal(Object.keys((system.descriptor as typeof DESCRIPTOR).instances), [
    ...Object.keys(DESCRIPTOR.instances),
  ]);
});

test("a system of ten thousand leaves has a small descriptor, and is read quickly enough", () => {
  const instances = {
    T: { type: "dispatch", hport: 9000 },
    "D{1..71}": { type: "dispatch", hport: 9000, host: "d{1}" },
    "S{1..2}.{1..71}.{1..71}": { type: "search", hport: 9000, host: "s{1}-{2}-{3}" },
  };
  const dispatch = {
    T: [{ partitions: ["D{1..71}"] }],
    "D{1..71}": [{ partitions: ["S1.{1}.{1..71}"] }, { partitions: ["S2.{1}.{1..71}"] }],
  };
  const given = { instances, topology: { dispatch } };
  assert.ok(JSON.stringify(given).length < 500);
  const system = readDescriptor(given);
  assert.is(system.instances.size, 1 + 71 + 2 * 71 * 71);
  assert.is(planInstance(system, "D71").dispatcher!.partitions.length, 71);
});

test("have limits", () => {
  const named = (id: string, more = {}) => ({ instances: { [id]: { hport: 9000, ...more } } });
  assert.match(messageOf(named("S{2..1}")), /range \{2\.\.1\} of S\{2\.\.1\} is empty/);
  assert.match(messageOf(named("S{1..99999}{1..99999}{1..99999}")), /exceeds 100000 names/);
  assert.match(messageOf(named("S{1..20000}", { host: "s{1}" })), /16384 at most, not 20000/);
  assert.match(messageOf(named("S{1}")), /id of letters, digits, \. _ - required/);
  assert.match(messageOf(named("S{1..2}", { host: "s{2}" })), /host name or address required/);
  const twice = { instances: { S2: { hport: 1000 }, "S{1..2}": { hport: 9000, host: "s{1}" } } };
  assert.match(messageOf(twice), /has S2 twice: see S\{1\.\.2\}/);
});

test.run();
