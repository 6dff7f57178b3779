// The key `indexes` of a configured graph: indexes that svc creates at startup if missing.
// The graph validates the names of properties, types and languages.

import { MEASURE_NAMES } from "../base/measure-names.js";
import { isPlainObject } from "../base/plain-object.js";
import { PRECISIONS } from "../base/precisions.js";
import type {
  IndexConfig,
  NamedVectorsConfig,
  TextIndexConfig,
  VectorIndexConfig,
  VectorsConfig,
} from "./config-values.js";
import {
  expected,
  isBoolean,
  list,
  named,
  nullable,
  object,
  optional,
  type Problems,
  type Rule,
  string,
  test,
  withDefault,
} from "./rules.js";

const KINDS = ["text", "property", "ids", "vectors"] as const;
const FITS = "one of { text }, { property }, { ids: true }, { vectors }";

function isKeys(value: unknown): boolean {
  return isPlainObject(value) || (Array.isArray(value) && value.every((key) => isText(key)));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const isLength = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const absent = withDefault<undefined>(
  test("nothing", () => false, undefined),
  undefined,
);

function oneOf<const T extends string>(...names: readonly T[]): Rule<T> {
  const fits = `one of ${names.map((name) => JSON.stringify(name)).join(", ")}`;
  return test(fits, (value) => names.includes(value as T), names[0]!);
}

const text: Rule<TextIndexConfig> = object<TextIndexConfig>({
  name: optional(string("a name", /\S/)),
  keys: test("property names, or { name: { boost } }", isKeys, []),
  type: optional(nullable(string("a type", /\S/))),
  language: optional(string("a language code", /\S/)),
  languageKey: optional(string("a property name", /\S/)),
  columns: optional(list(string("a property name", /\S/), "property names")),
  synonyms: optional(list(list(string(), "a list of words"), "lists of words")),
  stopWords: optional(isBoolean),
  positions: optional(isBoolean),
});

const vectors: Rule<VectorIndexConfig> = object<VectorIndexConfig>({
  length: test("a number of components", isLength, 1),
  name: optional(string("a name", /\S/)),
  ef: optional(test("a number of candidates", isLength, 1)),
  signs: optional(isBoolean),
  measure: optional(oneOf(...MEASURE_NAMES)),
});

/** How a graph stores and compares vectors. */
export const vectorsRule: Rule<VectorsConfig | null> = withDefault(
  nullable(
    object<VectorsConfig>({
      precision: optional(oneOf(...PRECISIONS)),
      measure: optional(oneOf(...MEASURE_NAMES)),
      named: optional(
        named<NamedVectorsConfig>(
          "a name of vectors",
          /\S/,
          object<NamedVectorsConfig>({
            precision: optional(oneOf(...PRECISIONS)),
            measure: optional(oneOf(...MEASURE_NAMES)),
          }),
        ),
      ),
    }),
  ),
  null,
);

const RULES: { readonly [K in (typeof KINDS)[number]]: Rule<unknown> } = {
  text,
  property: string("a property name", /\S/),
  ids: test("true", (value) => value === true, true),
  vectors,
};

const index: Rule<IndexConfig> = (value, path, problems) => {
  const kinds = isPlainObject(value) ? KINDS.filter((kind) => value[kind] !== undefined) : [];
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    problems.push({ path, text: expected(FITS, value) });
    return { ids: true };
  }
  const rules = Object.fromEntries(
    KINDS.map((each) => [each, each === kind ? RULES[kind] : absent]),
  );
  const checked = object(rules as Record<string, Rule<unknown>>)(value, path, problems);
  return { [kind]: checked[kind] } as unknown as IndexConfig;
};

export const indexesRule: Rule<readonly IndexConfig[]> = (value, path, problems: Problems) =>
  value === undefined ? [] : list(index, "a list of indexes")(value, path, problems);
