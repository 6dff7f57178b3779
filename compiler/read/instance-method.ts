// Tagged methods of an exported instance: `export const shop = new Shop(stock)`. The instance is
// made by user code, which injects what its constructor takes.

import { ts } from "ts-morph";
import { readDocComment } from "./doc-comment.js";
import type { FileScope } from "./file-scope.js";
import { hasPlainSignature } from "./plain-signature.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { unwrap } from "./read-context.js";
import { asJob, isScheduled } from "./scheduled-function.js";
import { taggedPlugin } from "./tagged-function.js";

const HIDDEN = [
  ts.SyntaxKind.StaticKeyword,
  ts.SyntaxKind.PrivateKeyword,
  ts.SyntaxKind.ProtectedKeyword,
];

/** Returns the plugins and jobs of an instance; none for other values. */
export function findInstanceMethods(
  scope: FileScope,
  { name, initializer }: ts.VariableDeclaration,
  exportName: string | undefined,
): PluginDeclaration[] {
  if (initializer === undefined || !ts.isNewExpression(unwrap(initializer))) return [];
  const declared = scope.context.checker.getTypeAtLocation(name).symbol?.valueDeclaration;
  if (declared === undefined || !ts.isClassDeclaration(declared)) return [];
  return declared.members.flatMap((member) => readMember(scope, member, exportName) ?? []);
}

function readMember(
  scope: FileScope,
  member: ts.ClassElement,
  exportName: string | undefined,
): PluginDeclaration | null {
  if (!ts.isMethodDeclaration(member) || !ts.isIdentifier(member.name)) return null;
  const doc = readDocComment(member);
  const isJob = isScheduled(doc);
  if (!(doc.plugin || isJob) || isHidden(member)) return null;
  const method = member.name.text;
  if (isJob) {
    const job = asJob(scope, doc, member, member.name, exportName);
    return job && { ...job, name: method, exportPath: `${exportName}.${method}` };
  }
  if (!doc.plugin) return null;
  if (member.getSourceFile() === scope.sourceFile) scope.seen.add(doc.plugin.node);
  if (!hasPlainSignature(scope.context, member, member.name)) return null;
  const plugin = taggedPlugin(scope, { fn: member }, doc, member.name, exportName);
  if (plugin === null) return null;
  return { ...plugin, name: doc.plugin.text || method, exportPath: `${exportName}.${method}` };
}

/** Its tag is then reported as one without effect. */
function isHidden(member: ts.MethodDeclaration): boolean {
  return ts.getModifiers(member)?.some(({ kind }) => HIDDEN.includes(kind)) === true;
}
