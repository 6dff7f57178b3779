// Language facts for tools: all names, for completion, and static properties of an expression.

import { ARC_ATTRIBUTES, OTHER_ATTRIBUTES, VERTEX_ATTRIBUTES } from "./attributes.js";
import type { StaticType } from "./functions/row.js";
import { compileExpression } from "./program.js";
import { isNumericType } from "./type-rules.js";
import { childNodes, type TypedNode } from "./typed-tree.js";
import { CONSTANTS, FUNCTIONS } from "./vocabulary.js";

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
}

export interface Vocabulary {
  readonly vertex: readonly Entry[];
  readonly arc: readonly Entry[];
  readonly other: readonly Entry[];
  readonly constants: readonly { readonly name: string; readonly type: StaticType }[];
  /** Without `most` the number of arguments is unlimited. */
  readonly functions: readonly (Entry & { readonly least: number; readonly most?: number })[];
}

/** Returns every name with its type and description. */
export function vocabulary(): Vocabulary {
  const entries = (rows: ReadonlyMap<string, Entry>): Entry[] =>
    Array.from(rows.values(), ({ name, type, doc }) => ({ name, type, doc }));
  return {
    vertex: entries(VERTEX_ATTRIBUTES),
    arc: entries(ARC_ATTRIBUTES),
    other: entries(OTHER_ATTRIBUTES),
    constants: Array.from(CONSTANTS, ([name, { type }]) => ({ name, type })),
    functions: Array.from(FUNCTIONS.values(), ({ name, type, doc, min, max }) => ({
      ...{ name, type: type === "kept" ? "num" : type, doc, least: min },
      ...(Number.isFinite(max) && { most: max }),
    })),
  };
}

export interface ExpressionFacts {
  readonly type: StaticType;
  /** Vertices, attributes, properties and functions it names. */
  readonly names: readonly string[];
  /** True if it requires an arc. */
  readonly needsHead: boolean;
  /** True if it changes memory, collects, or stops something. */
  readonly hasEffect: boolean;
  /** Warnings about probable errors. */
  readonly hints: readonly string[];
}

/**
 * Returns the static properties of an expression.
 * @throws QueryError a malformed expression, with the position
 */
export function expressionFacts(text: string): ExpressionFacts {
  const { program, literals } = compileExpression(text);
  const { statements, type, hasEffect, needs, keys } = program.typed;
  const names = new Set<string>();
  const hints = new Set<string>();
  const visit = (node: TypedNode): void => {
    const name = nameOf(node, (of, position) => String(literals[keys[of][position]!]));
    if (name !== null) names.add(name);
    const hint = findHint(node);
    if (hint !== null) hints.add(hint);
    childNodes(node).forEach(visit);
  };
  for (const { value } of statements) visit(value);
  const needsHead = needs.head >= 0;
  return {
    type: type === "wide" ? "num" : type,
    names: [...names],
    needsHead,
    hasEffect,
    hints: [...hints],
  };
}

type KeyOf = (of: "vertex" | "next" | "prev", position: number) => string;

function nameOf(node: TypedNode, keyOf: KeyOf): string | null {
  switch (node.op) {
    case "vertex":
      return node.of;
    case "vertexAttribute":
      return `${node.of}.${node.attribute.name}`;
    case "arcAttribute":
      return `${node.of}.arc.${node.attribute.name}`;
    case "other":
      return node.attribute.name;
    case "call":
      return `${node.row.name}()`;
    case "property":
      return `${node.of}['${keyOf(node.of, node.position)}']`;
    case "has":
    case "default":
      return `${node.property.of}['${keyOf(node.property.of, node.property.position)}']`;
    default:
      return null;
  }
}

const ARITHMETIC = new Set(["+", "-", "*", "%"]);
const COMPARISONS = new Set(["==", "<", "<=", ">", ">="]);

function findHint(node: TypedNode): string | null {
  if (node.op !== "binary") return null;
  const { operator, left, right } = node;
  const areMixed =
    (isNumericType(left.type) && right.type === "text") ||
    (left.type === "text" && isNumericType(right.type));
  if (!areMixed) return null;
  if (COMPARISONS.has(operator)) return `a number and a text: \`${operator}\` is always 0`;
  if (operator === "+" && left.type === "text") return null;
  return ARITHMETIC.has(operator) ? `a number \`${operator}\` a text is always nan` : null;
}
