// Reads reserved parameters: the form of value that each declaration requests (plugin-api, "Plugin
// function contracts").

import { ts } from "ts-morph";
import type { ReservedForm, ReservedName, ReservedParam } from "../record/plugin-record.js";
import type { TypeShape } from "../record/type-shape.js";
import type { DocComment } from "./doc-comment.js";
import { type LimitTag, readLimitTags } from "./limit-tags.js";
import { limitedShape } from "./limited-shape.js";
import { listMakers } from "./made-class.js";
import { isGraph, isPackageSymbol } from "./package-symbols.js";
import { findTypeNode, hasExplicitType, parameterType, reportProblems } from "./parameter-type.js";
import type { ReadContext } from "./read-context.js";
import { schemaLocations } from "./schema-locations.js";
import { readSchema } from "./schema-shape.js";
import { type SchemaType, schemaType } from "./schema-type.js";
import type { ShapeReader } from "./shape-reader.js";
import { isBuffer, withRawBytes } from "./text-class.js";

export function readReserved(
  reader: ShapeReader,
  parameter: ts.ParameterDeclaration,
  name: ReservedName,
  doc: DocComment,
  tags: readonly LimitTag[] = [],
): ReservedParam {
  const param = readDeclared(reader, parameter, name, doc);
  const limits = [...tags, ...readLimitTags(reader.context, parameter)];
  if (limits.length === 0) return param;
  const node = findTypeNode(reader.context, parameter);
  const shape = limitedShape(reader, limitableShape(param), node, limits);
  const isLimited = name === "content" && (param.form === "json" || param.form === "str");
  return isLimited ? { ...param, shape } : param;
}

/** Only `content` that is a string or JSON can be limited. */
function limitableShape({ name, form, shape }: ReservedParam): TypeShape {
  if (name !== "content" || form === "bytes") return { kind: "bytes" };
  return shape ?? (form === "str" ? { kind: "str" } : { kind: "json" });
}

function readDeclared(
  reader: ShapeReader,
  parameter: ts.ParameterDeclaration,
  name: ReservedName,
  doc: DocComment,
): ReservedParam {
  const { context } = reader;
  if (parameter.initializer) {
    const message = `\`${name}\` is always passed by the server and cannot have a default`;
    context.error("SVC1032", parameter, message, `\`${formatParameter(parameter)}\``);
  }
  const record = {
    kind: "reserved" as const,
    name,
    description: doc.params.get(parameter.name.getText()) ?? "",
    position: context.position(parameter.name),
  };
  const untyped = {
    ...record,
    form: isBytesByDefault(name) ? ("bytes" as const) : null,
    shape: null,
  };
  if (!hasExplicitType(context, parameter)) return untyped;
  const schema = name === "content" ? schemaType(context, findTypeNode(context, parameter)) : null;
  if (schema !== null) return { ...record, ...readSchemaContent(reader, parameter, schema) };
  const type = parameterType(context, parameter);
  if (type.flags & ts.TypeFlags.Any) context.metAny = true;
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return untyped;
  switch (name) {
    case "request":
      requireClass(context, parameter, type, "PluginRequest");
      return untyped;
    case "response":
      requireClass(context, parameter, type, "PluginResponse");
      return untyped;
    case "graph":
      if (!isGraph(type)) refuse(context, parameter, "`Graph`");
      return untyped;
    case "job":
      requireClass(context, parameter, type, "Job");
      return untyped;
    case "method":
      if (!isText(reader.readPresent(type).shape)) refuse(context, parameter, "`str`");
      return untyped;
    case "headers":
      return { ...record, form: headersForm(reader, parameter, type), shape: null };
    case "content":
      return { ...record, ...readContent(reader, parameter, type) };
  }
}

function isBytesByDefault(name: ReservedName): boolean {
  return name === "headers" || name === "content";
}

function formatParameter(parameter: ts.ParameterDeclaration): string {
  const type = parameter.type ? `: ${parameter.type.getText()}` : "";
  return parameter.name.getText() + type;
}

function requireClass(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
  type: ts.Type,
  name: string,
): void {
  if (!isPackageSymbol(type.getSymbol(), name)) refuse(context, parameter, `\`${name}\``);
}

function refuse(context: ReadContext, parameter: ts.ParameterDeclaration, allowed: string): void {
  const [name, type] = [parameter.name.getText(), parameter.type?.getText()];
  const message = `\`${name}\` cannot be declared as \`${type}\``;
  context.error("SVC1034", parameter.type ?? parameter, message, allowed);
}

function headersForm(
  reader: ShapeReader,
  parameter: ts.ParameterDeclaration,
  type: ts.Type,
): ReservedForm {
  const shape = withRawBytes(withoutNull(reader.readPresent(type).shape));
  if (shape.kind === "bytes" || shape.kind === "str") return shape.kind;
  if (shape.kind === "object" && shape.additional && isText(shape.additional)) return "dict";
  if (shape.kind === "array" && isPair(shape.items)) return "list";
  refuse(
    reader.context,
    parameter,
    "`bytes`, `str`, `Record<string, string>` or `[string, string][]`",
  );
  return "bytes";
}

/** Reads `content` whose type is inferred from a schema. */
function readSchemaContent(
  reader: ShapeReader,
  parameter: ts.ParameterDeclaration,
  type: SchemaType,
) {
  const content = readContent(reader, parameter, type.input);
  const { acceptsAbsence } = type.schema;
  const shape = acceptsAbsence && content.shape ? orNull(content.shape) : content.shape;
  return { ...content, shape };
}

function readContent(
  reader: ShapeReader,
  parameter: ts.ParameterDeclaration,
  type: ts.Type,
): Pick<ReservedParam, "form" | "shape" | "schemas" | "makers" | "isBuffer"> {
  const reading = readSchema(reader, parameter.type) ?? reader.readPresent(type);
  const shape = withRawBytes(withoutNull(reading.shape));
  const schemas = schemaLocations(reader.context, parameter.type);
  const makers = listMakers(reader, reading.shape);
  const checked = { ...(schemas.length > 0 && { schemas }), ...(makers.length > 0 && { makers }) };
  if (shape.kind === "bytes" || shape.kind === "str") {
    const bytes = isBuffer(type) ? { isBuffer: true as const } : {};
    return { form: shape.kind, shape: null, ...bytes, ...checked };
  }
  const isConverted =
    shape.kind === "limited" && (shape.valueClass ?? shape.maker ?? shape.temporal) !== undefined;
  if (shape.kind === "limited" && shape.base.kind === "str" && !isConverted) {
    return { form: "str", shape, ...checked };
  }
  if (shape.kind === "union" && shape.members.some((member) => member.kind === "bytes")) {
    refuse(reader.context, parameter, "`bytes`, `str`, `json` or a type that JSON can carry");
  }
  reportProblems(reader.context, parameter, reading);
  const optional = parameter.questionToken ? orNull(reading.shape) : reading.shape;
  return { form: "json", shape: optional, ...checked };
}

/** Returns the shape of optional `content`, which is null if the request has no body. */
function orNull(shape: TypeShape): TypeShape {
  const members = shape.kind === "union" ? shape.members : [shape];
  return shape.kind === "json" ? shape : { kind: "union", members: [...members, { kind: "null" }] };
}

/** `content` is null if there is no body; a type that includes null changes nothing. */
function withoutNull(shape: TypeShape): TypeShape {
  if (shape.kind !== "union") return shape;
  const members = shape.members.filter((member) => member.kind !== "null");
  return members.length === 1 ? members[0]! : shape;
}

function isText(shape: TypeShape): boolean {
  if (shape.kind === "union") return shape.members.every(isText);
  return shape.kind === "str" || (shape.kind === "literal" && typeof shape.value === "string");
}

function isPair(shape: TypeShape): boolean {
  if (shape.kind === "array") return isText(shape.items);
  return shape.kind === "tuple" && shape.items.length === 2 && shape.items.every(isText);
}
