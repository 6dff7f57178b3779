// Generated checks of results: a fraction where the type says `int` is found wherever it is, and
// nothing else is refused.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ResultChecks } from "../../../compiler/emit/result-checks.js";
import type { TypeShape, TypeTable } from "../../../compiler/record/type-shape.js";
import * as helpers from "../../../runtime/plugin/contract/integer-check.js";

const test = suite("ResultChecks");
const INT: TypeShape = { kind: "int" };
const STR: TypeShape = { kind: "str" };
const list = (items: TypeShape): TypeShape => ({ kind: "array", items });
const union = (...members: TypeShape[]): TypeShape => ({ kind: "union", members });
const object = (
  shapes: Record<string, TypeShape>,
  additional: TypeShape | null = null,
): TypeShape => ({
  kind: "object",
  properties: Object.entries(shapes).map(([name, shape]) => {
    return { name, shape, optional: false, description: "" };
  }),
  additional,
});
const TREE: TypeTable = {
  Tree: object({ n: INT, children: list({ kind: "ref", name: "Tree" }) }),
};

/** The faults of values as a generated function finds them; null without a function. */
function faults(shape: TypeShape, values: readonly unknown[], types: TypeTable = {}) {
  const checks = new ResultChecks(types);
  const name = checks.functionFor(shape);
  if (name === null) return null;
  const names = Object.keys(helpers).join(", ");
  const text = `const { ${names} } = helpers;\n${checks.emit()}\nreturn ${name};`;
  const check = new Function("helpers", text)(helpers);
  return values.map((value) => check(value, "", 0)?.replace(/, but the .*/, "") ?? null);
}

test("find a fraction at its path", () => {
  assert.equal(faults(INT, [1, 1.5, -0, 1e300, Number.NaN, "1.5", null]), [
    ...[null, "result is 1.5", null, null, null, null, null],
  ]);
  const nested = object({ a: list(object({ "b c": INT })), s: STR });
  assert.equal(faults(nested, [{ a: [{ "b c": 1 }, { "b c": 0.5 }], s: "" }, { a: null }, null]), [
    ...["result.a[1].b c is 0.5", null, null],
  ]);
  const pair: TypeShape = { kind: "tuple", items: [STR, INT], required: 1, rest: INT };
  assert.equal(faults(pair, [["x", 1, 2], ["x", 1.5], ["x", 1, 2, 2.5], ["x"]]), [
    ...[null, "result[1] is 1.5", "result[3] is 2.5", null],
  ]);
  assert.equal(
    faults(object({ s: STR }, INT), [
      { s: "x", k: 1 },
      { s: 1.5, k: 1.5 },
    ]),
    [...[null, "result.k is 1.5"]],
  );
  const pairs: TypeShape = { ...list(pair), valueClass: "Map" } as TypeShape;
  assert.equal(faults(pairs, [new Map([["x", 1.5]]), new Map([["x", 1]])]), [
    ...["result[0][1] is 1.5", null],
  ]);
  const limited: TypeShape = { kind: "limited", base: INT, limits: { minimum: 1 } };
  assert.equal(faults(list(limited), [[1], [1.5]]), [null, "result[0] is 1.5"]);
});

test("check members of Sets and Maps, but not objects with toJSON", () => {
  assert.equal(faults(list(INT), [new Set([1, 1.5])]), ["result[1] is 1.5"]);
  assert.equal(faults(object({}, INT), [new Map([["a", 1.5]])]), ["result.a is 1.5"]);
  assert.equal(faults(object({ n: INT }), [{ n: 1.5, toJSON: () => ({ n: 1 }) }]), [null]);
});

test("reject a value only if no member of a union accepts it", () => {
  assert.equal(faults(union(INT, STR, { kind: "null" }), [1, 1.5, "x", null]), [
    ...[null, "result is 1.5", null, null],
  ]);
  assert.equal(faults(union(INT, { kind: "literal", value: 1.5 }), [1.5, 2.5]), [null, null]);
  const shapes = union(object({ n: INT }), object({ n: { kind: "float" } }));
  assert.equal(faults(shapes, [{ n: 1.5 }]), [null]);
  const both = union(object({ a: INT }), object({ b: INT }));
  assert.equal(faults(both, [{ a: 1.5 }, { a: 1.5, b: 1.5 }]), [null, "result.a is 1.5"]);
});

test("terminate for values that contain themselves", () => {
  const cyclic = { n: 1, children: [] as unknown[] };
  cyclic.children.push(cyclic);
  const deep = { n: 1, children: [{ n: 2, children: [{ n: 2.5, children: [] }] }] };
  assert.equal(faults({ kind: "ref", name: "Tree" }, [cyclic, deep], TREE), [
    ...[null, "result.children[0].children[0].n is 2.5"],
  ]);
});

test("are omitted for results without an int", () => {
  assert.is(faults(object({ a: STR, b: { kind: "float" }, c: { kind: "json" } }), []), null);
});

test.run();
