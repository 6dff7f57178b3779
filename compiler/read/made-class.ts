// Classes with `static fromJSON`: clients send the argument of `fromJSON` for a parameter of such a
// class, and the generated converter calls the method.

import type { ts } from "ts-morph";
import type { ModuleExport } from "../record/module-export.js";
import { SCHEMA_PREFIX } from "../record/plugin-record.js";
import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";
import { type TypeReader, type TypeReading, unsupported } from "./reading.js";

/** Returns null for a class without such a method. */
export function readMade(reader: TypeReader, symbol: ts.Symbol): TypeReading | null {
  const { checker, program } = reader.context;
  const declaration = symbol.valueDeclaration;
  if (!declaration) return null;
  const method = checker.getTypeOfSymbolAtLocation(symbol, declaration).getProperty("fromJSON");
  const [signature] = method ? checker.getTypeOfSymbol(method).getCallSignatures() : [];
  const [parameter] = signature?.getParameters() ?? [];
  if (!signature || !parameter) return null;
  if (checker.getReturnTypeOfSignature(signature).getSymbol() !== symbol) return null;
  const file = declaration.getSourceFile();
  const isForeign = file.isDeclarationFile || program.isSourceFileFromExternalLibrary(file);
  if (isForeign || declaration.parent !== file || symbol.name === "default") {
    const reason = `an instance of class \`${symbol.name}\`, which no module declares`;
    return unsupported(reason, "a named class at the top of a module");
  }
  const { shape, problems } = reader.readPresent(checker.getTypeOfSymbol(parameter));
  const exportPath = `${SCHEMA_PREFIX}${symbol.name}`;
  const maker = { module: reader.context.path(file), exportPath };
  return { shape: { kind: "limited", base: shape, limits: {}, maker }, problems };
}

/** Returns the classes that create parts of a value. */
export function listMakers(
  { named }: { readonly named: ReadonlyMap<string, NamedShape> },
  shape: TypeShape,
): readonly ModuleExport[] {
  const parts = listShapeParts(shape, (name) => named.get(name)!.shape);
  return parts.flatMap((part) => (part.kind === "limited" && part.maker) || []);
}
