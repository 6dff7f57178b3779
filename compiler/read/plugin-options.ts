// Reads the options object of the wrapper and the decorator. Every value must be a literal, because
// the compiler never runs user code to find the name of a plugin.

import { ts } from "ts-morph";
import type { PluginRole } from "../../argspec/argspec.js";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { type ReadContext, unwrap } from "./read-context.js";

export interface PluginOptions {
  readonly name: string | null;
  readonly graph: string | null;
  readonly role: PluginRole;
  readonly readonly: boolean;
}

export const NO_OPTIONS: PluginOptions = {
  name: null,
  graph: null,
  role: "engine",
  readonly: false,
};

/** `parameters` serves library mode; the compiler reads the signature instead. */
const OPTION_NAMES = ["name", "graph", "role", "readonly", "parameters"];

export function readOptions(
  context: ReadContext,
  node: ts.Expression,
  role: PluginRole,
): PluginOptions {
  const options = { ...NO_OPTIONS, role };
  const object = unwrap(node);
  if (!ts.isObjectLiteralExpression(object)) {
    reportNotLiteral(context, node);
    return options;
  }
  for (const property of object.properties) {
    const name = property.name && propertyName(property.name);
    if (!ts.isPropertyAssignment(property) || name === undefined) {
      reportNotLiteral(context, property);
      continue;
    }
    const value = unwrap(property.initializer);
    if (name === "name" || name === "graph") options[name] = readText(context, name, value);
    else if (name === "role") options.role = readRole(context, value) ?? role;
    else if (name === "readonly") options.readonly = readFlag(context, value);
    else if (name !== "parameters") reportUnknown(context, property.name, name);
  }
  return options;
}

function propertyName(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : undefined;
}

function readText(context: ReadContext, option: string, value: ts.Expression): string | null {
  if (!ts.isStringLiteralLike(value)) {
    reportNotLiteral(context, value);
    return null;
  }
  if (value.text === "") context.error("SVC1008", value, `option \`${option}\` is empty`);
  return value.text === "" ? null : value.text;
}

function readRole(context: ReadContext, value: ts.Expression): PluginRole | null {
  if (!ts.isStringLiteralLike(value)) {
    reportNotLiteral(context, value);
    return null;
  }
  if (value.text === "engine" || value.text === "pre" || value.text === "post") return value.text;
  context.error(
    "SVC1008",
    value,
    `invalid \`role\` ${JSON.stringify(value.text)}`,
    '"engine", "pre" or "post"',
  );
  return null;
}

function readFlag(context: ReadContext, value: ts.Expression): boolean {
  if (value.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (value.kind !== ts.SyntaxKind.FalseKeyword) reportNotLiteral(context, value);
  return false;
}

function reportNotLiteral(context: ReadContext, node: ts.Node): void {
  context.error(
    "SVC1007",
    node,
    "plugin options must be literals: the compiler does not run code",
    '`{ name: "search", graph: "cities", readonly: true }`',
  );
}

function reportUnknown(context: ReadContext, node: ts.Node, name: string): void {
  const message = `unknown plugin option \`${name}\`${didYouMean(name, OPTION_NAMES)}`;
  context.error("SVC1008", node, message, "name, graph, role or readonly");
}
