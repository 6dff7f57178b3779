// Valid property values, results of adding to them, and their bytes.

import { deserialize, serialize } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { DataError, ValueError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { OperationCode } from "../../../../runtime/graph/store/operation.js";
import {
  decodeStoredValue,
  validatePackedValue,
} from "../../../../runtime/graph/store/property-codec.js";
import {
  incrementValue,
  PackedValue,
  PropertyKind,
  type PropertyValue,
  validatePropertyKey,
  validatePropertyValue,
} from "../../../../runtime/graph/store/property-values.js";
import { loggedStore, makeUnit, packed, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("property values");

const original = loggedStore();
const copy = GraphStore.create("test", TEST_THREAD);
openStore(original).createVertex("v", { properties: { key: 0 } });
replayTo(original, copy);
const KEY = copy.keys.codeOf("key");

/** Value on a replica for a value of the provider. */
function roundTrip(value: PropertyValue): PropertyValue {
  const vertex = openStore(original).openVertex("v");
  vertex.setProperty("key", value);
  vertex.close();
  replayTo(original, copy);
  return copy.properties.all(copy.ids.find("v")).key as PropertyValue;
}

/** Applies a record that sets a value to these bytes. */
function applyValue([kind = 0, ...bytes]: readonly number[]): void {
  const head = OperationCode.SetProperty | (kind << 8) | (KEY << 16);
  applyTransaction(
    copy,
    makeUnit(copy.operationCount, [head, 0, ...packed("v"), ...packed(bytes)]),
    0,
  );
}

function failsWith(run: () => unknown, type: new (text: string) => Error, text: string): void {
  try {
    run();
  } catch (error) {
    assert.instance(error, type);
    assert.is((error as Error).message, text);
    return;
  }
  assert.unreachable(`no ${type.name}`);
}

const isTypeError = (error: Error): boolean => error instanceof TypeError;
const isValueError = (error: Error): boolean => error instanceof ValueError;

test("have keys that begin with a letter", () => {
  for (const key of ["a", "Age", "a_b.c#$%@9", "constructor"])
    assert.is(validatePropertyKey(key), key);
  for (const key of ["", "_a", "9a", "a b", "*a", "é", "a\n"]) {
    failsWith(() => validatePropertyKey(key), ValueError, `invalid property key: '${key}'`);
  }
  failsWith(() => validatePropertyKey(5), ValueError, "invalid property key: 'number'");
  failsWith(
    () => validatePropertyKey("a".repeat(131_001)),
    ValueError,
    `invalid property key: '${"a".repeat(100)}'`,
  );
});

test("preserve numbers, strings and null", () => {
  for (const value of [0, -1, 7, 3.14, 2 ** 53 - 1, -(2 ** 53) + 1, 1e-300, "", "é€😀", null]) {
    assert.is(validatePropertyValue(value), value);
    assert.is(roundTrip(value), value);
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0]) {
    assert.ok(Object.is(roundTrip(value), value));
  }
  assert.is(validatePropertyValue(true), 1);
  assert.is(validatePropertyValue(false), 0);
  assert.is(validatePropertyValue(undefined), null);
  assert.is(validatePropertyValue(12n), 12);
});

test("limit integers to 2^53 - 1, but not floats", () => {
  for (const value of [2 ** 53, -(2 ** 53), 2 ** 62, 2n ** 60n, 2n ** 64n, [1, 2 ** 53]]) {
    failsWith(() => validatePropertyValue(value), ValueError, "integer value out of range");
  }
  assert.equal(validatePropertyValue(new Float(1e300)), new Float(1e300));
  assert.equal(validatePropertyValue(1e300), new Float(1e300));
  assert.equal(validatePropertyValue(-(2 ** 63)), new Float(-(2 ** 63)));
  assert.is((validatePropertyValue([1, 1e300]) as PackedValue).kind, PropertyKind.Floats);
  assert.is(roundTrip(new Float(2 ** 60)), 2 ** 60);
  assert.equal(copy.properties.stored(copy.ids.find("v"), KEY), new Float(2 ** 60));
  assert.is(roundTrip(new Float(7)), 7);
  assert.equal(copy.properties.stored(copy.ids.find("v"), KEY), new Float(7));
  assert.is(validatePropertyValue(new Float(7.5)), 7.5);
  assert.throws(() => new Float("7" as unknown as number), isTypeError);
});

test("limit strings and bytes to 131,000 bytes", () => {
  const maxLength = 131_000;
  assert.is(roundTrip("a".repeat(maxLength)), "a".repeat(maxLength));
  const text = `property value too long: ${maxLength + 1} bytes, max is ${maxLength}`;
  failsWith(() => validatePropertyValue("a".repeat(maxLength + 1)), ValueError, text);
  failsWith(() => validatePropertyValue(`${"é".repeat(maxLength / 2)}a`), ValueError, text);
  failsWith(() => validatePropertyValue(new Uint8Array(maxLength + 1)), ValueError, text);
  assert.throws(() => validatePropertyValue({ text: "a".repeat(maxLength) }), isValueError);
});

test("copy bytes on reads and writes", () => {
  const bytes = Buffer.from([1, 2, 255]);
  const stored = validatePropertyValue(bytes) as PackedValue;
  bytes[0] = 9;
  const out = decodeStoredValue(stored) as Uint8Array;
  assert.equal([...out], [1, 2, 255]);
  out[0] = 9;
  assert.equal([...(decodeStoredValue(stored) as Uint8Array)], [1, 2, 255]);
  assert.is(out.constructor, Uint8Array);
});

test("store lists of numbers as integers or floats, other lists as opaque", () => {
  const packedKind = (value: unknown): number => (validatePropertyValue(value) as PackedValue).kind;
  assert.is(packedKind([1, -2]), PropertyKind.Integers);
  assert.is(packedKind([]), PropertyKind.Integers);
  assert.is(packedKind([1, 2.5]), PropertyKind.Floats);
  assert.is(packedKind([1, "a"]), PropertyKind.Opaque);
  assert.is(packedKind(Object.assign(new Array(3), [1])), PropertyKind.Opaque);
  for (const list of [[], [2 ** 53 - 1, -5], [0.1, Number.NaN, 1e300]]) {
    assert.equal(roundTrip(list), list);
  }
  const longest = Array.from({ length: 16_375 }, (_, index) => index);
  assert.equal(roundTrip(longest), longest);
  failsWith(() => validatePropertyValue([...longest, 1]), ValueError, "too many values");
});

test("store maps of int32 to numbers as float32, other maps as opaque", () => {
  const map = new Map([
    [1, 3.14],
    [-(2 ** 31), 7],
  ]);
  assert.equal(
    roundTrip(map),
    new Map([
      [1, Math.fround(3.14)],
      [-(2 ** 31), 7],
    ]),
  );
  const sample = new Map<unknown, unknown>([
    [2 ** 31, 1],
    ["a", { b: [1] }],
  ]);
  assert.is((validatePropertyValue(sample) as PackedValue).kind, PropertyKind.Opaque);
  assert.equal(roundTrip(sample), sample);
  const largest = new Map(Array.from({ length: 5_406 }, (_, index) => [index, 0.5]));
  assert.equal(roundTrip(largest), largest);
  failsWith(() => validatePropertyValue(largest.set(-1, 1)), ValueError, "too many mapped values");
});

test("preserve any cloneable value", () => {
  const date = new Date(5);
  const value = { a: [1, "b", null], date, nested: { c: new Set([1]) } };
  const stored = validatePropertyValue(value) as PackedValue;
  value.a.push(2);
  assert.equal(decodeStoredValue(stored), { a: [1, "b", null], date, nested: { c: new Set([1]) } });
  for (const invalidValue of [() => 1, Symbol("a"), { run(): void {} }]) {
    assert.throws(() => validatePropertyValue(invalidValue), isTypeError);
  }
});

test("are validated once", () => {
  for (const value of [[1, 2], { a: 1 }, new Float(7), new Uint8Array(3)]) {
    const stored = validatePropertyValue(value);
    assert.equal(validatePropertyValue(stored), stored);
  }
});

test("add to an integer only for two integers", () => {
  assert.is(incrementValue(5, 2), 7);
  assert.is(incrementValue(undefined, 2), 2);
  assert.is(incrementValue(5, 0.5), 5.5);
  assert.equal(incrementValue(5.5, 0.5), new Float(6));
  assert.equal(incrementValue(new Float(6), 1), new Float(7));
  assert.equal(incrementValue(6, new Float(1)), new Float(7));
  assert.equal(incrementValue(undefined, new Float(1)), new Float(1));
  const text = "Vertex property cannot be incremented";
  for (const value of ["5", null, [1], new Uint8Array(1)]) {
    failsWith(() => incrementValue(value, 1), ValueError, text);
  }
  failsWith(() => incrementValue(2 ** 53 - 1, 1), ValueError, "integer value out of range");
  assert.throws(() => incrementValue(5, "1"), isTypeError);
});

test("keep the bytes of objects in records, which V8 would write in another form", () => {
  for (const value of [[{ at: 1 }], [1, "a"], { list: [{}, "a"] }]) {
    const packed = validatePropertyValue(value) as PackedValue;
    assert.is.not(Buffer.compare(serialize(deserialize(packed.bytes)), packed.bytes), 0);
    const read = validatePackedValue(new PackedValue(packed.kind, packed.bytes.slice()));
    assert.equal((read as PackedValue).bytes, packed.bytes);
  }
});

test("reject bytes that encode no value", () => {
  const bad: number[][] = [
    [],
    [0],
    [10],
    [PropertyKind.Null, 0],
    [PropertyKind.Number, 1, 2, 3],
    [PropertyKind.Float, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
    [PropertyKind.Number, 0, 0, 0, 0, 0, 0, 0x50, 0x43],
    [PropertyKind.String, 0xff],
    [PropertyKind.Integers, 1],
    [PropertyKind.Integers, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
    [PropertyKind.Floats, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
    [PropertyKind.Map, 1, 0, 0, 0],
    [PropertyKind.Opaque],
    [PropertyKind.Opaque, 255, 15, 0x49, 2],
  ];
  for (const bytes of bad) {
    failsWith(() => applyValue(bytes), DataError, "corrupt property value");
  }
});

test.run();
