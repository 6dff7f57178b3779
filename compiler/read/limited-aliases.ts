// Limits in the comment of a type alias, made part of the type that it names. The checker forgets
// aliases of scalars and arrays: of `/** @minimum 1 */ type Small = int`, only `int` is left in
// `Record<str, Small>` or `Box<Small>`. So before a file is bound, the alias becomes
//
//   type Small = int & { readonly "@limits"?: never }
//
// and the added part, which leads back to the alias, survives generics, mapped types and unions.

import { ts } from "ts-morph";
import { LIMIT_WORDS } from "../../argspec/limits/limits.js";

/** Name of the property that carries the limits of an alias. */
export const LIMITS_PROPERTY = "@limits";

const MENTION = new RegExp(`@(?:${Object.keys(LIMIT_WORDS).join("|")})\\b`);

/** Aliases by the property that represents their limits, with their types as written. */
const aliases = new WeakMap<ts.Node, ts.TypeAliasDeclaration>();
const writtenTypes = new WeakMap<ts.TypeAliasDeclaration, ts.TypeNode>();

export function carryAliasLimits(sourceFile: ts.SourceFile): void {
  if (!MENTION.test(sourceFile.text)) return;
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAliasDeclaration(node)) carry(node);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

/** Returns the type that the author wrote after the `=` of an alias. */
export function writtenType(alias: ts.TypeAliasDeclaration): ts.TypeNode {
  return writtenTypes.get(alias) ?? alias.type;
}

/** Returns the alias whose limits a property represents. */
export function aliasBehind(property: ts.Symbol): ts.TypeAliasDeclaration | undefined {
  const [declaration] = property.declarations ?? [];
  return declaration && aliases.get(declaration);
}

function carry(alias: ts.TypeAliasDeclaration): void {
  const isLimited = ts.getJSDocTags(alias).some(({ tagName }) => tagName.text in LIMIT_WORDS);
  if (!isLimited || isObjectType(alias.type)) return;
  const { factory } = ts;
  const readonly = factory.createToken(ts.SyntaxKind.ReadonlyKeyword);
  const optional = factory.createToken(ts.SyntaxKind.QuestionToken);
  const never = factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
  const name = factory.createStringLiteral(LIMITS_PROPERTY);
  const property = factory.createPropertySignature([readonly], name, optional, never);
  aliases.set(property, alias);
  const limits = factory.createTypeLiteralNode([property]);
  const { type } = alias;
  const limited = isOneType(type)
    ? factory.createIntersectionTypeNode([type, limits])
    : distribute(type, limits);
  writtenTypes.set(alias, type);
  parse(limited, type, alias);
  (alias as { type: ts.TypeNode }).type = limited;
}

/** Types that cannot have limits: the alias keeps its name, and a diagnostic names the tag. */
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
