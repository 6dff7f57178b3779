// The declared type of a parameter, and its diagnostics.

import { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";
import {
  firstProblems,
  isUndefined,
  pathText,
  type TypeReading,
  withoutUndefined,
} from "./reading.js";

/** Returns the type of a parameter, from the resolved signature if there is one. */
export function parameterType(context: ReadContext, parameter: ts.ParameterDeclaration): ts.Type {
  const resolved = context.resolvedTypes.get(parameter);
  if (resolved !== undefined) return withoutUndefined(context.checker, resolved);
  return parameter.type
    ? context.checker.getTypeFromTypeNode(parameter.type)
    : withoutUndefined(context.checker, context.checker.getTypeAtLocation(parameter));
}

/** Returns the node of a type; undefined if the resolved signature has another type. */
export function findTypeNode(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
): ts.TypeNode | undefined {
  const { type } = parameter;
  const resolved = context.resolvedTypes.get(parameter);
  if (type === undefined || resolved === undefined) return type;
  const written = withoutUndefined(context.checker, context.checker.getTypeFromTypeNode(type));
  return written === withoutUndefined(context.checker, resolved) ? type : undefined;
}

/** Returns whether a parameter has a type, or a default from which it is inferred. */
export function hasKnownType(context: ReadContext, parameter: ts.ParameterDeclaration): boolean {
  return parameter.initializer !== undefined || hasExplicitType(context, parameter);
}

/** Returns whether a parameter has a type annotation, or a type from its context. */
export function hasExplicitType(context: ReadContext, parameter: ts.ParameterDeclaration): boolean {
  return (
    declaresType(parameter) ||
    context.resolvedTypes.has(parameter) ||
    contextualType(context, parameter) !== null
  );
}

/**
 * Returns the type that a parameter without an annotation gets from its context, as in
 * `const find: Handler = (request, id) => …`; null if there is none.
 */
function contextualType(context: ReadContext, parameter: ts.ParameterDeclaration): ts.Type | null {
  if (declaresType(parameter) || parameter.initializer !== undefined) return null;
  const type = context.checker.getTypeAtLocation(parameter);
  return type.flags & ts.TypeFlags.Any ? null : type;
}

/** Returns whether the type from the context makes a parameter optional. */
export function isContextuallyOptional(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
): boolean {
  const type = contextualType(context, parameter);
  return type !== null && acceptsUndefined(type);
}

export function acceptsUndefined(type: ts.Type): boolean {
  return isUndefined(type) || (type.isUnion() && type.types.some(isUndefined));
}

/** In JavaScript, a comment declares the type: `@param {number} n`. */
function declaresType(parameter: ts.ParameterDeclaration): boolean {
  return parameter.type !== undefined || jsDocType(parameter) !== undefined;
}

function jsDocType(parameter: ts.ParameterDeclaration): ts.TypeNode | undefined {
  const isScript = (parameter.flags & ts.NodeFlags.JavaScriptFile) !== 0;
  return isScript ? ts.getJSDocType(parameter) : undefined;
}

/** Returns whether a comment in JavaScript makes the parameter optional: `@param {number} [n]`. */
export function isOptionalInComment(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
): boolean {
  return jsDocType(parameter) !== undefined && context.checker.isOptionalParameter(parameter);
}

export function reportProblems(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
  reading: TypeReading,
): void {
  const name = parameter.name.getText();
  for (const problem of firstProblems(reading)) {
    const path = name + pathText(problem);
    const message = `parameter \`${name}\`: \`${path}\` is ${problem.reason}`;
    context.error("SVC1040", parameter.type ?? parameter.name, message, problem.help);
  }
}
