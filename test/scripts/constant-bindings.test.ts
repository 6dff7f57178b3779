// Constants of a build: bindings that never change become constants, and all others stay.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

type Codes = Map<string, string>;
type Script = { makeConstants(codes: Codes): Codes };

const test = suite("constant bindings");
const SCRIPT = new URL("../../scripts/constant-bindings.mjs", import.meta.url).href;
const { makeConstants } = (await import(SCRIPT)) as Script;

const NUMBERS = `// numbers
var SIZE = 3;
var Shape = class {
  sides = SIZE;
};
var count = 0, other = 1;
var total = 0;
var seen = 0;
var left;
var known = /* @__PURE__ */ new Map();
function add(by) {
  total += by;
  for (seen of [by]) left = by;
}
export {
  SIZE,
  Shape as $1,
  total as $2,
  seen,
  add
};
//# sourceMappingURL=numbers.js.map
`;

const USES = `// uses
import { SIZE, $1, $2 as total, seen, add as plus } from "./numbers.js";
import { join } from "node:path";
var double = (SIZE) => SIZE * 2;
var first = null;
var pair = [1, 2];
[first, { last: pair[0] }] = [SIZE, { last: 7 }];
function report() {
  plus(SIZE);
  return [double(5), new $1().sides, total, seen, first, pair[0], join("a", "b")];
}
export {
  SIZE as size,
  SIZE,
  report
};
`;

test("variables that never change become constants, across files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-constants-"));
  try {
    const codes = new Map([
      [join(folder, "numbers.js"), NUMBERS],
      [join(folder, "uses.js"), USES],
    ]);
    const [numbers, uses] = [...makeConstants(codes).values()] as [string, string];
    for (const line of [
      "const SIZE=3;",
      "const Shape=class {",
      "var total = 0;",
      "var seen = 0;",
    ]) {
      assert.ok(numbers.includes(`\n${line}\n`), line);
    }
    assert.ok(numbers.includes("\nvar count = 0, other = 1;\n"));
    assert.ok(numbers.includes("\nvar left;\n"));
    assert.ok(numbers.includes("\nconst SIZE$OUT=SIZE;const Shape$OUT=Shape;export {\n"));
    assert.ok(
      numbers.includes("{\n  SIZE$OUT as SIZE,\n  Shape$OUT as $1,\n  total as $2,\n  seen,"),
    );
    assert.is(uses.split("\n")[0], "const SIZE=SIZE$IN;const $1=$1$IN;const plus=plus$IN;// uses");
    assert.ok(uses.includes("\nvar first = null;\n"));
    assert.ok(uses.includes("\nconst pair=[1, 2];\n"));
    writeFileSync(join(folder, "numbers.js"), numbers);
    writeFileSync(join(folder, "uses.js"), uses);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const module = await import(pathToFileURL(join(folder, "uses.js")).href);
    assert.equal(module.report(), [10, 3, 3, 3, 3, 7, join("a", "b")]);
    assert.equal(module.report()[2], 6, "what changes is seen by other files");
    assert.equal([module.size, module.SIZE], [3, 3]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("lines stay the same, as do the columns of values", () => {
  const made = makeConstants(new Map([["numbers.js", NUMBERS]])).get("numbers.js")!;
  const places = (text: string, part: string) =>
    text.split("\n").map((line) => line.replace(/^const.*(?=export)/, "").indexOf(part));
  for (const part of ["3;", "class {", "0;", "new Map", "total += by", "export {", "//#"]) {
    assert.equal(places(made, part), places(NUMBERS, part), part);
  }
});

test("a name clash with the constants is rejected", () => {
  for (const name of ["a$IN", "a$OUT"]) {
    assert.throws(
      () => makeConstants(new Map([["a.js", `var ${name} = 1;\n`]])),
      /^a\.js uses a name/,
    );
  }
});

test("a cyclic import that reads a constant too early is rejected", () => {
  const codes = new Map([
    ["dist/a.js", 'import { one } from "./parts/b.js";\n'],
    ["dist/parts/b.js", 'export * from "../c.js";\n'],
    ["dist/c.js", 'import { two } from "./a.js";\n'],
    ["dist/d.js", 'import "./a.js";\nimport("./d.js");\n'],
  ]);
  const message = /^circle: dist.a.js imports dist.parts.b.js imports dist.c.js imports dist.a.js$/;
  assert.throws(() => makeConstants(codes), message);
  codes.set("dist/c.js", 'void import("./a.js");\n');
  assert.is(makeConstants(codes).get("dist/d.js"), codes.get("dist/d.js"));
});

test("declarations other than `var` stay as they are", () => {
  const code = "const size = 1;\nlet count = 2;\n";
  assert.is(makeConstants(new Map([["a.js", code]])).get("a.js"), code);
});

test.run();
