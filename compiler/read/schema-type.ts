// Types inferred from a schema value: `z.infer<typeof Order>`, `typeof Order.infer`,
// `v.InferOutput<typeof Order>`, or an alias of one. Independent of the library: the value has
// `~standard`, and the type is its output there. Clients send its input.

import { ts } from "ts-morph";
import { SCHEMA_PREFIX, type SchemaValue } from "../record/plugin-record.js";
import { writtenType } from "./carried-limits.js";
import { isLibrary } from "./named-type.js";
import { type ReadContext, resolveSymbol } from "./read-context.js";
import { isUndefined } from "./reading.js";

/** The schema that a type is inferred from. */
export interface SchemaType {
  readonly schema: SchemaValue;
  /** Type of the value in the request. */
  readonly input: ts.Type;
  /** True if the schema converts the value to another type for the plugin. */
  readonly isChanged: boolean;
}

/** Maximum number of aliases to follow; TypeScript reports circular aliases. */
const MAX_ALIASES = 16;

/** Returns null for undefined and for types without a schema. */
export function schemaType(
  context: ReadContext,
  node: ts.TypeNode | undefined,
  depth = 0,
): SchemaType | null {
  if (node === undefined || depth > MAX_ALIASES) return null;
  if (ts.isParenthesizedTypeNode(node)) return schemaType(context, node.type, depth + 1);
  const name = schemaName(node);
  if (name !== null) return readSchemaType(context, node, name);
  if (!ts.isTypeReferenceNode(node) || node.typeArguments) return null;
  const alias = resolveSymbol(context, node.typeName)?.declarations?.find(
    ts.isTypeAliasDeclaration,
  );
  return alias ? schemaType(context, writtenType(alias), depth + 1) : null;
}

/**
 * Returns `Order` for `z.infer<typeof Order>`, `typeof Order.infer` and `(typeof Order)["infer"]`.
 */
function schemaName(node: ts.TypeNode): ts.EntityName | null {
  if (ts.isTypeQueryNode(node)) {
    return ts.isQualifiedName(node.exprName) ? node.exprName.left : null;
  }
  if (ts.isIndexedAccessTypeNode(node)) {
    const { objectType } = node;
    const query = ts.isParenthesizedTypeNode(objectType) ? objectType.type : objectType;
    return ts.isTypeQueryNode(query) ? query.exprName : null;
  }
  if (!ts.isTypeReferenceNode(node) || node.typeArguments?.length !== 1) return null;
  const [argument] = node.typeArguments;
  return argument && ts.isTypeQueryNode(argument) ? argument.exprName : null;
}

function readSchemaType(
  context: ReadContext,
  node: ts.TypeNode,
  name: ts.EntityName,
): SchemaType | null {
  const { checker } = context;
  const standard = propertyType(checker, checker.getTypeAtLocation(name), "~standard");
  const types = standard && propertyType(checker, standard, "types");
  const [input, output] = ["input", "output"].map(
    (part) => types && propertyType(checker, types, part),
  );
  if (!standard || !propertyType(checker, standard, "validate")) return null;
  const type = checker.getTypeFromTypeNode(node);
  // If the type is not the schema's output, calling the schema is up to the plugin.
  if (!input || !output || !isSame(checker, type, output)) return null;
  const schema = findExport(context, name);
  if (schema === null) return null;
  const acceptsAbsence = isUndefined(input) || (input.isUnion() && input.types.some(isUndefined));
  const isChanged = !isSame(checker, input, output);
  return { schema: { ...schema, acceptsAbsence }, input, isChanged };
}

function propertyType(checker: ts.TypeChecker, type: ts.Type, name: string): ts.Type | null {
  const property = type.getProperty(name);
  if (property === undefined) return null;
  const part = checker.getTypeOfSymbol(property);
  return name === "types" ? checker.getNonNullableType(part) : part;
}

function isSame(checker: ts.TypeChecker, a: ts.Type, b: ts.Type): boolean {
  if (a === b) return true;
  return checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a);
}

/** Returns the module and the name by which the build accesses the value of a schema. */
function findExport(
  context: ReadContext,
  name: ts.EntityName,
): Omit<SchemaValue, "acceptsAbsence"> | null {
  const sourceFile = name.getSourceFile();
  const first = firstName(name);
  const symbol = context.checker.getSymbolAtLocation(first);
  const declaration = symbol?.declarations?.[0];
  const isForeign =
    context.program.isSourceFileFromExternalLibrary(sourceFile) || sourceFile.isDeclarationFile;
  if (!symbol || !declaration || isForeign || isLibrary(context, declaration)) {
    const message = `\`${name.getText()}\` is declared outside this project`;
    refuse(context, name, message);
    return null;
  }
  if (!isAtModuleLevel(declaration)) {
    refuse(context, name, `schema \`${name.getText()}\` is not declared at module level`);
    return null;
  }
  if (ts.isTypeOnlyImportDeclaration(declaration)) {
    refuse(context, name, `schema \`${name.getText()}\` is imported as a type only`);
    return null;
  }
  return {
    module: context.path(sourceFile),
    exportPath: SCHEMA_PREFIX + name.getText().replace(/\s+/g, ""),
  };
}

function refuse(context: ReadContext, node: ts.Node, message: string): void {
  const help = "`const Order = …` at the top of a module, `import { Order } from …` in others";
  context.error("SVC1271", node, message, help);
}

function firstName(name: ts.EntityName): ts.Identifier {
  return ts.isIdentifier(name) ? name : firstName(name.left);
}

/** Returns whether a name is a variable, import or other value that the module could export. */
function isAtModuleLevel(declaration: ts.Declaration): boolean {
  if (
    ts.isImportSpecifier(declaration) ||
    ts.isImportClause(declaration) ||
    ts.isNamespaceImport(declaration)
  ) {
    return true;
  }
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.isSourceFile(statement.parent);
}
