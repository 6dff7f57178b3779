// Shapes of types with parts: arrays, tuples, plain objects. Other objects of JavaScript, such as
// functions and most class instances, have no JSON form; the error names them.

import { ts } from "ts-morph";
import type { PropertyShape, TypeShape } from "../record/type-shape.js";
import { LIMITS_PROPERTY } from "./carried-limits.js";
import { readCollection } from "./collection-shape.js";
import { getDescription, isDeprecated } from "./doc-comment.js";
import { readIndex } from "./index-shape.js";
import { limitTagsOfSymbol } from "./limit-tags.js";
import { limitedShape } from "./limited-shape.js";
import { readMade } from "./made-class.js";
import { isLibrary } from "./named-type.js";
import { isUniqueSymbolKey } from "./package-symbols.js";
import {
  isUndefined,
  type Problem,
  plain,
  problemsAtPath,
  type TypeReader,
  type TypeReading,
  unsupported,
} from "./reading.js";
import { findTypeNode } from "./schema-locations.js";
import { readSchema } from "./schema-shape.js";

export function readObjectShape(reader: TypeReader, type: ts.Type): TypeReading {
  const { checker } = reader.context;
  if (type.getCallSignatures().length > 0) return unsupported("a function", "a value");
  if (type.getConstructSignatures().length > 0) return unsupported("a class");
  if (checker.isTupleType(type)) return readTuple(reader, type as ts.TupleTypeReference);
  if (checker.isArrayType(type))
    return readArray(reader, checker.getTypeArguments(type as ts.TypeReference)[0]!);
  return readInstance(reader, type) ?? readProperties(reader, type);
}

function readArray(reader: TypeReader, element: ts.Type): TypeReading {
  const items = readElement(reader, element);
  return {
    shape: { kind: "array", items: items.shape },
    problems: problemsAtPath("[]", items),
  };
}

/** JSON writes `undefined` in an array as null, and never reads it back. */
function readElement(reader: TypeReader, element: ts.Type): TypeReading {
  return reader.direction === "output" ? reader.read(element) : reader.readPresent(element);
}

function readTuple(reader: TypeReader, type: ts.TupleTypeReference): TypeReading {
  const items: TypeShape[] = [];
  const problems: Problem[] = [];
  let rest: TypeShape | null = null;
  reader.context.checker.getTypeArguments(type).forEach((element, index) => {
    const flags = type.target.elementFlags[index] ?? ts.ElementFlags.Required;
    const isOptional = (flags & ts.ElementFlags.Optional) !== 0;
    const reading = isOptional ? reader.readPresent(element) : readElement(reader, element);
    problems.push(...problemsAtPath(`[${index}]`, reading));
    if (flags & ts.ElementFlags.Rest) rest = reading.shape;
    else if (rest === null) items.push(reading.shape);
    else problems.push({ path: `[${index}]`, reason: "an element after a rest element", help: "" });
  });
  return { shape: { kind: "tuple", items, required: type.target.minLength, rest }, problems };
}

/** Reads class instances and built-in objects; null for plain objects. */
function readInstance(reader: TypeReader, type: ts.Type): TypeReading | null {
  const { context } = reader;
  const symbol = type.getSymbol();
  const declaration = symbol?.declarations?.[0];
  if (!symbol || !declaration) return null;
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
  const isGlobal =
    (symbol.flags & ts.SymbolFlags.Interface) !== 0 && isLibrary(context, declaration);
  if (isGlobal && reader.direction === "output" && context.checker.isArrayLikeType(type)) {
    const element = type.getNumberIndexType();
    if (element) return readArray(reader, element);
  }
  const collection = isGlobal ? readCollection(reader, type) : null;
  if (collection) return collection;
  const converted = isClass && reader.direction === "input" ? readMade(reader, symbol) : null;
  if (converted) return converted;
  if (!isClass && !isGlobal) return null;
  const replacement = REPLACEMENTS[symbol.name];
  return unsupported(
    isClass ? `an instance of class \`${symbol.name}\`` : withArticle(symbol.name),
    replacement ??
      (reader.direction === "input"
        ? "an interface, or `static fromJSON(value: …)` in the class"
        : "a plain object, or a `toJSON` method"),
  );
}

function withArticle(name: string): string {
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  Promise: "the value itself",
  Generator: "`async function*` for a stream, or an array: `[...values]`",
  Iterator: "an array: `[...values]`",
  IterableIterator: "an array: `[...values]`",
  RegExp: "`str`",
  ReadableStream: "`async function*`, with `yield* stream`",
  Response: "`HttpResponse`",
};

/** Converters drop `__proto__`, because it would change the prototype of the object. */
const UNSETTABLE = {
  reason: "a name reserved by JavaScript",
  help: "another name",
};

/** JSON Schema can only limit all keys of an object or none. */
const LIMITED_KEYS = {
  reason: "a limited key beside named properties",
  help: "a separate `Record`",
};

function readProperties(reader: TypeReader, type: ts.Type): TypeReading {
  const { checker } = reader.context;
  if (extendsAny(checker, type)) reader.context.metAny = true;
  const properties: PropertyShape[] = [];
  const problems: Problem[] = [];
  for (const symbol of checker.getPropertiesOfType(type)) {
    if (isUniqueSymbolKey(symbol) || symbol.name === LIMITS_PROPERTY) continue;
    const propertyType = checker.getTypeOfSymbol(symbol);
    const node = findTypeNode(symbol);
    const reading = readSchema(reader, node) ?? reader.readPresent(propertyType);
    const path = `.${symbol.name}`;
    const tags = limitTagsOfSymbol(reader.context, symbol);
    problems.push(...problemsAtPath(path, reading));
    if (symbol.name === "__proto__") problems.push({ path, ...UNSETTABLE });
    properties.push({
      name: symbol.name,
      optional: mayBeAbsent(symbol, propertyType),
      shape: limitedShape(reader, reading.shape, node, tags),
      description: getDescription(reader.context, symbol),
      ...(isDeprecated(symbol) && { deprecated: true }),
    });
  }
  const index = readIndex(reader, type);
  if (index === null) {
    if (properties.length === 0) return plain({ kind: "json" });
    return { shape: { kind: "object", properties, additional: null }, problems };
  }
  problems.push(...index.problems);
  if (index.shape.keyLimits !== undefined && properties.length > 0) {
    problems.push({ path: "[key]", ...LIMITED_KEYS });
  }
  return { shape: { kind: "object", properties, ...index.shape }, problems };
}

/** An interface with an undeclared base silently lacks properties. */
function extendsAny(checker: ts.TypeChecker, type: ts.Type): boolean {
  const declarations = type.getSymbol()?.declarations ?? [];
  return declarations
    .filter(ts.isInterfaceDeclaration)
    .flatMap((declaration) => declaration.heritageClauses ?? [])
    .flatMap((clause) => clause.types)
    .some((base) => (checker.getTypeAtLocation(base).flags & ts.TypeFlags.Any) !== 0);
}

function mayBeAbsent(symbol: ts.Symbol, type: ts.Type): boolean {
  if (symbol.flags & ts.SymbolFlags.Optional) return true;
  return isUndefined(type) || (type.isUnion() && type.types.some(isUndefined));
}
