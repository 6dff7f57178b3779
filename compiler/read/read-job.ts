// Reads the signature of a job. Jobs run without a request: their only parameters are the run and
// the bound graph, and operators see their result.

import type { ts } from "ts-morph";
import type { ReservedName, ReservedParam } from "../record/plugin-record.js";
import { isPackageSymbol } from "./package-symbols.js";
import { parameterType } from "./parameter-type.js";
import { listParameters, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import { type ResultReading, streamItemType } from "./read-result.js";
import { readReserved } from "./reserved-param.js";
import type { ShapeReader } from "./shape-reader.js";

export function readJobParams(reader: ShapeReader, plugin: PluginDeclaration): ReservedParam[] {
  return listParameters(plugin).flatMap((parameter) => {
    const reserved = reservedName(reader.context, plugin, parameter);
    if (reserved !== null) return [readReserved(reader, parameter, reserved, plugin.doc)];
    const message = `scheduled function \`${plugin.name}\` has a parameter that svc cannot supply`;
    const help = "only `job: Job`, and `graph: Graph` with `@graph name`";
    reader.context.error("SVC1152", parameter, message, help);
    return [];
  });
}

function reservedName(
  context: ReadContext,
  plugin: PluginDeclaration,
  parameter: ts.ParameterDeclaration,
): ReservedName | null {
  const name = parameter.name.getText();
  if (name === "graph" && plugin.graph !== null) return "graph";
  if (name === "job") return "job";
  return isPackageSymbol(parameterType(context, parameter).getSymbol(), "Job") ? "job" : null;
}

export function readJobResult(context: ReadContext, plugin: PluginDeclaration): ResultReading {
  const { checker } = context;
  const signature = plugin.resolved?.signature ?? checker.getSignatureFromDeclaration(plugin.fn)!;
  const returned = checker.getReturnTypeOfSignature(signature);
  const awaited = checker.getAwaitedType(returned) ?? returned;
  if (streamItemType(awaited) !== null) {
    const message = `scheduled function \`${plugin.name}\` returns a stream, which is never read`;
    context.error("SVC1152", plugin.nameNode, message, "a loop in the function");
  }
  const typeText = checker.typeToString(returned);
  return { async: awaited !== returned, result: { kind: "value", shape: null, typeText } };
}
