// Findings as text: the form that editors parse, frames, order, colours.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.js";
import { underlineLength } from "../../../compiler/diagnostics/diagnostic.js";
import { renderDiagnostics } from "../../../compiler/diagnostics/render.js";

const test = suite("rendered findings");

function finding(
  file: string,
  line: number,
  column: number,
  rest: Partial<Diagnostic> = {},
): Diagnostic {
  return {
    code: "SVC1002",
    severity: "error",
    position: { file, line, column },
    length: 3,
    message: "what is wrong",
    help: "",
    ...rest,
  };
}

const SOURCES: Readonly<Record<string, string>> = {
  "a.ts": "first\r\nexport function add() {}\r\n\tconst tab = 1;\n",
  "escape.ts": 'const s = "\u001b[31m";\n',
  "b.ts": `${"x".repeat(300)}\n`,
};

function render(findings: readonly Diagnostic[], color = false): string {
  return renderDiagnostics(findings, (file) => SOURCES[file] ?? null, { color });
}

test("head, frame, help and count", () => {
  assert.is(
    render([finding("a.ts", 2, 17, { help: "`export`" })]),
    `a.ts:2:17 - error SVC1002: what is wrong

2 | export function add() {}
  |                 ^^^
  = write instead: \`export\`

1 error
`,
  );
});

test("sorted by file, line and column; the same finding counts once", () => {
  const text = render([
    finding("b.ts", 1, 1),
    finding("a.ts", 10, 1),
    finding("a.ts", 2, 9, { severity: "warning" }),
    finding("a.ts", 2, 1),
    finding("a.ts", 2, 1),
  ]);
  const places = [...text.matchAll(/^(\S+) - (\w+)/gm)].map(
    ([, place, kind]) => `${place} ${kind}`,
  );
  assert.equal(places, ["a.ts:2:1 error", "a.ts:2:9 warning", "a.ts:10:1 error", "b.ts:1:1 error"]);
  assert.match(text, /\n3 errors, 1 warning\n$/);
});

test("tabs stay under tabs, carets end with the line, long lines are cut", () => {
  assert.match(render([finding("a.ts", 3, 8)]), "\n3 | \tconst tab = 1;\n  | \t      ^^^\n");
  assert.match(render([finding("a.ts", 1, 4, { length: 99 })]), "\n1 | first\n  |    ^^\n");
  const long = render([finding("b.ts", 1, 290, { length: 50 })]);
  assert.ok(long.split("\n").every((line) => line.length < 200));
});

test("a file that cannot be read has no frame", () => {
  assert.is(
    render([finding("gone.ts", 1, 1)]),
    "gone.ts:1:1 - error SVC1002: what is wrong\n\n1 error\n",
  );
  assert.is(render([]), "");
});

test("colours only when asked, and the same text without them", () => {
  const findings = [finding("a.ts", 2, 17, { help: "x" })];
  const colored = render(findings, true);
  assert.match(colored, "\u001b[31merror");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  assert.is(colored.replace(/\u001b\[\d+m/g, ""), render(findings));
});

test("text of sources cannot steer the terminal", () => {
  const text = render([
    finding("escape.ts", 1, 1, { message: "a \u001b[2J\nb", help: "\u009b1m", length: 1 }),
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  assert.not.match(text, /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  assert.match(text, "SVC1002: a \ufffd[2J\nb\n");
  assert.match(text, '1 | const s = "\ufffd[31m";\n');
});

test("the underlined length of a word, a string, a sign", () => {
  const line = `let $a_1 = "b c" + (2);`;
  assert.equal(
    [1, 5, 12, 20, 99].map((column) => underlineLength(line, column)),
    [3, 4, 5, 1, 1],
  );
});

test.run();
