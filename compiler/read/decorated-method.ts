// The decorator form: `@plugin` or `@plugin({...})` on a static method of an exported class.

import { ts } from "ts-morph";
import { readDocComment } from "./doc-comment.js";
import type { FileScope } from "./file-scope.js";
import { hasPlainSignature } from "./plain-signature.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { PluginOptions } from "./plugin-options.js";
import { asPluginDecorator } from "./wrapper-call.js";

export function findStaticMethods(
  scope: FileScope,
  declaration: ts.ClassDeclaration,
): PluginDeclaration[] {
  return declaration.members.flatMap((member) => {
    const options = readDecorator(scope, member);
    const plugin = options && readMethod(scope, declaration, member, options);
    return plugin ? [plugin] : [];
  });
}

/** Returns the options of a plugin decorator; null for other members. */
export function readDecorator(scope: FileScope, member: ts.ClassElement): PluginOptions | null {
  if (!ts.canHaveDecorators(member)) return null;
  for (const decorator of ts.getDecorators(member) ?? []) {
    const options = asPluginDecorator(scope.context, decorator.expression);
    if (!options) continue;
    scope.seen.add(decorator);
    return options;
  }
  return null;
}

function readMethod(
  { context, exports }: FileScope,
  declaration: ts.ClassDeclaration,
  member: ts.ClassElement,
  options: PluginOptions,
): PluginDeclaration | null {
  const [exportName] = exports.get(declaration) ?? [];
  const isStatic = ts
    .getModifiers(member as ts.MethodDeclaration)
    ?.some((modifier) => modifier.kind === ts.SyntaxKind.StaticKeyword);
  if (!ts.isMethodDeclaration(member) || !ts.isIdentifier(member.name) || !isStatic) {
    const message = "the decorator requires a static method with an identifier name";
    context.error("SVC1004", member.name ?? member, message, "`@plugin static name(request, ...)`");
    return null;
  }
  if (exportName === undefined) {
    const message = "the class of a plugin method must be exported";
    const help = `\`export class ${declaration.name?.text ?? "Name"}\``;
    context.error("SVC1004", declaration.name ?? declaration, message, help);
    return null;
  }
  if (!hasPlainSignature(context, member, member.name)) return null;
  return {
    fn: member,
    name: options.name ?? member.name.text,
    nameNode: member.name,
    role: options.role,
    graph: options.graph,
    readonly: options.readonly,
    exportPath: `${exportName}.${member.name.text}`,
    doc: readDocComment(member),
  };
}
