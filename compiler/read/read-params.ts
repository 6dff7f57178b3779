// Reads the parameters of a plugin function in signature order. The role determines which names are
// reserved (plugin-api, "Plugin function contracts").

import { ts } from "ts-morph";
import type { PluginRole } from "../../argspec/argspec.js";
import type { ParamRecord, ReservedName, UserParam } from "../record/plugin-record.js";
import type { TypeShape } from "../record/type-shape.js";
import { readDefault } from "./default-value.js";
import { directDocComment } from "./doc-comment.js";
import { type LimitTag, limitTagsByName, readLimitTags } from "./limit-tags.js";
import { limitedShape } from "./limited-shape.js";
import { listMakers } from "./made-class.js";
import { isGraph, isPackageSymbol } from "./package-symbols.js";
import {
  acceptsUndefined,
  findTypeNode,
  hasKnownType,
  isContextuallyOptional,
  isOptionalInComment,
  parameterType,
  reportProblems,
} from "./parameter-type.js";
import { listParameters, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import { type TypeReading, unsupported } from "./reading.js";
import { readReserved } from "./reserved-param.js";
import { elementNode, schemaLocations } from "./schema-locations.js";
import { readSchema } from "./schema-shape.js";
import { schemaType } from "./schema-type.js";
import type { ShapeReader } from "./shape-reader.js";
import {
  isBuffer,
  readTextParameter,
  type TextClass,
  textShape,
  withRawBytes,
} from "./text-class.js";
import { toWireType } from "./wire.js";

export function readParams(reader: ShapeReader, plugin: PluginDeclaration): ParamRecord[] {
  const records: ParamRecord[] = [];
  const parameters = listParameters(plugin);
  checkReceiver(reader, plugin);
  const names = parameters.map(({ name }) => name.getText());
  const limits = limitTagsByName(reader.context, plugin.doc.tags, names);
  parameters.forEach((parameter, index) => {
    const reserved = reservedName(reader.context, plugin, parameter, index);
    const tags = limits.get(names[index]!) ?? [];
    if (reserved) records.push(readReserved(reader, parameter, reserved, plugin.doc, tags));
    else if (isAddressable(reader.context, parameter)) {
      records.push(readUser(reader, parameter, plugin, tags));
    }
  });
  return records;
}

type NamedParameter = ts.ParameterDeclaration & { readonly name: ts.Identifier };

/** Returns true if a query can address a parameter by name, otherwise reports the parameter. */
function isAddressable(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
): parameter is NamedParameter {
  if (!ts.isIdentifier(parameter.name)) {
    const message = "a query parameter needs a name, and this one is destructured";
    context.error("SVC1013", parameter.name, message, "`point: Point`, and `const { x } = point`");
    return false;
  }
  const name = parameter.name.text;
  if (parameter.dotDotDotToken) {
    const help = `\`${name}: ${parameter.type?.getText() ?? "str[]"}\``;
    context.error(
      "SVC1012",
      parameter,
      `rest parameter \`${name}\` has no query representation`,
      help,
    );
    return false;
  }
  return true;
}

function checkReceiver({ context }: ShapeReader, { fn, resolved }: PluginDeclaration): void {
  const [first] = fn.parameters;
  if (resolved !== undefined || first?.name.getText() !== "this") return;
  if (parameterType(context, first).flags & ts.TypeFlags.Void) return;
  context.error("SVC1014", first, "plugins are called without a receiver", "no `this`");
}

const RESERVED: Readonly<Record<PluginRole, readonly ReservedName[]>> = {
  engine: ["request", "method", "headers", "content"],
  pre: ["request", "method", "headers", "content"],
  post: ["response"],
};

/** `graph` is reserved only if one is bound. A first argument is recognized by its type, too. */
function reservedName(
  context: ReadContext,
  plugin: PluginDeclaration,
  parameter: ts.ParameterDeclaration,
  index: number,
): ReservedName | null {
  const name = parameter.name.getText();
  if (name === "graph") return plugin.graph === null ? null : "graph";
  const reserved = RESERVED[plugin.role].find((candidate) => candidate === name);
  if (reserved) return reserved;
  if (index > 0) return null;
  // Without a type annotation it has a contextual type, because the wrapper types its arguments.
  const type = parameterType(context, parameter);
  const [first, className] =
    plugin.role === "post"
      ? (["response", "PluginResponse"] as const)
      : (["request", "PluginRequest"] as const);
  if (!isUnresolved(type)) return isPackageSymbol(type.getSymbol(), className) ? first : null;
  context.metAny = true;
  return first;
}

function readUser(
  reader: ShapeReader,
  parameter: NamedParameter,
  { doc, role, graph }: PluginDeclaration,
  limits: readonly LimitTag[],
): UserParam {
  const { context } = reader;
  const name = parameter.name.text;
  const typeNode = findTypeNode(context, parameter);
  const isTyped = hasKnownType(context, parameter);
  const schema = schemaType(context, typeNode);
  const type = schema?.input ?? parameterType(context, parameter);
  const textClass = readTextParameter(type);
  const reading = isGraph(context.checker.getNonNullableType(type))
    ? unsupported("an instance of class `Graph`", graph === null ? UNBOUND : "`graph: Graph`")
    : textClass === null
      ? readArgument(reader, parameter, type)
      : { shape: textParameterShape(type, textClass), problems: [] };
  const makers = listMakers(reader, reading.shape);
  const schemas = schemaLocations(context, typeNode);
  const isUntyped = reading === TEXT;
  if (isUntyped && schemas.length === 0) warnUntyped(context, parameter, isTyped ? type : null);
  // Post plugins cannot have such arguments, whatever the type; that is reported elsewhere.
  if (role !== "post") reportProblems(context, parameter, reading);
  const tags = [...limits, ...readLimitTags(context, parameter)];
  const shape = limitedShape(reader, reading.shape, typeNode, tags);
  const wire = toWireType(shape, reader.named);
  // No schema converts a default, so clients may be unable to send its value.
  const { initializer } = parameter;
  const isSendable = initializer === undefined || schemas.length === 0;
  return {
    kind: "user",
    name,
    wire,
    shape,
    ...(wire === "bytes" && isBuffer(type) && { isBuffer: true as const }),
    ...(textClass !== null && { textClass }),
    ...(makers.length > 0 && { makers }),
    ...(isUntyped && tags.length === 0 && { untyped: true }),
    required: !isOptional(context, parameter) && !acceptsUndefined(type),
    default: isSendable ? readDefault(context, initializer) : { kind: "expression" },
    ...(schemas.length > 0 && { schemas }),
    typeText: typeText(context, parameter, type),
    description: doc.params.get(name) ?? directDocComment(parameter),
    position: context.position(parameter.name),
  };
}

function textParameterShape(type: ts.Type, name: TextClass): TypeShape {
  const isNullable = type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
  const text = textShape(name);
  return isNullable ? { kind: "union", members: [{ kind: "null" }, text] } : text;
}

/** @param type null if there is no annotation */
function warnUntyped(context: ReadContext, parameter: NamedParameter, type: ts.Type | null): void {
  const name = parameter.name.text;
  const state = type === null ? "has no type" : `is of type ${context.checker.typeToString(type)}`;
  const message = `parameter \`${name}\` ${state} and arrives as a string`;
  const annotate = (annotation: string): string =>
    (parameter.flags & ts.NodeFlags.JavaScriptFile) !== 0
      ? `\`@param {import("svc-server").${annotation}} ${name}\``
      : `\`${name}: ${annotation}\``;
  const help = type === null ? annotate("str") : `${annotate("str")}, or ${annotate("json")}`;
  context.warning("SVC1042", parameter.name, message, help);
}

const UNBOUND = "`@graph name` above the function, or the option `graph`, and `graph: Graph`";
const TEXT: TypeReading = { shape: { kind: "str" }, problems: [] };
const ANYTHING: TypeReading = { shape: { kind: "json" }, problems: [] };

function readArgument(reader: ShapeReader, parameter: NamedParameter, type: ts.Type): TypeReading {
  if (!hasKnownType(reader.context, parameter)) return TEXT;
  const typeNode = findTypeNode(reader.context, parameter);
  const isList = typeNode !== undefined && elementNode(typeNode) !== null;
  return (isList && readSchema(reader, typeNode)) || readInput(reader, type);
}

/** Untyped parameters are strings (http-interface, "Plugin execution" rule 4). */
function readInput(reader: ShapeReader, type: ts.Type): TypeReading {
  const { Any, Unknown } = ts.TypeFlags;
  const { checker } = reader.context;
  if (type.flags & Any) reader.context.metAny = true;
  if (isUnresolved(type)) return ANYTHING;
  if (type.flags & (Any | Unknown) || isEmptyObject(checker, type)) return TEXT;
  if (type.flags & NO_VALUE) {
    return unsupported(`of type \`${checker.typeToString(type)}\`, which has no values`, "`json`");
  }
  const { shape, problems } = reader.readPresent(type);
  const reading = { shape: withRawBytes(shape), problems };
  return isBytesAmongOthers(reading.shape) ? unsupported(...BYTES_AMONG_OTHERS) : reading;
}

const NO_VALUE = ts.TypeFlags.Never | ts.TypeFlags.Void | ts.TypeFlags.Undefined;

const BYTES_AMONG_OTHERS = ["bytes or something else", "`bytes` alone, or `str`"] as const;

/** The text of a query does not identify the union member. */
function isBytesAmongOthers(shape: TypeShape): boolean {
  if (shape.kind !== "union") return false;
  const others = shape.members.filter(({ kind }) => kind !== "bytes" && kind !== "null");
  return others.length > 0 && shape.members.some(({ kind }) => kind === "bytes");
}

function isOptional(context: ReadContext, parameter: ts.ParameterDeclaration): boolean {
  const { questionToken, initializer } = parameter;
  if (questionToken !== undefined || initializer !== undefined) return true;
  return isOptionalInComment(context, parameter) || isContextuallyOptional(context, parameter);
}

/** `{}` accepts strings as well. */
function isEmptyObject(checker: ts.TypeChecker, type: ts.Type): boolean {
  if (!(type.flags & ts.TypeFlags.Object) || type.aliasSymbol) return false;
  const isLiteral = type.getSymbol() === undefined || type.getSymbol()?.name === "__type";
  return (
    isLiteral &&
    type.getProperties().length === 0 &&
    type.getCallSignatures().length === 0 &&
    checker.getIndexInfosOfType(type).length === 0
  );
}

/** The type check reports unresolved imports, so their consequences are not reported here. */
function isUnresolved(type: ts.Type): boolean {
  return (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName === "error";
}

function typeText(context: ReadContext, parameter: ts.ParameterDeclaration, type: ts.Type): string {
  const typeNode = findTypeNode(context, parameter);
  if (typeNode) return typeNode.getText().replace(/\s+/g, " ");
  return hasKnownType(context, parameter) ? context.checker.typeToString(type) : "*";
}
