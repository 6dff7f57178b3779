// The values that a schema accepts, sorted by kind: unions, references and enums are expanded, so
// that two types can be compared kind by kind. Schemas that are not fully understood are `opaque`,
// never misjudged.

import type { JsonSchema } from "../argspec.js";
import { LIMIT_WORDS, type LimitedKind, type LimitWord, readLimits } from "../limits/limits.js";

export type Scalar = string | number | boolean | null;
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** A value is accepted if any of these accepts it. */
export interface Forms {
  isAny: boolean;
  /** Single values; `boolean` counts as two. */
  readonly scalars: Set<Scalar>;
  readonly numbers: Set<"integer" | "number">;
  /** Regular expressions that strings must match; null: all strings. */
  readonly texts: Set<string | null>;
  /** Numbers and strings within limits. */
  readonly limited: JsonSchema[];
  readonly arrays: JsonSchema[];
  readonly objects: JsonSchema[];
  readonly opaque: JsonSchema[];
}

const REFERENCE = "#/$defs/";
/** Schema keywords that do not restrict values. An `integer` is always a safe integer. */
const ANNOTATIONS = new Set([
  ...["contentEncoding", "default", "deprecated", "description"],
  ...["x-svc-keys", "x-svc-range", "x-svc-type"],
]);
const WORDS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  array: ["type", "items", "prefixItems", ...wordsFor("array")],
  boolean: ["type"],
  integer: ["type", ...wordsFor("number")],
  null: ["type"],
  number: ["type", ...wordsFor("number")],
  object: ["type", "additionalProperties", "properties", "propertyNames", "required"],
  string: ["type", ...wordsFor("string")],
};

function wordsFor(kind: LimitedKind): string[] {
  return (Object.keys(LIMIT_WORDS) as LimitWord[]).filter((word) => LIMIT_WORDS[word] === kind);
}

export function classifySchema(schema: JsonSchema, definitions: Definitions): Forms {
  const forms: Forms = {
    isAny: false,
    scalars: new Set(),
    numbers: new Set(),
    texts: new Set(),
    limited: [],
    arrays: [],
    objects: [],
    opaque: [],
  };
  // Iterative, because a chain of references can be long or circular.
  const rest = [schema];
  const seen = new Set<JsonSchema>();
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    const members = membersOf(part, definitions);
    if (members === null) addForm(part, forms);
    else for (const member of [...members].reverse()) rest.push(member);
  }
  return forms;
}

/** Returns the members of a union or the target of a reference; null for other schemas. */
function membersOf(schema: JsonSchema, definitions: Definitions): readonly JsonSchema[] | null {
  const { $ref, anyOf } = schema;
  if (typeof $ref === "string" && hasOnly(schema, ["$ref"])) {
    const name = $ref.slice(REFERENCE.length);
    const isKnown = $ref.startsWith(REFERENCE) && Object.hasOwn(definitions, name);
    return isKnown ? [definitions[name]!] : null;
  }
  return Array.isArray(anyOf) && hasOnly(schema, ["anyOf"]) ? anyOf : null;
}

function addForm(schema: JsonSchema, forms: Forms): void {
  const values = valuesOf(schema);
  if (values !== null) {
    for (const value of values) forms.scalars.add(value);
    return;
  }
  const type = String(schema.type);
  if (hasOnly(schema, [])) forms.isAny = true;
  else if (!Object.hasOwn(WORDS_OF_TYPE, type) || !hasOnly(schema, WORDS_OF_TYPE[type]!)) {
    forms.opaque.push(schema);
  } else if (
    type !== "array" &&
    Object.keys(readLimits(schema)).some((word) => word !== "pattern")
  ) {
    forms.limited.push(schema);
  } else if (type === "integer" || type === "number") forms.numbers.add(type);
  else if (type === "string") forms.texts.add((schema.pattern as string | undefined) ?? null);
  else if (type === "array") forms.arrays.push(schema);
  else forms.objects.push(schema);
}

/** Returns the values of a schema that lists them. */
function valuesOf(schema: JsonSchema): readonly Scalar[] | null {
  const { enum: listed, const: value, type } = schema;
  if (Array.isArray(listed) && hasOnly(schema, ["enum"]))
    return listed.every(isScalar) ? listed : null;
  if (isScalar(value) && hasOnly(schema, ["const"])) return [value];
  if (!hasOnly(schema, ["type"])) return null;
  if (type === "boolean") return [true, false];
  return type === "null" ? [null] : null;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function hasOnly(schema: JsonSchema, words: readonly string[]): boolean {
  return Object.keys(schema).every((word) => words.includes(word) || ANNOTATIONS.has(word));
}
