// Documentation of types, properties and bodies.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pluginNamed, readSource } from "../reading.js";

const test = suite("descriptions");

test("cover named types and their properties", () => {
  const declarations = `
/**
 * A place.
 *
 * In a plane.
 */
interface Point {
  /** metres east */
  x: float;
  /** @deprecated use x */
  east?: float;
}
/** How well. */
enum Mode { fast = "fast", exact = "exact" }
/** One or more. */
type Many<T> = T | T[];
interface Bare { n: int }
/**
 * Of former days.
 * @deprecated use Point
 */
interface Old { n: int }
`;
  for (const text of [declarations, declarations.replaceAll("\n", "\r\n")]) {
    const { types } = readSource(`${text}
/** @plugin */
export function f(request: PluginRequest, a: Point, b: Mode, c: Many<int>, d: Bare, e: Old) {
  return 1;
}`);
    const descriptions = Object.entries(types).map(([name, { description }]) => [
      name,
      description,
    ]);
    assert.equal(descriptions, [
      ["Bare", undefined],
      ["Many_int_", "One or more."],
      ["Mode", "How well."],
      ["Old", "Of former days."],
      ["Point", "A place.\n\nIn a plane."],
    ]);
    const deprecated = Object.keys(types).filter((name) => types[name]?.deprecated === true);
    assert.equal(deprecated, ["Old"]);
    assert.equal(types.Point?.kind === "object" && types.Point.properties, [
      { name: "x", optional: false, shape: { kind: "float" }, description: "metres east" },
      { name: "east", optional: true, shape: { kind: "float" }, description: "", deprecated: true },
    ]);
  }
});

test("describe bodies of plugins by their @param", () => {
  const result = readSource(`
/**
 * @plugin
 * @param content the file
 */
export function load(request: PluginRequest, content: bytes) { return 1; }`);
  const content = pluginNamed(result, "load").params.find(({ name }) => name === "content");
  assert.is(content?.description, "the file");
});

test.run();
