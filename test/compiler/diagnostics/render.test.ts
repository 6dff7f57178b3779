// Diagnostics as text: the format that editors parse, code frames, order, colors.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.js";
import { underlineLength } from "../../../compiler/diagnostics/diagnostic.js";
import { renderDiagnostics } from "../../../compiler/diagnostics/render.js";

const test = suite("rendered diagnostics");

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

test("have head, code frame, help and count", () => {
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

test("are sorted by file, line and column, without duplicates", () => {
  const text = render([
    finding("b.ts", 1, 1),
    finding("a.ts", 10, 1),
    finding("a.ts", 2, 9, { severity: "warning" }),
    finding("a.ts", 2, 1),
    finding("a.ts", 2, 1),
  ]);
  const places = [...text.matchAll(/^(\S+) - (\w+)/gm)].map(
    ([, location, kind]) => `${location} ${kind}`,
  );
  assert.equal(places, ["a.ts:2:1 error", "a.ts:2:9 warning", "a.ts:10:1 error", "b.ts:1:1 error"]);
  assert.match(text, /\n3 errors, 1 warning\n$/);
});

test("align tabs, end carets with the line, and truncate long lines", () => {
  assert.match(render([finding("a.ts", 3, 8)]), "\n3 | \tconst tab = 1;\n  | \t      ^^^\n");
  assert.match(render([finding("a.ts", 1, 4, { length: 99 })]), "\n1 | first\n  |    ^^\n");
  const long = render([finding("b.ts", 1, 290, { length: 50 })]);
  assert.ok(long.split("\n").every((line) => line.length < 200));
});

test("have no code frame for an unreadable file", () => {
  assert.is(
    render([finding("gone.ts", 1, 1)]),
    "gone.ts:1:1 - error SVC1002: what is wrong\n\n1 error\n",
  );
  assert.is(render([]), "");
});

test("have colors on request, and the same text without", () => {
  const findings = [finding("a.ts", 2, 17, { help: "x" })];
  const colored = render(findings, true);
  assert.match(colored, "\u001b[31merror");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  assert.is(colored.replace(/\u001b\[\d+m/g, ""), render(findings));
});

test("escape control sequences of sources", () => {
  const text = render([
    finding("escape.ts", 1, 1, { message: "a \u001b[2J\nb", help: "\u009b1m", length: 1 }),
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  assert.not.match(text, /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  assert.match(text, "SVC1002: a \ufffd[2J\nb\n");
  assert.match(text, '1 | const s = "\ufffd[31m";\n');
});

test("underline a whole word, string or token", () => {
  const line = `let $a_1 = "b c" + (2);`;
  assert.equal(
    [1, 5, 12, 20, 99].map((column) => underlineLength(line, column)),
    [3, 4, 5, 1, 1],
  );
});

test.run();
