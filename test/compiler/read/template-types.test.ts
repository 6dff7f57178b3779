// Template literal types as patterns that validate strings.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { readTypes } from "../reading.js";

const test = suite("template types");

/** A template literal type with letters for its placeholders. */
function template(text: string): string {
  const types: Record<string, string> = {
    S: "string",
    N: "number",
    I: "int",
    F: "float",
    B: "own",
  };
  return `\`${text.replaceAll(/[SNIFB]/g, (letter) => `${"$"}{${types[letter]}}`)}\``;
}

test("match as in TypeScript, in linear time", () => {
  const { shapes } = readTypes({
    ...{ a: template("S-S:S"), b: template("SabN"), c: template("vN.N") },
    ...{ d: template("NNx"), e: template("SS!") },
  });
  const matches = (name: string, text: string) => {
    const pattern = shapes[name]![1];
    assert.is(pattern.kind, "pattern");
    return pattern.kind === "pattern" && new RegExp(pattern.source).test(text);
  };
  assert.ok(matches("a", "x-y-z:"));
  assert.not(matches("a", "x:y"));
  assert.ok(matches("b", "aab1e3"));
  assert.not(matches("b", "ab.ab1"), "a hole ends at the first text that fits");
  assert.ok(matches("c", "v1.5.2"));
  assert.ok(matches("d", "123.5x"));
  assert.ok(matches("e", "ab!"));
  // Quadratic time would exceed the time limit of a test.
  for (const part of ["-", "1", "a", "ab"]) {
    for (const name of Object.keys(shapes)) assert.not(matches(name, `v${part.repeat(1e6)}\n`));
  }
});

test("accept the keys of each index signature", () => {
  const { shapes } = readTypes({
    a: "Record<`a-${string}` | `b-${int}`, str>",
    b: "Record<`a-${string}` | string, str>",
    c: "Record<number | `a-${string}`, str>",
  });
  const matches = (name: string, keys: string[]) => {
    const shape = shapes[name]![1] as Extract<TypeShape, { kind: "object" }>;
    const pattern = new RegExp(shape.keys ?? "");
    return keys.map((key) => pattern.test(key));
  };
  assert.equal(matches("a", ["a-x", "b-1", "b-x", "xa-x", "a"]), [true, true, false, false, false]);
  assert.equal(matches("b", ["a-x", "b"]), [true, true]);
  assert.equal(matches("c", ["1.5", "a-", "b"]), [true, true, false]);
});

test("accept numbers for placeholders of branded numbers", () => {
  const declaration = "type own = number & { tag?: 1 };";
  const { shapes } = readTypes(
    { a: template("a-I"), b: template("a-F"), c: template("a-B"), d: template("I-Ix") },
    declaration,
  );
  const matches = (name: string, text: string) => {
    const pattern = shapes[name]![1];
    return pattern.kind === "pattern" && new RegExp(pattern.source).test(text);
  };
  for (const name of ["a", "b", "c"]) {
    assert.ok(matches(name, "a-12"), name);
    assert.not(matches(name, "a-x"), name);
    assert.not(matches(name, "a-"), name);
    assert.is(matches(name, "a-1.5"), name !== "a", name);
  }
  assert.ok(matches("d", "1--2x"));
  assert.not(matches("d", "1-x"));
});

test.run();
