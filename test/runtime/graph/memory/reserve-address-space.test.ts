// Reservation of address space for a graph: no more than it can use, and a helpful error when there
// is too little.

import { execFileSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { allocateGraphMemory } from "../../../../runtime/graph/memory/graph-memory.js";
import { MAX_WORDS_PER_ARENA } from "../../../../runtime/graph/memory/layout.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { transpiledModule } from "../../../runner/transpiled.mjs";

const test = suite("address space of graphs");

const GIB = 2 ** 30;
const MAKE = `
  import(process.argv[1])
    .then(({ allocateGraphMemory }) => allocateGraphMemory("one", null, null, "large"))
    .then(() => console.log("made"), ({ name, message }) => console.log(name + ": " + message));
`;

function makeUnder(limitKiB: string): string {
  const source = transpiledModule(
    new URL("../../../../runtime/graph/memory/graph-memory.ts", import.meta.url),
  ).href;
  const shell = `ulimit -v ${limitKiB}; exec "$0" -e "$1" "$2"`;
  return execFileSync("sh", ["-c", shell, process.execPath, MAKE, source], { encoding: "utf8" });
}

test("reserves less than 4 GiB for arenas of fixed size per vertex", () => {
  const { memories } = allocateGraphMemory("test", null, null, "large");
  const reserved = memories
    .filter((memory) => memory instanceof SharedArrayBuffer)
    .map((memory) => memory.maxByteLength);
  const small = reserved.filter((bytes) => bytes < 2 * GIB);
  assert.is(small.length, Object.keys(MAX_WORDS_PER_ARENA).length + 1);
  const sum = reserved.reduce((total, bytes) => total + bytes, 0);
  assert.ok(sum < 39 * GIB, `${sum / GIB} GiB`);
});

test("reports the required size when reservation fails", () => {
  assert.is(makeUnder("unlimited").trim(), "made");
  const text = makeUnder(String(40 * 2 ** 20));
  assert.match(
    text,
    /^CapacityError: graph "one" reserves [\d.]+ GiB of address space.* only [\d.]+ GiB more: /,
  );
  assert.match(text, /ulimit -v/);
  assert.is(new CapacityError("x").code, "SVC2402");
});

test.run();
