// Bodies in an argspec, required or optional.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec } from "../../../argspec/argspec.js";
import { emitArgspec } from "../../../compiler/emit/argspec.js";
import { readSource } from "../reading.js";

const test = suite("emit: argspec");
const SERVICE = { name: null, prefix: null };

/** The declared type of `content`, and whether it is required. */
const BODIES: readonly [declared: string, wire: string, required: boolean][] = [
  ["content", "bytes", false],
  ["content: bytes", "bytes", false],
  ["content: str", "str", false],
  ["content: str | null", "str", false],
  ["content: json", "json", false],
  ["content: int", "json", true],
  ["content: Batch", "json", true],
  ["content: Batch | null", "json", false],
  ["content: Maybe", "json", false],
  ["content?: Batch", "json", false],
  ["content?: Batch | int[]", "json", false],
];

test("requires a body unless its type accepts null", () => {
  const plugins = BODIES.map(
    ([declared], index) => `
/** @plugin */
export function f${String(index).padStart(2, "0")}(request: PluginRequest, ${declared}) {}`,
  );
  const source = `interface Batch { items: int[] }\ntype Maybe = Batch | null;${plugins.join("")}`;
  const { plugins: records, types, diagnostics } = readSource(source);
  assert.equal(diagnostics, []);
  const argspec: Argspec = JSON.parse(emitArgspec(SERVICE, records, types, "/svc/plugin/"));
  assert.equal(
    argspec.plugins.map(({ params }, index) => [
      BODIES[index]![0],
      params[0]!.wire,
      params[0]!.required,
    ]),
    BODIES,
  );
  const { anyOf } = argspec.plugins.at(-1)!.params[0]!.schema as { anyOf: object[] };
  assert.equal(anyOf.at(-1), { type: "null" });
});

test.run();
