// Finds schemas in the type of a parameter: the parameter itself, properties of objects, elements
// of arrays. A schema in any other part of the type is an error, because it would not run.

import { ts } from "ts-morph";
import type { SchemaLocation } from "../record/plugin-record.js";
import { writtenType } from "./carried-limits.js";
import type { ReadContext } from "./read-context.js";
import { schemaType } from "./schema-type.js";

type Path = SchemaLocation["path"];

/** Returns the locations of all schemas in the type of a parameter. */
export function schemaLocations(
  context: ReadContext,
  node: ts.TypeNode | undefined,
): SchemaLocation[] {
  return node === undefined ? [] : new PlaceFinder(context).find(node, []);
}

/** Returns the element type of `T[]`, `Array<T>` and `readonly T[]`. */
export function elementNode(node: ts.TypeNode): ts.TypeNode | null {
  if (ts.isParenthesizedTypeNode(node)) return elementNode(node.type);
  if (ts.isTypeOperatorNode(node)) return elementNode(node.type);
  if (ts.isArrayTypeNode(node)) return node.elementType;
  if (!ts.isTypeReferenceNode(node)) return null;
  const isArray = /^(Readonly)?Array$/.test(node.typeName.getText());
  return isArray ? (node.typeArguments?.[0] ?? null) : null;
}

export function findTypeNode({ valueDeclaration: node }: ts.Symbol): ts.TypeNode | undefined {
  const isTyped = node && (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node));
  return isTyped ? writtenType(node) : undefined;
}

class PlaceFinder {
  readonly #context: ReadContext;
  /** Types being searched. */
  readonly #open = new Set<ts.Type>();
  readonly #recursive = new Set<ts.Type>();
  /** Types without any schema. */
  readonly #plain = new Set<ts.Type>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  find(node: ts.TypeNode, path: Path): SchemaLocation[] {
    const found = schemaType(this.#context, node);
    if (found !== null) return [{ path, schema: found.schema }];
    const element = elementNode(node);
    if (element !== null) return this.find(element, [...path, null]);
    this.#refuseWithin(node);
    return this.#inProperties(node, path);
  }

  #inProperties(node: ts.TypeNode, path: Path): SchemaLocation[] {
    const { checker } = this.#context;
    const type = checker.getTypeFromTypeNode(node);
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return [];
    if (this.#plain.has(type)) return [];
    if (this.#open.has(type)) {
      this.#recursive.add(type);
      return [];
    }
    this.#open.add(type);
    const locations = checker.getPropertiesOfType(type).flatMap((symbol) => {
      const inner = findTypeNode(symbol);
      return inner && this.#isOwn(inner) ? this.find(inner, [...path, symbol.name]) : [];
    });
    this.#open.delete(type);
    if (locations.length === 0) this.#plain.add(type);
    else if (this.#recursive.has(type)) this.#refuse(node, "in a type that contains itself");
    return locations;
  }

  #isOwn(node: ts.Node): boolean {
    return !this.#context.program.isSourceFileFromExternalLibrary(node.getSourceFile());
  }

  /** Searches members of unions and arguments of other types: `Partial<z.infer<typeof Order>>`. */
  #refuseWithin(node: ts.TypeNode): void {
    if (ts.isTypeLiteralNode(node)) return;
    const visit = (inner: ts.Node): void => {
      const isSchema = ts.isTypeNode(inner) && schemaType(this.#context, inner) !== null;
      if (isSchema) this.#refuse(inner, `in \`${node.getText().replace(/\s+/g, " ")}\``);
      else if (!ts.isTypeLiteralNode(inner)) ts.forEachChild(inner, visit);
    };
    ts.forEachChild(node, visit);
  }

  #refuse(node: ts.Node, where: string): void {
    const message = `the server cannot run a schema ${where}`;
    const help = "a schema of the whole type, such as `Order.nullable()`, or call `validate`";
    this.#context.error("SVC1272", node, message, help);
  }
}
