// For any argspec that the reader accepts, the generated code contains only our own code: random
// schemas with all keywords at once, and texts that try to escape from their context. The seed is
// printed on failure and repeats the run as SEED=n.
// limit: 60 s

import { transform } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema, PluginSpec } from "../../argspec/argspec.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { emitTypescriptClient } from "../../argspec/typescript/client.js";
import { makeArgspec, param, plugin } from "../argspec/sample-argspec.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(40);
const NAMES = ["A", "String", "interface", "$", "__proto__", "Ünï"];
const EVIL = [
  ...["*/harm()/*", "\n*/ harm(); /*", '"; harm(); "', "'; harm(); '", "\\", "\\*/harm()//"],
  ...[
    "`$" + "{harm()}`",
    "}\nexport const harm = 1;\n{",
    "@deprecated harm",
    "\u2028harm()",
    "\u2028export interface D0 {",
    "export interface D0 {",
    "\u2028}",
    "\n}\n}",
    "\u202eharm\u2066",
    "\n```\n| harm |",
    "\r*\r/harm",
  ],
  ...[
    "__proto__",
    "constructor",
    "a",
    "",
    "[k: string]",
    "// harm",
    "/** harm",
    "export type D1 =",
  ],
];
const SCALARS = [null, true, 0, -1, 1.5e300, ...EVIL];

const test = suite("client code");

test("contains only generated code", async () => {
  const random = new Random();
  let tried = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const argspec = randomArgspec(random);
    const files = await emitted(argspec);
    if (files === null) continue;
    tried++;
    for (const [name, text] of files) {
      if (name === "README.md") assertReadme(text, `seed ${SEED}, round ${round}`);
      if (!/^index\./.test(name)) continue;
      const label = `seed ${SEED}, round ${round}, ${name}`;
      await transform(text, { loader: "ts" }).catch((error) =>
        assert.unreachable(`${label}: ${error}`),
      );
      assert.not.match(withoutTexts(text), /harm/, label);
    }
  }
  assert.ok(tried > ROUNDS / 4, `seed ${SEED}: ${tried}`);
});

/** Null if the reader rejects it. */
async function emitted(argspec: unknown): Promise<ReadonlyMap<string, string> | null> {
  let read: ReturnType<typeof readArgspec>;
  try {
    read = readArgspec(argspec);
  } catch {
    return null;
  }
  return emitTypescriptClient(read, { esm: "", cjs: "", types: "" });
}

/** One block of code, and below it one table with a row per method. */
function assertReadme(text: string, label: string): void {
  const lines = text.split(/[\n\r\u2028\u2029]/);
  assert.is(lines.filter((line) => line.startsWith("```")).length, 2, label);
  assert.not.match(text, /[\u2028-\u202e\u2066-\u2069]/, label);
  const rows = lines.filter((line) => line.startsWith("|")).slice(2);
  for (const row of rows) assert.match(row, /^\| `\w+` \| (?:[^|`<]|\\.)*\|$/, label);
  const code = text.slice(text.indexOf("```ts"), text.lastIndexOf("```"));
  assert.not.match(withoutTexts(code), /harm/, label);
}

/** The remaining text is code. */
function withoutTexts(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\/|^\/\/.*|"(?:[^"\\\n]|\\.)*"/gm, "");
}

/** As parsed from a file. */
function randomArgspec(random: Random): unknown {
  const text = () => random.of(EVIL);
  const $defs = NAMES.map((name): [string, JsonSchema] => [name, randomSchema(random, 3)]);
  const plugins = random.list(4, (index): PluginSpec => {
    const schema = () => randomSchema(random, 2);
    const params = random.list(3, (n) =>
      param(`p${n}`, {
        wire: random.of(["int", "str", "bytes", "json"] as const),
        required: random.below(2) === 0,
        schema: schema(),
        ...{ default: random.of(SCALARS), description: text() },
      }),
    );
    return plugin(`plugin${index}`, {
      ...{ params, summary: text(), description: text(), returns: text() },
      ...{ deprecated: random.below(2) === 0, deprecation: text() },
      errors: [{ exception: text(), description: text() }],
      examples: [{ text: text() }, { query: { [text()]: random.of(SCALARS) }, text: text() }],
      result:
        random.below(2) === 0
          ? { kind: "value", schema: schema() }
          : { kind: "response", sortkey: schema(), item: schema(), meta: true },
    });
  });
  return JSON.parse(JSON.stringify(makeArgspec(plugins, Object.fromEntries($defs), text())));
}

/** Any combination of keywords, and some unknown ones. */
function randomSchema(random: Random, depth: number): JsonSchema {
  const part = () => randomSchema(random, depth - 1);
  const items = () => (random.below(3) === 0 ? random.below(2) === 0 : part());
  const words: readonly (() => JsonSchema)[] = [
    () => ({ type: random.of(["string", "integer", "boolean", "null", "array", "object"]) }),
    () => ({ const: random.of(SCALARS) }),
    () => ({ enum: [random.of(SCALARS), random.of(SCALARS)] }),
    () => ({ description: random.of(EVIL) }),
    () => ({ tsType: "harm", $id: "harm", title: "harm", default: random.of(SCALARS) }),
    ...(depth === 0
      ? []
      : [
          () => ({ type: "array", items: items(), prefixItems: [part(), part()], minItems: 1 }),
          () => ({ anyOf: [part(), part()] }),
          () => ({
            type: "object",
            properties: Object.fromEntries(random.list(3, () => [random.of(EVIL), part()])),
            required: random.list(2, () => random.of(EVIL)),
            additionalProperties: items(),
          }),
          () => ({ $ref: `#/$defs/${random.of(NAMES)}` }),
        ]),
  ];
  return Object.assign({}, ...random.list(2, () => random.of(words)()));
}

test.run();
