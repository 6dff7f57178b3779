// Generated Python means what was intended: random texts round-trip through literals and
// docstrings, types of random shapes resolve, and random error chains are parsed as written. One
// Python process runs a whole round; the seed is printed on a difference.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitPythonClient } from "../../argspec/python/client.js";
import { docstring, indent, plainText, stringLiteral } from "../../argspec/python/text.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import { backEndError, partialError } from "../../runtime/dispatch/error-chain.js";
import { makeArgspec, param, plugin } from "../argspec/sample-argspec.js";
import { HAS_PYTHON, PYTHON_RUNTIME, PythonFolder, sayIfSkipped } from "../support/python.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes } from "./support/random-shapes.js";

const ROUNDS = rounds(1);
const TEXTS = 400;
const PIECES = [
  ...[
    '"',
    '"""',
    "'",
    "\\",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\f",
    "\u0000",
    "\u0085",
    "\u2028",
    "{",
    "#",
  ],
  ...["a", "b c", "ü", "\u202e", "😀", "\u{e0001}", "\ud800", "\\N{BULLET}", "\\u0041", " "],
];
const property = suite("random python clients");
const test = HAS_PYTHON ? property : property.skip;
sayIfSkipped("python client of anything");

function randomText(random: Random): string {
  return random.list(8, () => random.of(PIECES)).join("");
}

/** Output of a script for a module. */
function inPython(module: string, script: string): unknown {
  const folder = new PythonFolder({ "module.py": module });
  try {
    return JSON.parse(folder.run(`import json, module\n${script}`));
  } catch (error) {
    throw new Error(`seed ${SEED}: ${error}`);
  } finally {
    folder.remove();
  }
}

test("preserve text in literals and docstrings", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const texts = Array.from({ length: TEXTS }, () => randomText(random));
    const functions = texts.map(
      (text, index) => `def f${index}():\n${indent(`${docstring([plainText(text)])}pass`)}\n`,
    );
    const module = `LITERALS = [${texts.map(stringLiteral).join(",\n")}]\n${functions.join("")}`;
    const docs = `[getattr(module, f"f{index}").__doc__ or "" for index in range(${TEXTS})]`;
    const output = inPython(module, `print(json.dumps([module.LITERALS, ${docs}]))`);
    const [literals, documentation] = output as [string[], string[]];
    texts.forEach((text, index) => {
      const label = `seed ${SEED}: ${JSON.stringify(text)}`;
      assert.is(literals[index], text, label);
      const lines = documentation[index]!.trim().split("\n");
      const meant = plainText(text).split("\n");
      assert.equal(
        lines.map((line) => line.trim()),
        meant.map((line) => line.trim()),
        label,
      );
    });
  }
});

test("resolve types of any shape", () => {
  const random = new Random();
  const resolve = `
import typing
for method in vars(module.Client).values():
    if callable(method):
        typing.get_type_hints(method)
for kind in list(vars(module).values()):
    if isinstance(kind, type) and kind.__module__ == "module":
        typing.get_type_hints(kind)
print(len(typing.get_type_hints(module)))`;
  for (let round = 0; round < ROUNDS * 3; round++) {
    const types = Object.entries(randomTypes(random)).map(
      ([name, shape]) => [name, toJsonSchema(shape)] as const,
    );
    const plugins = types.map(([name, schema]) =>
      plugin(`p${name}`, {
        params: [param("a", { wire: "json", schema })],
        result: { kind: "value", schema },
      }),
    );
    const argspec = makeArgspec(plugins, Object.fromEntries(types));
    assert.ok(inPython(emitPythonClient(argspec, PYTHON_RUNTIME), resolve));
  }
});

test("parse error chains as written", () => {
  const random = new Random();
  const safe = () => randomText(random).replace(/[\p{Cc}\p{Cs}"]/gu, " ");
  const made = Array.from({ length: TEXTS * ROUNDS }, () => {
    const detail = { exception: safe(), value: safe(), traceback: random.list(3, safe) };
    const body = JSON.stringify({ status: "ERROR", message: { plugin: detail } });
    const levels = [
      [random.below(9), 9, 500],
      ...random.list(5, () => [random.below(99), 99, 400]),
    ];
    const text = levels.reduceRight(
      (below, [partition, width, status]) => partialError(partition!, width!, status!, below),
      backEndError(Buffer.from(body)).text,
    );
    return { text, read: [levels, { plugin: detail }] };
  });
  const literals = made.map(({ text }) => stringLiteral(text)).join(",\n");
  const script = `
def read(text):
    levels, innermost = module._parse_chain(text)
    return [[[level.partition, level.width, level.status] for level in levels], innermost]
print(json.dumps([read(text) for text in module.TEXTS]))`;
  const output = inPython(`${PYTHON_RUNTIME}\nTEXTS = [${literals}]\n`, script) as unknown[];
  made.forEach(({ text, read }, index) => {
    assert.equal(output[index], read, `seed ${SEED}: ${text}`);
  });
});

property.run();
