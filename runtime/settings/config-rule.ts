// Validates the whole `svc.config.ts`: each row of the table at its key. Fills in every default
// value.

import type { DeclaredPlugin } from "./plugin-rules.js";
import { object, type Problems, type Rule, withDefault } from "./rules.js";
import type { GroupOf, ParsedGroup, Setting } from "./setting.js";
import { SETTINGS } from "./table.js";

type Table = typeof SETTINGS;

/** `SvcConfig` with all defaults filled in. */
export type ResolvedConfig = Omit<ParsedGroup<Table, "">, "plugins"> & {
  readonly [Group in GroupOf<Table>]: ParsedGroup<Table, Group>;
} & {
  /** Glob patterns of files that are searched for plugins. */
  readonly plugins: readonly string[];
  readonly declared: readonly DeclaredPlugin[];
};

type Nested = Omit<ResolvedConfig, "plugins" | "declared"> &
  Pick<ParsedGroup<Table, "">, "plugins">;

const rule = configRule();

function configRule(): Rule<Nested> {
  const groups: Record<string, Record<string, Rule<unknown>>> = { "": {} };
  for (const { key, type, default: fallback } of Object.values<Setting<unknown>>(SETTINGS)) {
    const [name = "", group = ""] = key.split(".").reverse();
    groups[group] ??= {};
    groups[group][name] = withDefault(type.rule, fallback);
  }
  const { "": top, ...inner } = groups;
  for (const [group, rules] of Object.entries(inner)) {
    const inside = object(rules);
    top![group] = withDefault(inside, inside({}, [], []));
  }
  // Each row is at its key, and has the type that its rule returns.
  return object(top!) as unknown as Rule<Nested>;
}

/** Validates a configuration and fills in its defaults; `problems` receives every error. */
export function resolveConfig(value: unknown, problems: Problems): ResolvedConfig {
  const { plugins, ...rest } = rule(value, [], problems);
  return {
    ...rest,
    plugins: plugins.filter((item) => typeof item === "string"),
    declared: plugins.filter((item) => typeof item !== "string").flat(),
  };
}

/** Returns the configured value of a setting. */
export function configured(config: ResolvedConfig, { key }: Setting<unknown>): unknown {
  const [top = "", inner] = key.split(".");
  const value = (config as Readonly<Record<string, unknown>>)[top];
  if (inner === undefined) return value;
  return (value as Readonly<Record<string, unknown>> | undefined)?.[inner];
}
