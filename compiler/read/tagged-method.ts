// Methods tagged as plugins or jobs: static ones of an exported class, and those of an exported
// instance or object, such as `export const shop = new Shop(stock)`. User code makes it, so it
// injects what the constructor takes.

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

/** A method, or a property that holds a function. */
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
 * Returns the plugins and jobs of an instance; none for other values.
 * @param name of the variable, or the value of `export default`
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
  return membersOf(scope, type).flatMap(({ member, isDeclared, doc }) => {
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
  /** Its types are the declared ones. */
  readonly isDeclared: boolean;
  /** Of the member, or of the one that it overrides; null without tags. */
  doc: DocComment | null;
}

/**
 * Returns the methods of a class and of its base classes, without overridden ones. A class that a
 * mixin extends has the type `Mixin & Base`.
 */
function membersOf(scope: FileScope, type: ts.Type): readonly FoundMember[] {
  const found = new Map<string, FoundMember>();
  const parts = type.isIntersection() ? type.types : [type];
  for (const part of parts) addMembers(scope, part, part !== type, found);
  return [...found.values()];
}

function addMembers(
  scope: FileScope,
  type: ts.Type,
  isPart: boolean,
  found: Map<string, FoundMember>,
): void {
  const { checker } = scope.context;
  const own = type.symbol?.valueDeclaration;
  if (own && ts.isObjectLiteralExpression(own)) {
    for (const member of own.properties) {
      if (isMember(member, false)) addMember(scope, member, false, found);
    }
  }
  const isPlain = !isPart && !isInstantiated(type);
  for (let one = own; one !== undefined && ts.isClassLike(one); ) {
    for (const member of one.members) {
      if (isMember(member, false)) addMember(scope, member, isPlain && one === own, found);
    }
    const base = one.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
    one = base?.types[0] && checker.getTypeAtLocation(base.types[0]).symbol?.valueDeclaration;
    if (one?.getSourceFile().isDeclarationFile) break;
  }
}

/** Whether a class has type arguments. */
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
  const known = found.get(member.name.text);
  const doc = taggedDoc(member);
  // The tags of an overridden method have had their effect.
  if (known?.doc && doc) addSeen(scope, doc);
  else if (known) known.doc = doc;
  else found.set(member.name.text, { member, isDeclared, doc });
}

function addSeen({ seen }: FileScope, { tags }: DocComment): void {
  for (const tag of tags) seen.add(tag);
}

function isMember(member: ts.Node, isStatic: boolean): member is Member {
  if (!isMemberNode(member) || !ts.isIdentifier(member.name)) return false;
  return modifiersOf(member).includes(ts.SyntaxKind.StaticKeyword) === isStatic;
}

function isMemberNode(node: ts.Node): node is MemberNode {
  return (
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node)
  );
}

function modifiersOf(member: MemberNode): readonly ts.SyntaxKind[] {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  return modifiers?.map(({ kind }) => kind) ?? [];
}

/** Returns the comment of a method that is a plugin or a job; hidden ones are reported as stray. */
function taggedDoc(member: MemberNode): DocComment | null {
  const doc = readDocComment(member);
  const isHidden = modifiersOf(member).some((kind) => HIDDEN.includes(kind));
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
  addSeen(scope, doc);
  const plugin = resolved && taggedPlugin(scope, resolved, doc, member.name, exportName);
  return plugin && { ...plugin, name: doc.plugin.text || method, exportPath };
}

function memberValue(member: Member): ts.Node | undefined {
  if (ts.isMethodDeclaration(member)) return member;
  return ts.isShorthandPropertyAssignment(member) ? member.name : member.initializer;
}

/** Returns null after an error, and undefined for a value that is no function. */
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
