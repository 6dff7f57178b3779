// Checks defaults that TypeScript accepts but converters reject: `int` is a number to TypeScript,
// so `n: int = 2.5` compiles.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import { paramError } from "./diagnostics.js";
import { ShapeRule } from "./shape-rule.js";

export function checkDefaults(plugin: PluginRecord, types: TypeTable): Diagnostic[] {
  const rule = new ShapeRule(types, "open");
  return plugin.params.flatMap((param) => {
    if (param.kind !== "user" || param.default?.kind !== "value") return [];
    const { value } = param.default;
    // Clients send untyped parameters as text, but the default may be any value.
    if (param.untyped || rule.fault(param.shape, value) === null) return [];
    const { name, typeText } = param;
    const message = `default ${JSON.stringify(value)} of \`${name}\` is not a \`${typeText}\``;
    return [paramError(param, "SVC1043", message, `a default of type \`${typeText}\``)];
  });
}
