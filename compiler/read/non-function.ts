// Reports a `@plugin` tag above a value that is not a function, and suggests where to put the tag.

import { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";

const TAG = "@plugin";
const MAX_NAMES = 3;
const ANY_FUNCTION = "`/** @plugin */ export function name(request: PluginRequest) { ... }`";

/** @param tag `@plugin` */
export function reportNonFunction(context: ReadContext, tag: ts.JSDocTag, value: ts.Node): void {
  const { checker } = context;
  const type = checker.getTypeAtLocation(value);
  const message = `\`@plugin\` must be above a function, not \`${checker.typeToString(type)}\``;
  const position = context.position(tag);
  const range = { position, length: TAG.length };
  const help = suggestTagLocation(checker, type);
  context.add({ code: "SVC1003", severity: "error", ...range, message, help });
}

function suggestTagLocation(checker: ts.TypeChecker, type: ts.Type): string {
  if ((type.flags & ts.TypeFlags.Object) === 0) return ANY_FUNCTION;
  const declaration = type.symbol?.valueDeclaration;
  if (declaration && ts.isClassLike(declaration)) return "the tag above a method of the class";
  const names = type.getProperties().flatMap((property) => {
    const isCallable = checker.getTypeOfSymbol(property).getCallSignatures().length > 0;
    return isCallable && /^[A-Za-z_$][\w$]*$/.test(property.name) ? [property.name] : [];
  });
  if (names.length === 0) return ANY_FUNCTION;
  return `\`export const { ${names.slice(0, MAX_NAMES).join(", ")} } = …\``;
}
