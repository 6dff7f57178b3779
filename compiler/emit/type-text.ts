// Converts TypeShape to the TypeScript types of what callers send and receive.

import type { TypeShape } from "../record/type-shape.js";
import { commentText, identifier, propertyKey, quote } from "./text.js";

/** @param indent indentation of the line on which the type starts */
export function typeText(shape: TypeShape, indent = ""): string {
  switch (shape.kind) {
    case "int":
    case "float":
      return "number";
    case "str":
    case "pattern":
      return "string";
    case "bytes":
      return "Uint8Array";
    case "bool":
      return "boolean";
    case "null":
      return "null";
    case "json":
      return "unknown";
    case "literal":
      return quote(shape.value);
    case "array":
      return `${itemText(shape.items, indent)}[]`;
    case "tuple":
      return tupleText(shape, indent);
    case "object":
      return objectText(shape, indent);
    case "union":
      // Several shapes can have the same type here: all patterns are strings.
      return [...new Set(shape.members.map((member) => typeText(member, indent)))].join(" | ");
    case "limited":
      return typeText(shape.base, indent);
    case "ref":
      return identifier(shape.name);
  }
}

/** Comment block of a docstring; empty for an empty one. */
export function docText(text: string, indent: string): string {
  if (text === "") {
    return "";
  }
  const lines = commentText(text).split("\n");
  if (lines.length === 1) {
    return `${indent}/** ${lines[0]} */\n`;
  }
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

function itemText(shape: TypeShape, indent: string): string {
  const text = typeText(shape, indent);
  return shape.kind === "union" ? `(${text})` : text;
}

function tupleText(shape: Extract<TypeShape, { kind: "tuple" }>, indent: string): string {
  const items = shape.items.map((item, index) =>
    index < shape.required ? typeText(item, indent) : `${itemText(item, indent)}?`,
  );
  if (shape.rest !== null) {
    items.push(`...${itemText(shape.rest, indent)}[]`);
  }
  return `[${items.join(", ")}]`;
}

function objectText(shape: Extract<TypeShape, { kind: "object" }>, indent: string): string {
  const inner = `${indent}  `;
  const lines = shape.properties.map(
    ({ name, optional, shape: type, description }) =>
      `${docText(description, inner)}${inner}${propertyKey(name)}${optional ? "?" : ""}: ` +
      `${typeText(type, inner)};\n`,
  );
  if (shape.additional !== null) {
    // An index signature must accept the types of all properties beside it.
    const type = shape.properties.length > 0 ? "unknown" : typeText(shape.additional, inner);
    lines.push(`${inner}[key: string]: ${type};\n`);
  }
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("")}${indent}}`;
}
