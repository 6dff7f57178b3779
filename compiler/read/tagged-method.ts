// Methods tagged as plugins or jobs: static methods of an exported class, and methods of an
// exported instance or object, such as `export const shop = new Shop(stock)`. User code creates the
// instance, and injects its dependencies.

import { ts } from "ts-morph";
import { readDecorator } from "./decorated-method.js";
import { type DocComment, readDocComment } from "./doc-comment.js";
import type { FileScope } from "./file-scope.js";
import { hasPlainSignature } from "./plain-signature.js";
import { isFunctionNode, type PluginDeclaration } from "./plugin-declaration.js";
import { unwrap } from "./read-context.js";
import { resolveFunction, resolveFunctionType } from "./resolved-function.js";
import { asJob, isScheduled } from "./scheduled-function.js";
import { taggedPlugin } from "./tagged-function.js";

const HIDDEN = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];

/** An instance or object with a method whose types may differ from the declared ones. */
interface Instance {
  readonly type: ts.Type;
  readonly name: ts.Node;
}

/** A method, or a property whose value is a function. */
type Member = MemberNode & { readonly name: ts.Identifier };
type MemberNode =
  | ts.MethodDeclaration
  | ts.PropertyDeclaration
  | ts.PropertyAssignment
  | ts.ShorthandPropertyAssignment;

/** Returns the plugins and jobs among the static methods of a class, except decorated ones. */
export function findTaggedStatics(
  scope: FileScope,
  declaration: ts.ClassDeclaration,
): PluginDeclaration[] {
  const [exportName] = scope.exports.get(declaration) ?? [];
  return declaration.members.flatMap((member) => {
    const isTaggable = isMember(member, true) && readDecorator(scope, member) === null;
    const doc = isTaggable ? taggedDoc(member) : null;
    return (doc && readMember(scope, member as Member, doc, exportName, null)) ?? [];
  });
}

/**
 * Returns the plugins and jobs of an instance; empty for other values.
 * @param name name of the variable, or the value of `export default`
 */
export function findInstanceMethods(
  scope: FileScope,
  name: ts.Node,
  initializer: ts.Expression | undefined,
  exportName: string | undefined,
): PluginDeclaration[] {
  const value = initializer && unwrap(initializer);
  if (value === undefined || !isObject(value, exportName !== undefined)) return [];
  const type = scope.context.checker.getTypeAtLocation(name);
  return listMembers(scope, type).flatMap(({ member, isDeclared, doc }) => {
    if (doc === null) return [];
    return readMember(scope, member, doc, exportName, isDeclared ? null : { type, name }) ?? [];
  });
}

function isObject(value: ts.Expression, isExported: boolean): boolean {
  if (ts.isNewExpression(value) || ts.isObjectLiteralExpression(value)) return true;
  return isExported && (ts.isCallExpression(value) || ts.isAwaitExpression(value));
}

interface FoundMember {
  readonly member: Member;
  /** True if its types in the instance are the declared ones. */
  readonly isDeclared: boolean;
  /** Comment of the member, or of the member that it overrides; null without tags. */
  doc: DocComment | null;
}

/**
 * Returns the methods of a class and of its base classes, without overridden methods. If a mixin
 * extends the class, its type is `Mixin & Base`.
 */
function listMembers(scope: FileScope, type: ts.Type): readonly FoundMember[] {
  const members = new Map<string, FoundMember>();
  const parts = type.isIntersection() ? type.types : [type];
  for (const part of parts) addMembers(scope, part, part !== type, members);
  return [...members.values()];
}

function addMembers(
  scope: FileScope,
  type: ts.Type,
  isPart: boolean,
  found: Map<string, FoundMember>,
): void {
  const { checker } = scope.context;
  const declaration = type.symbol?.valueDeclaration;
  if (declaration && ts.isObjectLiteralExpression(declaration)) {
    for (const member of declaration.properties) {
      if (isMember(member, false)) addMember(scope, member, false, found);
    }
  }
  const isPlain = !isPart && !isInstantiated(type);
  for (let current = declaration; current !== undefined && ts.isClassLike(current); ) {
    for (const member of current.members) {
      if (isMember(member, false))
        addMember(scope, member, isPlain && current === declaration, found);
    }
    const base = current.heritageClauses?.find(
      ({ token }) => token === ts.SyntaxKind.ExtendsKeyword,
    );
    current = base?.types[0] && checker.getTypeAtLocation(base.types[0]).symbol?.valueDeclaration;
    if (current?.getSourceFile().isDeclarationFile) break;
  }
}

/** Returns whether a class has type arguments. */
function isInstantiated(type: ts.Type): boolean {
  const { objectFlags = 0, target } = type as Partial<ts.TypeReference>;
  return (objectFlags & ts.ObjectFlags.Reference) !== 0 && target !== type;
}

function addMember(
  scope: FileScope,
  member: Member,
  isDeclared: boolean,
  found: Map<string, FoundMember>,
): void {
  const existing = found.get(member.name.text);
  const doc = taggedDoc(member);
  // The tags of an overridden method are not stray.
  if (existing?.doc && doc) markSeen(scope, doc);
  else if (existing) existing.doc = doc;
  else found.set(member.name.text, { member, isDeclared, doc });
}

function markSeen({ seen }: FileScope, { tags }: DocComment): void {
  for (const tag of tags) seen.add(tag);
}

function isMember(member: ts.Node, isStatic: boolean): member is Member {
  if (!isMemberNode(member) || !ts.isIdentifier(member.name)) return false;
  return readModifiers(member).includes(ts.SyntaxKind.StaticKeyword) === isStatic;
}

function isMemberNode(node: ts.Node): node is MemberNode {
  return (
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node)
  );
}

function readModifiers(member: MemberNode): readonly ts.SyntaxKind[] {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  return modifiers?.map(({ kind }) => kind) ?? [];
}

/** Returns the comment of a method that is a plugin or job; null for other and for private ones. */
function taggedDoc(member: MemberNode): DocComment | null {
  const doc = readDocComment(member);
  const isHidden = readModifiers(member).some((kind) => HIDDEN.includes(kind));
  return (doc.plugin !== null || isScheduled(doc)) && !isHidden ? doc : null;
}

function readMember(
  scope: FileScope,
  member: Member,
  doc: DocComment,
  exportName: string | undefined,
  instance: Instance | null,
): PluginDeclaration | null {
  const value = memberValue(member);
  const method = member.name.text;
  const exportPath = `${exportName}.${method}`;
  if (doc.plugin === null || isScheduled(doc)) {
    const job = asJob(scope, doc, value, member.name, exportName);
    return job && { ...job, name: method, exportPath };
  }
  const resolved = value && resolveMember(scope, member, value, instance);
  if (resolved === undefined) return null;
  markSeen(scope, doc);
  const plugin = resolved && taggedPlugin(scope, resolved, doc, member.name, exportName);
  return plugin && { ...plugin, name: doc.plugin.text || method, exportPath };
}

function memberValue(member: Member): ts.Node | undefined {
  if (ts.isMethodDeclaration(member)) return member;
  return ts.isShorthandPropertyAssignment(member) ? member.name : member.initializer;
}

/** Resolves the function of a member; returns null after an error, undefined for other values. */
function resolveMember(
  { context }: FileScope,
  { name }: Member,
  value: ts.Node,
  instance: Instance | null,
): Pick<PluginDeclaration, "fn" | "resolved"> | null | undefined {
  const inherited = instance?.type.getProperty(name.text);
  if (instance !== null && inherited !== undefined) {
    const type = context.checker.getTypeOfSymbolAtLocation(inherited, instance.name);
    return resolveFunctionType(context, type, instance.name, name);
  }
  if (!isFunctionNode(value)) return resolveFunction(context, value, name);
  return hasPlainSignature(context, value, name) ? { fn: value } : null;
}
