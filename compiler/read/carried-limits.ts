// Makes limits in the comment of a type alias or a property part of its type. Otherwise they would
// be lost: the checker resolves `Small` in `Record<str, Small>` to `int` for
// `/** @minimum 1 */ type Small = int`, and `Order["count"]` to the type of the property. Before a
// file is bound, the alias becomes
//
//   type Small = int & { readonly "@limits"?: never }
//
// and the added property, which refers to the alias, survives generics, mapped types and unions.

import { ts } from "ts-morph";
import { LIMIT_WORDS } from "../../argspec/limits/limits.js";

/** Name of the property that carries the limits of an alias. */
export const LIMITS_PROPERTY = "@limits";

export const MENTIONS_LIMIT = new RegExp(`@(?:${Object.keys(LIMIT_WORDS).join("|")})\\b`);

type Limited = ts.TypeAliasDeclaration | ts.PropertySignature;

/** Declarations by the property that represents their limits, with their types as written. */
const origins = new WeakMap<ts.Node, Limited>();
const writtenTypes = new WeakMap<ts.Node, ts.TypeNode>();

export function carryLimits(sourceFile: ts.SourceFile): void {
  if (!MENTIONS_LIMIT.test(sourceFile.text)) return;
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node)) carry(node);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

/** Returns the type that the author wrote for an alias or a property. */
export function writtenType(declaration: ts.TypeAliasDeclaration): ts.TypeNode;
export function writtenType(declaration: ts.Node & { type?: ts.TypeNode }): ts.TypeNode | undefined;
export function writtenType(
  declaration: ts.Node & { type?: ts.TypeNode },
): ts.TypeNode | undefined {
  return writtenTypes.get(declaration) ?? declaration.type;
}

/** Returns the declaration whose limits a property represents. */
export function limitsOrigin(property: ts.Symbol): ts.Node | undefined {
  const [declaration] = property.declarations ?? [];
  return declaration && origins.get(declaration);
}

function carry(declaration: Limited): void {
  const { type } = declaration;
  const tags = ts.getJSDocTags(declaration);
  const isLimited = tags.some(({ tagName }) => Object.hasOwn(LIMIT_WORDS, tagName.text));
  if (!isLimited || type === undefined || isObjectType(type)) return;
  const { factory } = ts;
  const readonly = factory.createToken(ts.SyntaxKind.ReadonlyKeyword);
  const optional = factory.createToken(ts.SyntaxKind.QuestionToken);
  const never = factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
  const name = factory.createStringLiteral(LIMITS_PROPERTY);
  const property = factory.createPropertySignature([readonly], name, optional, never);
  origins.set(property, declaration);
  const limits = factory.createTypeLiteralNode([property]);
  const limited = isOneType(type)
    ? factory.createIntersectionTypeNode([type, limits])
    : distribute(type, limits);
  writtenTypes.set(declaration, type);
  parse(limited, type, declaration);
  (declaration as { type: ts.TypeNode }).type = limited;
}

/** Types that cannot have limits: an alias keeps its name, and a diagnostic names the tag. */
function isObjectType(type: ts.TypeNode): boolean {
  return ts.isTypeLiteralNode(type) || ts.isMappedTypeNode(type) || ts.isFunctionTypeNode(type);
}

/** Returns true if the syntax alone rules out a union. */
function isOneType(type: ts.TypeNode): boolean {
  return (
    ts.isArrayTypeNode(type) ||
    ts.isTupleTypeNode(type) ||
    ts.isTemplateLiteralTypeNode(type) ||
    ts.isLiteralTypeNode(type) ||
    type.kind === ts.SyntaxKind.StringKeyword ||
    type.kind === ts.SyntaxKind.NumberKeyword
  );
}

/**
 * Builds `T extends infer M ? M extends null | undefined | boolean ? M : M & limits : never`, which
 * treats each member of a union separately, because `null & { … }` would be `never`.
 */
function distribute(type: ts.TypeNode, limits: ts.TypeNode): ts.TypeNode {
  const { factory } = ts;
  const member = () => factory.createTypeReferenceNode("M");
  const valueless = factory.createUnionTypeNode([
    factory.createLiteralTypeNode(factory.createNull()),
    factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword),
    factory.createKeywordTypeNode(ts.SyntaxKind.BooleanKeyword),
  ]);
  const limited = factory.createIntersectionTypeNode([member(), limits]);
  return factory.createConditionalTypeNode(
    type,
    factory.createInferTypeNode(factory.createTypeParameterDeclaration(undefined, "M")),
    factory.createConditionalTypeNode(member(), valueless, member(), limited),
    factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword),
  );
}

/** Gives created nodes the position of the type that they replace, as if they had been parsed. */
function parse(node: ts.Node, original: ts.TypeNode, parent: ts.Node): void {
  Object.assign(node, { parent });
  if (node === original) return;
  ts.setTextRange(node, original);
  Object.assign(node, { flags: (node.flags & ~ts.NodeFlags.Synthesized) | original.flags });
  ts.forEachChild(node, (child) => parse(child, original, node));
}
