// Ranges in a descriptor stand for instances, within limits.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { planInstance } from "../../../runtime/system/instance-plan.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("ranges of a descriptor");

function errorMessage(descriptor: unknown): string {
  try {
    readDescriptor(descriptor);
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

test("expand to all their names in keys, lists and values", () => {
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

test("a count of dispatchers stands for a range", () => {
  const count = (of: unknown, more: object = {}) => ({
    ...DESCRIPTOR,
    instances: {
      ...DESCRIPTOR.instances,
      T: { type: "dispatch", hport: 9000, host: "t{1}", count: of, ...more },
    },
  });
  const system = readDescriptor(count(3));
  const ids = ["T1", "T2", "T3"];
  assert.equal([...system.matrices.keys()].slice(0, 3), ids);
  for (const id of ids) {
    assert.is(system.instances.get(id)!.host, id.toLowerCase());
    assert.equal(system.matrices.get(id)!.partitions, [["D1"], ["D2"]]);
  }
  // An instance that reads the descriptor again has the same system.
  assert.equal(readDescriptor(system.descriptor).descriptor, system.descriptor);
  assert.ok(readDescriptor(count(null, { host: "t" })).instances.has("T"));
  for (const invalidCount of [0, 1.5, "3", -1, 16_385]) {
    assert.match(errorMessage(count(invalidCount)), /instances\.T\.count.*positive integer/);
  }
  assert.match(errorMessage(count(2, { type: "search" })), /instances\.T\.count.*type dispatch/);
  const ranged = { type: "dispatch", hport: 9000, host: "x{1}", count: 2 };
  assert.match(
    errorMessage({ ...DESCRIPTOR, instances: { ...DESCRIPTOR.instances, "X{1..2}": ranged } }),
    /X\{1\.\.2\}\.count.*range/,
  );
  assert.match(errorMessage({ ...DESCRIPTOR, common: { count: 2 } }), /count/);
  const { T } = count(2).instances;
  const twice = (instances: object, dispatch: object = {}) => {
    const levels = { ...DESCRIPTOR.topology.dispatch, ...dispatch };
    const topology = { ...DESCRIPTOR.topology, dispatch: levels };
    const every = { ...DESCRIPTOR.instances, ...instances };
    return errorMessage({ ...DESCRIPTOR, topology, instances: every });
  };
  const again = { type: "dispatch", hport: 9000, host: "u{1}" };
  assert.match(twice({ T, "T{1..2}": again }), /has T\{1\.\.2\} twice: see T$/m);
  assert.match(twice({ T, T2: { ...again, host: "u" } }), /has T2 twice/);
  assert.match(twice({ T }, { "T{1..2}": [] }), /has T\{1\.\.2\} twice: see T$/m);
});

test("a count keeps the type that all instances share", () => {
  const { T: _, ...engines } = DESCRIPTOR.instances;
  const descriptor = {
    ...DESCRIPTOR,
    common: { graph: "g", type: "dispatch" },
    instances: { T: { hport: 9000, host: "t{1}", count: 2 }, ...engines },
  };
  const { instances } = readDescriptor(descriptor);
  assert.is(instances.get("T2")!.type, "dispatch");
  // It asks its engines for their graphs.
  assert.equal(instances.get("T2")!.graphs, []);
  const generic = { ...descriptor.instances.T, type: "generic" };
  const message = errorMessage({
    ...descriptor,
    instances: { ...descriptor.instances, T: generic },
  });
  assert.match(message, /instances\.T\.count.*type dispatch/);
});

test("a system of ten thousand leaves has a small descriptor that is read in time", () => {
  const instances = {
    T: { type: "dispatch", hport: 9000 },
    "D{1..71}": { type: "dispatch", hport: 9000, host: "d{1}" },
    "S{1..2}.{1..71}.{1..71}": { type: "search", hport: 9000, host: "s{1}-{2}-{3}" },
  };
  const dispatch = {
    T: [{ partitions: ["D{1..71}"] }],
    "D{1..71}": [{ partitions: ["S1.{1}.{1..71}"] }, { partitions: ["S2.{1}.{1..71}"] }],
  };
  const descriptor = { instances, topology: { dispatch } };
  assert.ok(JSON.stringify(descriptor).length < 500);
  const system = readDescriptor(descriptor);
  assert.is(system.instances.size, 1 + 71 + 2 * 71 * 71);
  assert.is(planInstance(system, "D71").dispatcher!.partitions.length, 71);
});

const named = (id: string, more = {}) => ({ instances: { [id]: { hport: 9000, ...more } } });

test("have limits", () => {
  assert.match(errorMessage(named("S{2..1}")), /range of S\{2\.\.1\} is empty/);
  assert.match(errorMessage(named("S{1..99999}{1..99999}{1..99999}")), /exceeds 100000 names/);
  assert.match(errorMessage(named("S{1..20000}", { host: "s{1}" })), /16384 at most, not 20000/);
  assert.match(errorMessage(named("S{1}")), /id of letters, digits, \. _ - required/);
  assert.match(errorMessage(named("S{1..2}", { host: "s{2}" })), /host name or address required/);
});

test("that overlap are errors", () => {
  const twice = { instances: { S2: { hport: 1000 }, "S{1..2}": { hport: 9000, host: "s{1}" } } };
  assert.match(errorMessage(twice), /has S2 twice: see S\{1\.\.2\}/);
  const instances = { T: { hport: 8000 }, "S{1..3}": { hport: 9000, host: "s{1}" } };
  const rows = (partitions: readonly string[]) => ({
    topology: { dispatch: { T: [{ partitions }] } },
  });
  const inRow = { instances, ...rows(["S{1..2}", "S{2..3}"]) };
  assert.match(errorMessage(inRow), /engine S2 is in two places/);
  const inTree = { instances, topology: { transaction: { "S{1..2}": [], "S{2..3}": [] } } };
  assert.match(errorMessage(inTree), /has S2 twice: see S\{2\.\.3\}/);
});

for (const id of [
  "S{-1..3}",
  "S{1..1e3}",
  "S{1..100000}",
  "S{01..10}",
  "S{1..{1..2}}",
  "S{1...3}",
]) {
  test(`reject ${id}`, () => {
    assert.match(errorMessage(named(id)), /^System descriptor range of S\{.* is invalid: \{from/);
    const list = { ...named("S"), topology: { transaction: { S: [id] } } };
    assert.match(errorMessage(list), /^System descriptor range of S\{.* is invalid: \{from/);
  });
}

test("do not use numbers of other ranges", () => {
  const nested = { ...DESCRIPTOR, topology: { transaction: { "B1.{2..3}": ["S1.{1..{1}}"] } } };
  assert.match(errorMessage(nested), /range of S1\.\{1\.\.\{1\}\} is invalid/);
});

test("leave comments alone", () => {
  const system = readDescriptor(named("S{1..2}", { host: "s{1}", comment: ["S{9..1}", "{1}"] }));
  const { comment } = system.namedInstances.S2 as { readonly comment: unknown };
  assert.equal(comment, ["S{9..1}", "{1}"]);
});

test("of hostile sizes are rejected without work", () => {
  const long = "x".repeat(100_000);
  const ofKeys = errorMessage(named("S{1..10000}", { [long]: 1 }));
  assert.match(ofKeys, /stand for over 8388608 characters/);
  assert.ok(ofKeys.length < 110_000);
  assert.match(
    errorMessage(named("S{1..10000}", { description: long })),
    /over 8388608 characters/,
  );
  assert.match(errorMessage(named("S{1..10000}", { graph: [{ [long]: [long] }] })), /over 8388608/);
  assert.match(errorMessage(named("{1..1}".repeat(100_000))), /is one of 100000: 9 at most/);
  assert.match(errorMessage(named("{..".repeat(300_000))), /is invalid/);
  const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key${n}`, n]));
  assert.match(errorMessage(named("S{1..200}", unknown)), /and \d+ more$/);
});

test.run();
