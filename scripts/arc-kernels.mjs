// Generates the loops over runs of arcs: one for each operation and each test of arcs, and for
// counting also a WebAssembly loop over four arcs at once. A test is one row of the table, with its
// condition for one arc and, optionally, for four.
//
// The loops run inside a seqlock read, over words that may be torn: they rely only on the given
// bounds, allocate nothing, and see one kind of array.

/** Selects four words of two vectors: 0 to 3 of the first, 4 to 7 of the second. */
const shuffle = (...words) =>
  `i8x16.shuffle ${words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)).join(" ")}`;
const get = (local) => `(local.get $${local})`;

// 12 words, 4 arcs: t0 k0 v0 t1 | k1 v1 t2 k2 | v2 t3 k3 v3
const FIRST_KEYS = `(${shuffle(1, 4, 7, 0)} ${get("first")} ${get("second")})`;
const KEYS = `(${shuffle(0, 1, 2, 6)} ${FIRST_KEYS} ${get("third")})`;
const MIDDLE_VALUES = `(${shuffle(2, 5, 0, 0)} ${get("first")} ${get("second")})`;
const VALUES = `(${shuffle(0, 1, 4, 7)} ${MIDDLE_VALUES} ${get("third")})`;
const HAVE_KEY = `(i32x4.eq (v128.and ${KEYS} ${get("masks")}) ${get("wants")})`;
const SIGNS = `(v128.and (i32x4.shr_s ${get("values")} (i32.const 31)) ${get("folds")})`;
const FOLDED = `(v128.xor (v128.xor ${get("values")} ${SIGNS}) ${get("flips")})`;
const IN_RANGE =
  `(v128.and (i32x4.ge_s ${get("values")} ${get("lows")}) ` +
  `(i32x4.le_s ${get("values")} ${get("highs")}))`;

/** Functions are named after the row: `countKeys`, `copyKeys`. */
const PASSES = [
  {
    name: "Keys",
    kind: "Key",
    fields: ["mask", "want"],
    passes: ["(word1 & mask) === want"],
    four: { before: [], passes: HAVE_KEY },
  },
  {
    name: "Range",
    kind: "Range",
    fields: ["mask", "want", "flip", "fold", "low", "high"],
    passes: ["(word1 & mask) === want", "key >= low && key <= high"],
    key: "word2 ^ ((word2 >> 31) & fold) ^ flip",
    four: {
      before: [`(local.set $values ${VALUES})`, `(local.set $values ${FOLDED})`],
      passes: `(v128.and ${HAVE_KEY} ${IN_RANGE})`,
    },
  },
  { name: "Matches", kind: "General", fields: [], passes: ["test.matches(word1, word2)"] },
];

const HEAD = `// Made by scripts/arc-kernels.mjs. Do not edit.

import { ARC_KEY_MASK, ARC_WORDS } from "../../../memory/layout.js";
import { type ArcTest, ArcTestKind } from "../arc-test.js";

/** Where a copying loop writes; it leaves the place behind the last arc. */
export interface CopyTarget {
  words: Uint32Array;
  /** Next word to be written. */
  top: number;
}

function copyAll(words: Uint32Array, from: number, end: number, to: CopyTarget): void {
  const out = to.words;
  let top = to.top;
  // Half the time of a word a turn; \`set\` also copies memory that is shared word by word.
  for (let arc = from; arc < end; arc += ARC_WORDS) {
    out[top] = words[arc]!;
    out[top + 1] = words[arc + 1]!;
    out[top + 2] = words[arc + 2]!;
    top += ARC_WORDS;
  }
  to.top = top;
}
`;

/**
 * Operations on passing arcs: signature, code before the loop, its condition, its body, code after.
 */
const COUNT = {
  name: "count",
  parameters: "test: ArcTest, words: Uint32Array, from: number, end: number",
  result: "number",
  before: ["let count = 0;"],
  loop: "for (let arc = from; arc < end; arc += ARC_WORDS) {",
  act: ["count++;"],
  after: "return count;",
};
/** Arcs of one key in a run lead to different heads. */
const COUNT_HEADS = {
  ...COUNT,
  name: "countHeads",
  before: ["let count = 0;", "let all = -1;", "let any = 0;"],
  act: ["count++;", "all &= word1;", "any |= word1;"],
  after: "return count > 1 && ((all ^ any) & ARC_KEY_MASK) !== 0 ? -1 : count;",
};
const COPIED = [
  "out[top] = words[arc]!;",
  "out[top + 1] = word1;",
  "out[top + 2] = word2;",
  "top += ARC_WORDS;",
];
const COPY = {
  name: "copy",
  parameters: `${COUNT.parameters}, to: CopyTarget, stop: number`,
  result: "void",
  before: ["const out = to.words;", "let top = to.top;"],
  loop: "for (let arc = from; arc < end && top < stop; arc += ARC_WORDS) {",
  act: COPIED,
  after: "to.top = top;",
};
/** Operates on the arcs at given positions of a run. */
const COPY_PLACES = {
  ...COPY,
  name: "copyPlaces",
  parameters:
    "test: ArcTest, words: Uint32Array, run: number, positions: readonly number[], to: CopyTarget",
  loop: "for (const position of positions) {\n    const arc = run + position * ARC_WORDS;",
};

/** Returns the source of the loops. */
export function arcLoops() {
  const [general] = PASSES.filter(({ kind }) => kind === "General");
  const loops = [COUNT, COUNT_HEADS, COPY].flatMap((action) =>
    PASSES.map((pass) => loop(action, pass)),
  );
  return [
    HEAD,
    ...loops,
    `export ${loop(COPY_PLACES, { ...general, name: "" })}`,
    chooser(COUNT, "countArcs", "return (end - from) / ARC_WORDS;"),
    "/** Returns the number of arcs that pass; -1 if some of them may have the same head. */",
    chooser(COUNT_HEADS, "countDistinctHeads", "return countHeadsMatches(test, words, from, end);"),
    chooser(
      COPY,
      "copyArcs",
      "return copyAll(words, from, Math.min(end, from + stop - to.top), to);",
    ),
  ].join("\n");
}

function loop({ name, parameters, result, before, loop, act, after }, pass) {
  const { fields, passes, key } = pass;
  const [first, last] = passes;
  const readsValue = act === COPIED || key !== undefined;
  const value = "  const word2 = words[arc + 2]!;";
  const acts = act.map((line) => `    ${line}`);
  const lines = [
    ...(fields.length > 0 ? [`const { ${fields.join(", ")} } = test;`] : []),
    ...before,
    loop,
    "  const word1 = words[arc + 1]!;",
    ...(first.includes("word2") ? [value] : []),
    // The second word is loaded only if the first passes.
    `  if (${first}) {`,
    ...(readsValue && !first.includes("word2") ? [`  ${value}`] : []),
    ...(key === undefined
      ? acts
      : [
          `    const key = ${key};`,
          `    if (${last}) {`,
          ...acts.map((act) => `  ${act}`),
          "    }",
        ]),
    "  }",
    "}",
    after,
  ];
  const body = lines.map((line) => `  ${line}\n`).join("");
  return `function ${name}${pass.name}(${parameters}): ${result} {\n${body}}\n`;
}

/** Returns the function that selects the loop of a test. */
function chooser({ name, parameters, result }, called, whole) {
  const passed = [...parameters.matchAll(/(\w+):/g)].map(([, parameter]) => parameter).join(", ");
  const cases = PASSES.map(({ name: way, kind }) =>
    kind === "General"
      ? `  return ${name}${way}(${passed});\n`
      : `  if (test.kind === ArcTestKind.${kind}) return ${name}${way}(${passed});\n`,
  );
  return (
    `export function ${called}(${parameters}): ${result} {\n` +
    `  if (test.kind === ArcTestKind.Any) ${whole}\n${cases.join("")}}\n`
  );
}

/** Returns the text of the WebAssembly module that counts four arcs at a time. */
export function hubModule() {
  const functions = PASSES.filter(({ four }) => four !== undefined).map(countFour);
  return [
    ";; Made by scripts/arc-kernels.mjs. Do not edit.",
    '(module (import "svc" "arena" (memory 1 65536 shared))',
    ...functions,
    ")\n",
  ].join("\n");
}

/**
 * Generates a function of the address of the first arc, the number of arcs (a multiple of four),
 * and the test's fields.
 */
function countFour({ name, fields, four }) {
  const locals = [...fields.map((field) => `${field}s`), "first", "second", "third", "values"];
  const lanes = [0, 1, 2, 3].map((lane) => `(i32x4.extract_lane ${lane} ${get("counts")})`);
  return `(func (export "count${name}") (param $at i32) (param $arcs i32)
  ${fields.map((field) => `(param $${field} i32)`).join(" ")} (result i32)
  ${[...locals, "counts"].map((local) => `(local $${local} v128)`).join(" ")}
  ${fields.map((field) => `(local.set $${field}s (i32x4.splat ${get(field)}))`).join("\n  ")}
  (block $done
    (br_if $done (i32.eqz ${get("arcs")}))
    (loop $next
      (local.set $first (v128.load align=4 ${get("at")}))
      (local.set $second (v128.load offset=16 align=4 ${get("at")}))
      (local.set $third (v128.load offset=32 align=4 ${get("at")}))
      ${four.before.join("\n      ")}
      ;; True is -1.
      (local.set $counts (i32x4.sub ${get("counts")} ${four.passes}))
      (local.set $at (i32.add ${get("at")} (i32.const 48)))
      (br_if $next (local.tee $arcs (i32.sub ${get("arcs")} (i32.const 4))))))
  (i32.add (i32.add ${lanes[0]} ${lanes[1]}) (i32.add ${lanes[2]} ${lanes[3]})))`;
}
