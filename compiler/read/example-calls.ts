// Finds calls of a plugin in the TypeScript of an example: through a client, `shop.search({ q: "os"
// })`, or of the function itself as in tests, `search(request, "os", 10)`. Prose around them is
// ignored, like all invalid code.

import { ts } from "ts-morph";
import type { ExampleArgument, ExampleCall } from "../record/example.js";
import type { ExampleText } from "./example-text.js";
import { isUndefined, locateNode, readObject, readValue } from "./example-value.js";

/** Calls that the examples of one plugin may contain. */
export interface ExampleTarget {
  /** Names of the plugin and of its function. */
  readonly names: readonly string[];
  /** Class of the static method; null if the function is not one. */
  readonly className: string | null;
  /** Names of all parameters in signature order. */
  readonly params: readonly string[];
}

/** @param code text of the example, with blanks in place of everything else */
export function findCalls(text: ExampleText, code: string, target: ExampleTarget): ExampleCall[] {
  // Most prose ends here, before anything is parsed.
  if (!target.names.some((name) => code.includes(name)) || !code.includes("(")) return [];
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
  const faults = syntaxFaults(file);
  const calls: ExampleCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && (faults.length === 0 || isSound(code, node, faults))) {
      const call = readCall(text, node, target);
      if (call !== null) calls.push(call);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
}

/** Offsets of syntax errors, which the parser keeps in an undeclared property. */
function syntaxFaults(file: ts.SourceFile): readonly number[] {
  const { parseDiagnostics = [] } = file as {
    readonly parseDiagnostics?: readonly ts.Diagnostic[];
  };
  return parseDiagnostics.map(({ start = 0 }) => start);
}

/**
 * Returns whether a call in a text with syntax errors is usable: its statement has no errors and
 * shares its lines with no other text.
 */
function isSound(code: string, call: ts.Node, faults: readonly number[]): boolean {
  let statement = call;
  while (!ts.isStatement(statement) && statement.parent) statement = statement.parent;
  const [start, end] = [statement.getStart(), statement.end];
  const before = code.slice(code.lastIndexOf("\n", start - 1) + 1, start);
  const [after = ""] = code.slice(end).split("\n", 1);
  const isAlone = before.trim() === "" && /^[\s;]*(\/\/.*)?$/.test(after);
  return isAlone && !faults.some((fault) => start <= fault && fault < end);
}

function readCall(
  text: ExampleText,
  call: ts.CallExpression,
  target: ExampleTarget,
): ExampleCall | null {
  const { expression } = call;
  const isMember = ts.isPropertyAccessExpression(expression);
  const name = isMember ? expression.name : expression;
  if (!ts.isIdentifier(name)) return null;
  const receiver = isMember ? expression.expression.getText() : null;
  const [first] = call.arguments;
  const range = locateNode(text, name);
  if (isClientName(name.text, target) && (!first || ts.isObjectLiteralExpression(first))) {
    const { properties, isOpen } = first ? readObject(text, first) : NO_PARAMETERS;
    return { form: "client", range, args: properties, isOpen };
  }
  // Other objects may have methods of the same name: `list.find(...)`.
  if (receiver !== target.className || !target.names.includes(name.text)) return null;
  return { form: "function", range, ...readArguments(text, call, target) };
}

const NO_PARAMETERS = { properties: [], isOpen: false } as const;

/** Accepts `search`, and the client methods that return the whole envelope. */
function isClientName(name: string, { names }: ExampleTarget): boolean {
  return names.includes(name) || names.includes(name.replace(/_raw$|Raw$/, ""));
}

function readArguments(text: ExampleText, call: ts.CallExpression, { params }: ExampleTarget) {
  const spread = call.arguments.findIndex(ts.isSpreadElement);
  const args = call.arguments
    .slice(0, spread < 0 ? undefined : spread)
    .flatMap((node, index): ExampleArgument[] => {
      if (isUndefined(node)) return [];
      return [
        {
          name: params[index] ?? null,
          range: locateNode(text, node),
          value: readValue(text, node),
        },
      ];
    });
  return { args, isOpen: spread >= 0 };
}
