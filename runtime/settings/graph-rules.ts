// The key `graphs`: graphs to open at start, with their folders and options.

import { GRAPH_NAME, isValidGraphPath, MAX_GRAPH_FOLDER_PARTS } from "../base/graph-names.js";
import { MAX_GRAPHS } from "../base/limits.js";
import type { ConstraintConfig, IndexConfig, VectorsConfig } from "./config-values.js";
import { indexesRule, vectorsRule } from "./index-rules.js";
import {
  isBoolean,
  list,
  named,
  nullable,
  object,
  optional,
  type Rule,
  string,
  test,
  withDefault,
} from "./rules.js";
import { type ParsedScopes, SCOPE_RULES } from "./scope-rules.js";

/** A graph that is opened at start. */
export interface ConfiguredGraph extends ParsedScopes {
  /** Folder below the data folder; null: the name of the graph. */
  readonly path: string | null;
  readonly readonly: boolean;
  readonly local: boolean;
  /** Null: as the graph was created. */
  readonly memory: MemorySize | null;
  /** Created at startup if missing. */
  readonly indexes: readonly IndexConfig[];
  /** Declared at startup. */
  readonly constraints: readonly ConstraintConfig[];
  /** Storage and comparison of vectors; null: unchanged. */
  readonly vectors: VectorsConfig | null;
  /** True for a graph of the back-ends of a dispatcher, which opens it only for its own plugins. */
  readonly isOfBackEnds?: boolean;
}

const DEPTH = `of ${MAX_GRAPH_FOLDER_PARTS} parts at most`;
const FOLDER_FORM = `a path inside the data folder, with /, ${DEPTH}`;

type MemorySize = "auto" | "large" | "small";

function isMemorySize(value: unknown): boolean {
  return value === "auto" || value === "large" || value === "small";
}

const constraint: Rule<ConstraintConfig> = object<ConstraintConfig>({
  type: string("a type", /\S/),
  key: string("a property name", /\S/),
  unique: optional(isBoolean),
  required: optional(isBoolean),
  value: optional(string("a kind of values", /\S/)) as Rule<ConstraintConfig["value"]>,
});

/** Constraints that are declared at startup. The graph validates names and kinds of values. */
const constraintsRule: Rule<readonly ConstraintConfig[]> = (value, path, problems) =>
  value === undefined ? [] : list(constraint, "a list of constraints")(value, path, problems);

const each = named<ConfiguredGraph>(
  "a graph name: a letter, then letters, digits and _.#$%@",
  GRAPH_NAME,
  object<ConfiguredGraph>({
    path: withDefault(nullable(test(FOLDER_FORM, isValidGraphPath, "")), null),
    readonly: withDefault(isBoolean, false),
    local: withDefault(isBoolean, false),
    memory: withDefault(
      nullable(test('"auto", "large" or "small"', isMemorySize, "large" as const)),
      null,
    ),
    indexes: indexesRule,
    constraints: constraintsRule,
    vectors: vectorsRule,
    ...SCOPE_RULES,
  }),
);

export const graphsRule: Rule<Readonly<Record<string, ConfiguredGraph>>> = (
  value,
  path,
  problems,
) => {
  const graphs = each(value, path, problems);
  const owners = new Map<string, string>();
  for (const [name, graph] of Object.entries(graphs)) {
    const folder = graph.path ?? name;
    const owner = owners.get(folder);
    if (owner !== undefined) {
      problems.push({ path: [...path, name], text: `graph ${owner} is stored in ${folder}, too` });
    }
    owners.set(folder, name);
  }
  if (owners.size > MAX_GRAPHS) {
    problems.push({ path, text: `expected ${MAX_GRAPHS} graphs at most, got ${owners.size}` });
  }
  return graphs;
};
