// Reports unions whose members have the same form in JSON, such as `Date | string`, because a
// converter cannot determine the class of a value.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { shapePlans } from "../emit/shape-view.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { paramError } from "./diagnostics.js";

const HELP = 'one of the types, or objects with a property that differs: `kind: "a"`';

export function checkValueClasses(plugin: PluginRecord, types: TypeTable): Diagnostic[] {
  if (plugin.role === "post") return [];
  return plugin.params.flatMap((param) => {
    const fault = param.shape && conflictOf(param.shape, types);
    if (fault === null) return [];
    const { path, words } = fault;
    const members = words.map((word) => `\`${word}\``).join(" and ");
    const message =
      `parameter \`${param.name}\`: \`${param.name}${path}\` can be ${members}` +
      `${words.length > 1 ? "" : " or something else"}, which look the same in JSON`;
    return [paramError(param, "SVC1040", message, HELP)];
  });
}

function conflictOf(shape: TypeShape, types: TypeTable) {
  const plans = shapePlans(types, "arguments");
  plans.build(shape);
  return plans.conflicts[0] ?? null;
}
