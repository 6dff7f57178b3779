// The declared type of a parameter, and diagnostics of it.

import type { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";
import { firstProblems, pathText, type TypeReading, withoutUndefined } from "./reading.js";

export function parameterType(context: ReadContext, parameter: ts.ParameterDeclaration): ts.Type {
  return parameter.type
    ? context.checker.getTypeFromTypeNode(parameter.type)
    : withoutUndefined(context.checker, context.checker.getTypeAtLocation(parameter));
}

export function reportProblems(
  context: ReadContext,
  parameter: ts.ParameterDeclaration,
  reading: TypeReading,
): void {
  const name = parameter.name.getText();
  for (const problem of firstProblems(reading)) {
    const place = name + pathText(problem);
    const message = `parameter \`${name}\`: \`${place}\` is ${problem.reason}`;
    context.error("SVC1040", parameter.type ?? parameter.name, message, problem.help);
  }
}
