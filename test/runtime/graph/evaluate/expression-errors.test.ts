// Errors of expressions name the position and the fix; any text is either an expression or a
// QueryError, in bounded time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compileExpression } from "../../../../runtime/graph/evaluate/program.js";
import { QueryError } from "../../../../runtime/graph/model/errors.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { makePeople } from "../support/people.js";

const test = suite("expression errors");

/** Text, message, and the position in the message. */
const WRONG: readonly (readonly [text: string, message: string, position: number])[] = [
  ["", "expected operand", 1],
  ["1 +", "expected operand", 4],
  ["1 2", "expected infix operator", 3],
  ["(1", "expected ')'", 3],
  ["()", "empty group", 1],
  ["1 in {}", "empty set", 6],
  ["(1; 2)", "invalid subexpression", 3],
  ["1 ? 2", "incomplete ternary conditional '?:'", 6],
  ["1 : 2", "invalid ternary conditional '?:'", 3],
  ["'a**'", "illegal wildcard", 1],
  ["'*a*c'", "illegal wildcard", 1],
  ["'\\n'", "invalid escape sequence", 2],
  ["'open", "unexpected end of expression", 1],
  ["/* open", "unterminated comment", 1],
  ["1e", "invalid number", 1],
  [".5.5", "invalid number", 1],
  ["1 @ 2", "invalid expression", 3],
  ["sqrt()", "not enough arguments", 1],
  ["sqrt(1, 2)", "too many arguments", 1],
  ["a = 1; a = 2", "variable redefinition", 8],
  ["pi = 3", "invalid variable assignment", 1],
  ["1 + (b = 2)", "cannot assign variable within expression", 8],
  ["vertex['a' + 'b']", "expected ']'", 12],
  ["vertex[1]", "literal expected", 8],
  ["nxt.arc.value > 1", "undefined variable; did you mean 'next.arc.value'?", 1],
  ["2 * next.price", "undefined variable; a property is next['price']", 5],
  ["next.age > 3", "undefined variable; a property is next['age']; did you mean 'next.deg'?", 1],
  ["1 AND 2", "expected infix operator; did you mean '&&'?", 3],
  ["1 or 2", "expected infix operator; did you mean '||'?", 3],
  ["1 + sqr(2)", "undefined function; did you mean 'sqrt'?", 5],
  ["sqrt + 1", "undefined variable; a function is called: sqrt(...)", 1],
  ["cpukill(1)", "cpukill() is left out: unsupported: it would monopolize shared resources", 1],
  ["mcull(1, 0.5)", "mcull() size must be a positive integer literal", 10],
  ["mcull(1, 2) + mcull(1, 2)", "multiple mcull() not allowed", 15],
];

for (const [text, message, position] of WRONG) {
  test(`${text} :: ${message}`, () => {
    const error = catchError(() => compileExpression(text));
    assert.is(error.message.split(" ] at pos=")[0], `Syntax error [ ${message}`);
    assert.match(error.message, ` at pos=${position} (`);
    assert.is(error.message.split("\n").at(-1)!.indexOf("^") - 1, position);
  });
}

function catchError(run: () => unknown): QueryError {
  try {
    run();
  } catch (error) {
    assert.instance(error, QueryError);
    return error as QueryError;
  }
  throw new Error("nothing was thrown");
}

test("rejects a text that is too long and starts with a newline", () => {
  const text = `\n${"1+".repeat(70_000)}1`;
  assert.throws(
    () => compileExpression(text),
    (error: Error) => {
      return error instanceof QueryError && error.message.includes("expression too long");
    },
  );
});

test("prints a caret below the position on a line of its own", () => {
  const { message } = catchError(() => compileExpression("a = 1;\nb = a +* 2"));
  assert.is(message.split("\n").slice(1).join("\n"), "  b = a +* 2\n         ^");
});

test("limits text, tokens, nodes, depth and arguments", () => {
  const deep = `${"(".repeat(50_000)}1${")".repeat(50_000)}`;
  const chain = `${"-".repeat(10_000)}1`;
  const powers = Array.from({ length: 3000 }, () => "2").join("**");
  const long = Array.from({ length: 5000 }, () => "1").join("+");
  const wide = `sum(${"1,".repeat(300)}1)`;
  const huge = `'${"x".repeat(140_000)}'`;
  for (const text of [deep, chain, powers, long, wide, huge]) {
    assert.match(catchError(() => compileExpression(text)).message, /too (long|deep|many)/);
  }
  assert.ok(compileExpression(Array.from({ length: 900 }, () => "1").join("+")));
});

test("rejects strings that would be expensive to process", () => {
  const doubled = Array.from(
    { length: 22 },
    (_, index) => `x${index + 1} = x${index} + x${index}`,
  ).join("; ");
  const graph = makePeople();
  for (const text of [
    `x0 = 'a'; ${doubled}; strlen(x22)`,
    "x = replace(replace('aaaaaaaaaaaaaaaa', '', 'bbbbbbbbbbbbbbbb'), '', 'c'); " +
      `replace(x, '', '${"d".repeat(1000)}')`,
  ]) {
    const { message } = catchError(() => graph.evaluate(text, { tail: "ann" }));
    assert.is(message, "expression result exceeds 65536 characters");
  }
});

test("has no head to read without a head", () => {
  const graph = makePeople();
  const error = catchError(() => graph.evaluate("1 + next.deg", { tail: "ann" }));
  const [head, , caret] = error.message.split("\n");
  assert.is(head, "formula requires head vertex");
  assert.is(caret, "      ^");
});

test("treats names of Object.prototype as undefined", () => {
  for (const name of ["__proto__", "constructor", "toString", "vertex.constructor"]) {
    assert.match(catchError(() => compileExpression(`1 + ${name}`)).message, "undefined variable");
    assert.match(
      catchError(() => compileExpression(`1 + ${name}(1)`)).message,
      "undefined function",
    );
  }
  const graph = makePeople();
  assert.is(graph.evaluate("vertex['__proto__']", { tail: "ann" }), null);
});

test("parses any text, or throws a QueryError", () => {
  const random = new Random();
  const times = rounds(20_000);
  const graph = makePeople();
  for (let round = 0; round < times; round++) {
    const length = random.below(14);
    const text = Array.from({ length }, () => random.of(PIECES)).join(random.of(["", " "]));
    try {
      graph.evaluate(text, { tail: "ann", head: "bob", arc: ["knows", 5, 5] });
    } catch (error) {
      assert.instance(error, QueryError, `SEED=${SEED}: ${text}: ${error}`);
    }
  }
});

const PIECES = [
  ...["1", "2.5", "0x1F", "0b101", "99999999999999999999", "'a'", "'b*'", "b'x'", "-", "+", "*"],
  ...["/", "%", "**", "<<", ">>", "<", "<=", "==", "!=", "&", "|", "^", "&&", "||", "?", ":", "="],
  ...[":=", ";", ",", "(", ")", "[", "]", "{", "}", "!", "~", "in", "notin", "range(", "a", "b_"],
  ...["vertex", "next", "prev", ".arc.value", "next.id", "vertex['age']", "next['w']", "null"],
  ...[
    "nan",
    "inf",
    "R1",
    "r1",
    "pi",
    "str(",
    "sum(",
    "store(",
    "inc(",
    "join(",
    "replace(",
    "hash(",
  ],
  ...["msort(", "mheapinit(", "mcopy(", "slice(", "synarc.value(", "collect(", "return(", "rank("],
  ...[
    "'",
    '"',
    "\\",
    "//",
    "/*",
    "\u{1f600}",
    "\n",
    "@",
    "__proto__",
    "mcull(",
    "geodist(",
    "idx(",
  ],
];

test.run();
