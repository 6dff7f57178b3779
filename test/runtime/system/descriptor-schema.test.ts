// The JSON schema of descriptors accepts valid ones, and rejects nothing that `readDescriptor`
// accepts: seeded random changes of a valid descriptor.

import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { descriptorSchema } from "../../../runtime/system/descriptor-schema.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { rounds } from "../../support/rounds.js";
import { eightNodes } from "./eight-nodes.js";

const test = suite("descriptor schema");
const validate = new Ajv2020({ strict: false }).compile(descriptorSchema());

function isRead(value: unknown): boolean {
  try {
    readDescriptor(value);
    return true;
  } catch {
    return false;
  }
}

test("accepts the system of eight nodes and the minimal one", () => {
  assert.ok(validate(eightNodes()), JSON.stringify(validate.errors));
  assert.ok(validate({ instances: { G1: { hport: 9000 } } }));
  const archive = { from: "G1", to: "/backup", every: "30s", full: null };
  assert.ok(validate({ instances: { G1: { hport: 9000 } }, archive }));
});

test("rejects other shapes", () => {
  const instance = (more: object) => ({ instances: { G1: { hport: 9000, ...more } } });
  const invalidDescriptors: readonly unknown[] = [
    ...[null, [], {}, { instances: {} }, { instances: { "a,b": {} } }],
    ...[{ type: "serch" }, { hport: 0 }, { hport: 65_535 }, { tport: -1 }].map(instance),
    ...[{ host: "a b" }, { prefix: "?" }, { durable: "yes" }, { description: "" }].map(instance),
    { ...instance({}), graphs: ["a/b"] },
    { ...instance({}), archive: { from: "G1" } },
    { ...instance({}), archive: { from: "G1", to: "/backup", every: "1 s" } },
    { ...instance({}), topology: { transaction: 5 } },
    { ...instance({}), topology: { dispatch: { G1: [{ channels: 0, partitions: [] }] } } },
    { ...instance({}), topology: { dispatch: { G1: [{}] } } },
  ];
  for (const value of invalidDescriptors) {
    assert.not(validate(value), JSON.stringify(value));
    assert.not(isRead(value), JSON.stringify(value));
  }
});

/** Sample values of all kinds that a user may write. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 2, 127, 128, 65_534, 65_535, 65_536, 1.5, "", "x", "a b", "*"],
  ...["search", "S1.1", "10.0.0.7", [], {}, [[]], ["S1.1"], [["S1.1", null]], { "S1.1": {} }],
];

/** A copy with one random value replaced or removed. */
function changed(value: unknown, random: () => number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (typeof value !== "object" || value === null || random() < 0.1) return pick(VALUES);
  const keys = Object.keys(value);
  const copy = structuredClone(value) as Record<string, unknown>;
  if (keys.length === 0) return pick(VALUES);
  const key = pick(keys);
  if (random() < 0.1 && !Array.isArray(value)) delete copy[key];
  else copy[key] = changed(copy[key], random);
  return copy;
}

test("rejects nothing that the reader accepts", () => {
  let seed = Number(process.env.SEED ?? 18);
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  let taken = 0;
  for (let round = 0; round < rounds(3000); round++) {
    const value = changed(random() < 0.5 ? eightNodes() : changed(eightNodes(), random), random);
    if (!isRead(value)) continue;
    taken++;
    assert.ok(validate(value), `${JSON.stringify(value)}: ${JSON.stringify(validate.errors)}`);
  }
  assert.ok(taken > 100, `${taken} were read`);
});

test.run();
