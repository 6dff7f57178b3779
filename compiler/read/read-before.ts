// Reads `@before auth, src/guards.ts#limit`: functions that run before a plugin, identified by a
// name in its file, or by module and export. Each must be exported by its module, because the
// server imports it from there.

import { existsSync } from "node:fs";

import { join, posix } from "node:path";
import { ts } from "ts-morph";
import type { ModuleExport } from "../record/module-export.js";
import { type DocComment, readTagLine } from "./doc-comment.js";
import { isLibrary } from "./named-type.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { type ReadContext, skipAlias } from "./read-context.js";

export function readBefore(context: ReadContext, { doc, fn, role }: PluginDeclaration) {
  return beforeTags(doc).flatMap((tag): ModuleExport[] => {
    if (role === "post") {
      const message = "hooks run before a request and cannot be set on a post plugin";
      context.error("SVC1144", tag, message, "the tag on the pre-processor");
      return [];
    }
    const names = readNames(tag);
    if (names.length === 0)
      context.error("SVC1144", tag, "`@before` has no function name", "`@before auth`");
    return names.flatMap((name) =>
      name.includes("#") ? readExport(context, tag, name) : readName(context, fn, tag, name),
    );
  });
}

/**
 * Returns the declarations of the functions that run before a plugin, if the program contains them.
 * Hooks of the configuration come first.
 */
export function findHooks(context: ReadContext, { doc, fn, role }: PluginDeclaration) {
  const configured = role === "post" ? [] : context.hooks;
  return [...configured, ...beforeTags(doc).flatMap(readNames)].flatMap((name) => {
    const symbol = name.includes("#") ? findExport(context, name) : resolveName(context, fn, name);
    return symbol?.declarations?.slice(0, 1) ?? [];
  });
}

function beforeTags({ tags }: DocComment): readonly ts.JSDocTag[] {
  return tags.filter(({ tagName }) => tagName.text === "before");
}

function readNames(tag: ts.JSDocTag): string[] {
  return readTagLine(tag)
    .split(/[\s,]+/)
    .filter((name) => name !== "");
}

/** Returns the symbol of `module#export`, if the program contains it. */
export function findExport(context: ReadContext, name: string): ts.Symbol | undefined {
  const [path = "", exportPath] = name.split("#");
  const file = context.program.getSourceFile(join(context.projectDir, path));
  const module = file && context.checker.getSymbolAtLocation(file);
  const exports = module ? context.checker.getExportsOfModule(module) : [];
  const found = exports.find((symbol) => symbol.name === exportPath);
  return found && skipAlias(context, found);
}

function resolveName(context: ReadContext, fn: ts.Node, name: string): ts.Symbol | undefined {
  const found = context.checker.resolveName(name, fn, ts.SymbolFlags.Value, false);
  return found && skipAlias(context, found);
}

/** The bundler reports a missing export. */
function readExport(context: ReadContext, tag: ts.JSDocTag, name: string): ModuleExport[] {
  const [module = "", exportPath = ""] = name.split("#");
  const path = posix.normalize(module);
  const isInside = !path.startsWith("..") && !posix.isAbsolute(path);
  const exists = isInside && existsSync(join(context.projectDir, path));
  if (exists && /^[A-Za-z_$][\w$]*$/.test(exportPath)) return [{ module: path, exportPath }];
  const message = `\`@before ${name}\`: module not found in the project`;
  context.error("SVC1144", tag, message, "`src/guards.ts#auth`, as seen from the project's folder");
  return [];
}

function readName(context: ReadContext, fn: ts.Node, tag: ts.JSDocTag, name: string) {
  const { checker } = context;
  const symbol = resolveName(context, fn, name);
  const declaration = symbol?.declarations?.[0];
  const isCallable =
    symbol && checker.getTypeOfSymbolAtLocation(symbol, fn).getCallSignatures().length > 0;
  if (symbol === undefined || declaration === undefined || !isCallable) {
    const message = `\`@before ${name}\`: function not found in this file`;
    context.error("SVC1144", tag, message, `\`import { ${name} } from "…"\``);
    return [];
  }
  const sourceFile = declaration.getSourceFile();
  const module = checker.getSymbolAtLocation(sourceFile);
  const exports = module ? checker.getExportsOfModule(module) : [];
  const exported = exports.find((candidate) => skipAlias(context, candidate) === symbol);
  const isForeign = context.program.isSourceFileFromExternalLibrary(sourceFile);
  if (exported === undefined || isForeign || isLibrary(context, declaration)) {
    const where = isForeign ? "comes from a package" : "is not exported by its module";
    context.error(
      "SVC1144",
      tag,
      `\`@before ${name}\`: it ${where}`,
      `\`export function ${name}\``,
    );
    return [];
  }
  return [{ module: context.path(sourceFile), exportPath: exported.name }];
}
