// Round trip of class instances to a server and back, for random types with dates, numbers of any
// length, bytes, maps and sets. Compares both converters with a simple model of the JSON. A failure
// prints the seed; SEED=n repeats the run.

import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PlanBuilder } from "../../argspec/typed/build-plans.js";
import { schemaViews } from "../../argspec/typed/schema-view.js";
import { decode, encode } from "../../client/typescript/typed-values.js";
import { ShapeRule } from "../../compiler/check/shape-rule.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import { planText, shapePlans } from "../../compiler/emit/shape-view.js";
import type { PropertyShape, TypeShape, TypeTable } from "../../compiler/record/type-shape.js";
import { jsonText } from "../../runtime/plugin/contract/json-text.js";
import { typedArgument, typedResult } from "../../runtime/plugin/contract/typed-values.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("values of classes");
const ROUNDS = rounds(150);
const VALUES = 8;

class Money {
  constructor(readonly cents: bigint) {}
  static fromJSON({ cents }: { readonly cents: bigint }): Money {
    return new Money(cents);
  }
  toJSON() {
    return { cents: this.cents };
  }
}

const STR: TypeShape = { kind: "str" };
const DATE = text("Date", { format: "date-time" });
const BIGINT = text("bigint", { pattern: "^-?\\d+$", maxLength: 1000 });
const BYTES = text("Uint8Array", {});
const URL_SHAPE = text("URL", { format: "uri" });
const MAKER = { module: "m.ts", exportPath: "svc$Money" };
const LEAVES = [STR, { kind: "int" }, { kind: "null" }, DATE, BIGINT, BYTES, URL_SHAPE] as const;
const TABLE: TypeTable = {
  Money: { kind: "limited", base: object({ cents: BIGINT }), limits: {}, maker: MAKER },
};

function text(valueClass: string, limits: object): TypeShape {
  return { kind: "limited", base: { kind: "str" }, limits, valueClass } as TypeShape;
}

function object(shapes: Readonly<Record<string, TypeShape>>, optional = false): TypeShape {
  const properties = Object.entries(shapes).map(
    ([name, shape]): PropertyShape => ({ name, shape, optional, description: "" }),
  );
  return { kind: "object", properties, additional: null };
}

function randomShape(random: Random, depth: number): TypeShape {
  const part = () => randomShape(random, depth - 1);
  const tuple = (items: TypeShape[]): TypeShape => ({
    ...{ kind: "tuple", items, required: items.length, rest: null },
  });
  const record = { kind: "object", properties: [] } as const;
  switch (depth === 0 ? 0 : random.below(9)) {
    case 1:
      return { kind: "array", items: part() };
    case 2:
      return { kind: "array", items: part(), valueClass: "Set" };
    case 3:
      return { ...record, additional: part(), valueClass: "Map" };
    case 4:
      return { ...record, additional: part(), valueClass: "Map", hasNumberKeys: true };
    case 5:
      return { kind: "array", items: tuple([part(), part()]), valueClass: "Map" };
    case 6:
      return object({ a: part(), toString: part(), self: ref("Node") }, true);
    case 7:
      return { kind: "union", members: [{ kind: "null" }, part()] };
    case 8:
      return random.below(2) === 0 ? tuple([part(), part()]) : { ...record, additional: part() };
    default:
      return random.below(8) === 0 ? ref("Money") : random.of(LEAVES);
  }
}

function ref(name: string): TypeShape {
  return { kind: "ref", name };
}

/** Returns a value of a shape, and its JSON. */
function sample(random: Random, types: TypeTable, shape: TypeShape, depth: number): Pair {
  const inner = (part: TypeShape) => sample(random, types, part, depth - 1);
  switch (shape.kind) {
    case "ref": {
      if (shape.name !== "Money") return inner(types[shape.name]!);
      const cents = BigInt(random.below(1000));
      return [new Money(cents), { cents: String(cents) }];
    }
    case "union":
      return inner(random.of(shape.members));
    case "limited":
      return sampleText(random, shape.valueClass!);
    case "array":
      return sampleArray(shape, depth > 0 ? random.list(3, () => inner(shape.items)) : []);
    case "tuple":
      return split(shape.items.map(inner));
    case "object":
      return sampleObject(random, shape, depth, inner);
    case "null":
      return [null, null];
    default: {
      const value = shape.kind === "int" ? random.below(100) : random.of(["", "x", "2026-01-01"]);
      return [value, value];
    }
  }
}

type Pair = readonly [value: unknown, json: unknown];

function split(pairs: readonly Pair[]): [unknown[], unknown[]] {
  return [pairs.map(([value]) => value), pairs.map(([, json]) => json)];
}

function sampleText(random: Random, valueClass: string): Pair {
  if (valueClass === "Date") {
    const date = new Date(random.below(2 ** 31) * 1000);
    return [date, date.toISOString()];
  }
  if (valueClass === "bigint") {
    const digits = `${random.of(["", "-"])}${1 + random.below(9)}${"0".repeat(random.below(40))}`;
    return [BigInt(digits), digits];
  }
  if (valueClass === "URL") {
    const url = `https://example.org/${random.below(9)}?q=%20`;
    return [new URL(url), url];
  }
  const bytes = Uint8Array.from(random.list(9, () => random.below(256)));
  return [bytes, Buffer.from(bytes).toString("base64")];
}

function sampleArray({ valueClass }: Extract<TypeShape, { kind: "array" }>, items: Pair[]): Pair {
  const [values, json] = split(items);
  if (valueClass === undefined) return [values, json];
  if (valueClass === "Map") {
    const pairs = values as [unknown, unknown][];
    return [new Map(pairs), lastPairs(pairs, json)];
  }
  return [new Set(values), json.filter((_, index) => values.indexOf(values[index]) === index)];
}

/** Of equal keys the last value counts, at the place of the first. */
function lastPairs(pairs: readonly [unknown, unknown][], json: readonly unknown[]): unknown[] {
  const keys = pairs.map(([key]) => key);
  return json.flatMap((pair, index) => {
    if (keys.indexOf(keys[index]) !== index) return [];
    const [key] = pair as [unknown];
    return [[key, (json[keys.lastIndexOf(keys[index])] as [unknown, unknown])[1]]];
  });
}

function sampleObject(
  random: Random,
  shape: Extract<TypeShape, { kind: "object" }>,
  depth: number,
  inner: (part: TypeShape) => Pair,
): Pair {
  const properties = shape.properties.filter(() => depth > 0 && random.below(2) === 0);
  const keys = shape.hasNumberKeys ? ["-1.5", "2.5"] : ["k", "__proto__", "toString"];
  const more = shape.additional !== null && depth > 0 ? random.list(2, () => random.of(keys)) : [];
  const entries = [
    ...properties.map(({ name, shape: part }): [string, Pair] => [name, inner(part)]),
    ...[...new Set(more)].map((key): [string, Pair] => [key, inner(shape.additional!)]),
  ];
  const values = entries.map(([key, [value]]): [unknown, unknown] => {
    return [shape.hasNumberKeys ? Number(key) : key, value];
  });
  const json = Object.fromEntries(entries.map(([key, pair]) => [key, pair[1]]));
  if (shape.valueClass) return [new Map(values), json];
  return [Object.fromEntries(values), json];
}

const isTyped = (view: object) => "to" in view && view.to !== undefined;
const copy = (json: unknown) => JSON.parse(JSON.stringify(json));

test("arrive at the server, and back at the client, as instances of their classes", () => {
  const random = new Random();
  let converted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const types: TypeTable = { ...TABLE, Node: randomShape(random, 3) };
    const shape = random.below(4) === 0 ? ref("Node") : randomShape(random, 3);
    if (isAmbiguous(types, shape)) continue;
    const server = serverConverters(types, shape);
    const client = clientConverters(types, shape);
    for (let n = 0; n < VALUES; n++) {
      const [value, json] = sample(random, types, shape, 4);
      const label = `seed ${SEED}: ${JSON.stringify({ shape, types, json })}`;
      assert.is(new ShapeRule(types, "open").fault(shape, json), null, label);
      assert.is(JSON.stringify(client.encode(value)), JSON.stringify(json), label);
      assert.is(shown(server.decode(copy(json))), shown(value), label);
      assert.is(jsonText(server.encode(value)), JSON.stringify(json), label);
      // Clients know the form of a class with `fromJSON` only.
      const plainText = shown(value).replaceAll(`${Money.name} {`, "{");
      assert.is(shown(client.decode(copy(json))), plainText, label);
      converted += Number(client.isNeeded);
    }
  }
  assert.ok(converted > ROUNDS, `seed ${SEED}: only ${converted} values were converted`);
});

/** `assert.equal` does not compare keys of a Map that are objects. */
function shown(value: unknown): string {
  return inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY });
}

function isAmbiguous(types: TypeTable, shape: TypeShape): boolean {
  const plans = shapePlans(types, "arguments");
  plans.build(shape);
  return plans.conflicts.length > 0;
}

function serverConverters(types: TypeTable, shape: TypeShape) {
  const [argumentPlans, sent] = [shapePlans(types, "arguments"), shapePlans(types, "results")];
  const [plan, resultPlan] = [argumentPlans.build(shape), sent.build(shape)];
  const real = (realOf: unknown) =>
    new Function("Money", `return ${planText(realOf, () => "Money")};`)(Money);
  const take = plan && typedArgument(real(plan), real(argumentPlans.plans));
  const send = resultPlan && typedResult(real(resultPlan), sent.plans);
  return {
    decode: (json: unknown) => (take ? take(json, "x") : json),
    encode: (value: unknown) => (send ? send(value) : value),
  };
}

function clientConverters(types: TypeTable, shape: TypeShape) {
  const $defs = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, toJsonSchema(type)]),
  );
  const builder = new PlanBuilder(schemaViews($defs), isTyped);
  const plan = builder.build(toJsonSchema(shape));
  const { plans } = builder;
  return {
    isNeeded: plan !== null,
    encode: (value: unknown) => (plan ? encode(value, plan, plans) : value),
    decode: (json: unknown) => (plan ? decode(json, plan, plans, "x") : json),
  };
}

test.run();
