// The key `constraints` of a configured graph: constraints that svc declares at startup. The graph
// validates the names and the kinds of values.

import type { ConstraintConfig } from "./config-values.js";
import { isBoolean, list, object, type Problems, type Rule, string, withDefault } from "./rules.js";

const optional = <T>(rule: Rule<T>): Rule<T | undefined> =>
  withDefault<T | undefined>(rule, undefined);

const constraint: Rule<ConstraintConfig> = object<ConstraintConfig>({
  type: string("a type", /\S/),
  key: string("a property name", /\S/),
  unique: optional(isBoolean),
  required: optional(isBoolean),
  value: optional(string("a kind of values", /\S/)) as Rule<ConstraintConfig["value"]>,
});

export const constraintsRule: Rule<readonly ConstraintConfig[]> = (
  value,
  path,
  problems: Problems,
) => (value === undefined ? [] : list(constraint, "a list of constraints")(value, path, problems));
