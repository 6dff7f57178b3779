// Decides which types get an entry in the type table: aliases, interfaces, classes and enums of the
// user. The key is their source position, so that it is the same in every run; readable unique
// names are assigned at the end, when all are known (see `type-table.ts`).

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import { declarationKey } from "./declaration-key.js";
import { readBrand } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface TypeName {
  readonly key: string;
  /** Preferred name in the table. */
  readonly base: string;
  readonly file: string;
  readonly offset: number;
  /** The type has no name in its source. */
  readonly isGenerated?: true;
}

export interface NamedShape extends TypeName {
  readonly shape: TypeShape;
  readonly description: string;
  readonly deprecated: boolean;
  /** Places of limits in it, except those of an enclosing type that refers to it recursively. */
  readonly reads: readonly string[];
}

const MAX_NAME_LENGTH = 64;

/**
 * Returns the name of a type, null if it is inlined; `anonymous` names types that refer to
 * themselves.
 */
export function nameType(
  context: ReadContext,
  type: ts.Type,
  use: "declared" | "anonymous" = "declared",
): TypeName | null {
  const symbol = type.aliasSymbol ?? type.getSymbol();
  const declaration = symbol?.declarations?.[0];
  if (!symbol || !declaration) return null;
  const isDeclared = type.aliasSymbol !== undefined || isNamedKind(symbol);
  if (use === "declared" && (!isDeclared || isLibrary(context, declaration))) return null;
  const sourceFile = declaration.getSourceFile();
  const args = typeArguments(context, type);
  const words = [isDeclared ? symbol.name : "Type", ...args.map((arg) => wordFor(context, arg))];
  const location = `${context.path(sourceFile)}:${declaration.pos}`;
  const keys = args.map((arg) => fullText(context, arg));
  return {
    key: `${location}<${keys.join()}>${use === "declared" ? "" : fullText(context, type)}`,
    base: identifier(args.length === 0 ? words.join("_") : `${words.join("_")}_`),
    file: context.path(sourceFile),
    offset: declaration.pos,
    ...(use === "anonymous" && { isGenerated: true }),
  };
}

export function isLibrary(context: ReadContext, declaration: ts.Declaration): boolean {
  return context.program.isSourceFileDefaultLibrary(declaration.getSourceFile());
}

/** Returns the type arguments of an instantiated alias, interface or class. */
function typeArguments(context: ReadContext, type: ts.Type): readonly ts.Type[] {
  if (type.aliasSymbol) return type.aliasTypeArguments ?? [];
  if (!isReference(type)) return [];
  const count = type.target.typeParameters?.length ?? 0;
  return context.checker.getTypeArguments(type).slice(0, count);
}

function isReference(type: ts.Type): type is ts.TypeReference {
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0
  );
}

function isNamedKind(symbol: ts.Symbol): boolean {
  const { Interface, Class, Enum } = ts.SymbolFlags;
  return (symbol.flags & (Interface | Class | Enum)) !== 0;
}

function wordFor(context: ReadContext, type: ts.Type): string {
  const { checker } = context;
  // Texts of constrained scalars would list the members that carry brand and constraints.
  const scalar = type.isIntersection() ? type.types.find(isScalar) : undefined;
  return (
    nameType(context, type)?.base ??
    readBrand(checker, type) ??
    checker.typeToString(scalar ?? type)
  );
}

function isScalar({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike)) !== 0;
}

/** Returns a text that distinguishes types with equal names. */
function fullText(context: ReadContext, type: ts.Type): string {
  const { NoTruncation, UseFullyQualifiedType } = ts.TypeFormatFlags;
  const flags = NoTruncation | UseFullyQualifiedType;
  const text = context.checker.typeToString(type, undefined, flags);
  return `${text} of ${declarationKey(context, type)}`;
}

function identifier(text: string): string {
  const word = text.replace(/[^A-Za-z0-9]+/g, "_").slice(0, MAX_NAME_LENGTH);
  return /^[0-9]/.test(word) ? `_${word}` : word;
}
