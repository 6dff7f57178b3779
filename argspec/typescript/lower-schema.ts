// Converts JSON Schema 2020-12 to the draft that json-schema-to-typescript supports. The result is
// built from known keywords only, because the library prints `tsType` verbatim. References become
// names chosen here, so the library neither resolves nor names anything.

import type { JsonSchema } from "../argspec.js";
import { TEXT_VALUE_CLASSES } from "../typed/value-classes.js";
import { schemaComment } from "./doc-comment.js";
import { markGeneric } from "./generic-types.js";

/** Input of the library. */
export type LoweredSchema =
  | { readonly tsType: string; readonly description?: string }
  | { readonly anyOf: readonly LoweredSchema[]; readonly description?: string }
  | { readonly enum: readonly unknown[]; readonly description?: string }
  | { readonly type: string; readonly description?: string }
  | LoweredArray
  | LoweredObject;

interface LoweredArray {
  readonly type: "array";
  readonly items: LoweredSchema | readonly LoweredSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalItems?: LoweredSchema;
  readonly description?: string;
}

interface LoweredObject {
  readonly type: "object";
  readonly properties: Readonly<Record<string, LoweredSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: LoweredSchema | boolean;
  readonly description?: string;
}

/** Type by its name in `$defs`. */
export type TypeNames = ReadonlyMap<string, string>;

export const ANY_JSON: LoweredSchema = { tsType: "unknown" };
/** `{}` would accept a string as an object. */
const EMPTY_OBJECT: LoweredSchema = { tsType: "{ [key: string]: never }" };
/** Tuples with more optional items are declared as arrays. */
const MAX_OPTIONAL_ITEMS = 8;

const TEXT_TYPES: ReadonlySet<unknown> = new Set(TEXT_VALUE_CLASSES);

export class SchemaLowering {
  readonly #names: TypeNames;
  /**
   * Each optional item repeats all items before it, so tuples within tuples are not written out.
   */
  #isInOptionalItem = false;

  constructor(names: TypeNames) {
    this.#names = names;
  }

  lower(schema: unknown): LoweredSchema {
    if (!isSchema(schema)) return ANY_JSON;
    const { $ref, anyOf, enum: values, type } = schema;
    if (typeof $ref === "string") return this.#reference($ref);
    if (Array.isArray(anyOf)) return this.#union(anyOf);
    if (Array.isArray(values)) return { enum: values };
    if ("const" in schema) return { enum: [schema.const] };
    const valueClass = this.#valueClass(schema);
    if (valueClass !== null) return valueClass;
    if (type === "array") return this.#array(schema);
    if (type === "object") return this.#object(schema);
    return typeof type === "string" ? { type } : ANY_JSON;
  }

  /** Returns null for a schema whose values are those of JSON. */
  #valueClass({ "x-svc-type": name, type, items, ...schema }: JsonSchema): LoweredSchema | null {
    if (type === "string") return TEXT_TYPES.has(name) ? { tsType: String(name) } : null;
    if (name === "Set" && type === "array") return generic("Set", [this.lower(items)]);
    if (name !== "Map") return null;
    if (type === "array") {
      const pair = isSchema(items) && Array.isArray(items.prefixItems) ? items.prefixItems : [];
      return generic(
        "Map",
        [0, 1].map((index) => this.lower(pair[index])),
      );
    }
    const keys = { type: schema["x-svc-keys"] === "number" ? "number" : "string" };
    return type === "object"
      ? generic("Map", [keys, this.lower(schema.additionalProperties)])
      : null;
  }

  #reference($ref: string): LoweredSchema {
    const name = this.#names.get($ref.replace("#/$defs/", ""));
    return name === undefined ? ANY_JSON : { tsType: name };
  }

  #union(members: readonly unknown[]): LoweredSchema {
    const lowered = members.map((member) => this.lower(member));
    return lowered.includes(ANY_JSON) ? ANY_JSON : { anyOf: lowered };
  }

  #array({ prefixItems, items, minItems }: JsonSchema): LoweredSchema {
    const rest = items === false ? null : this.lower(items);
    if (!Array.isArray(prefixItems)) {
      return rest === null ? tuple([], null) : { type: "array", items: rest };
    }
    const requiredCount = typeof minItems === "number" ? Math.min(minItems, prefixItems.length) : 0;
    const optional = prefixItems.length - requiredCount;
    if (optional === 0)
      return tuple(
        prefixItems.map((item) => this.lower(item)),
        rest,
      );
    if (optional > MAX_OPTIONAL_ITEMS || this.#isInOptionalItem) {
      const all = this.#union([...prefixItems, ...(rest === null ? [] : [items])]);
      return { type: "array", items: all };
    }
    this.#isInOptionalItem = true;
    const all = prefixItems.map((item) => this.lower(item));
    this.#isInOptionalItem = false;
    const shorter = all
      .slice(requiredCount)
      .map((_, index) => tuple(all.slice(0, requiredCount + index), null));
    return { anyOf: [...shorter, tuple(all, rest)] };
  }

  #object({ properties, required, additionalProperties }: JsonSchema): LoweredSchema {
    const entries = Object.entries(isSchema(properties) ? properties : {});
    const lowered = entries.map(([name, schema]): [string, LoweredSchema] => {
      const comment = isSchema(schema) ? schemaComment(schema) : "";
      return [name, { ...this.lower(schema), ...(comment !== "" && { description: comment }) }];
    });
    const others =
      additionalProperties === false ? false : this.lower(additionalProperties ?? true);
    const names = Array.isArray(required)
      ? required.filter((name) => typeof name === "string")
      : [];
    return buildObject(lowered, names, others === ANY_JSON ? true : others);
  }
}

/** @param additionalProperties their type, or whether they are allowed */
export function buildObject(
  properties: readonly (readonly [string, LoweredSchema])[],
  required: readonly string[],
  additionalProperties: LoweredSchema | boolean,
): LoweredSchema {
  if (properties.length === 0 && additionalProperties === false) return EMPTY_OBJECT;
  const all = Object.fromEntries(properties.map(([name, type]) => [hiddenName(name), type]));
  return {
    type: "object",
    properties: all,
    required: required.map(hiddenName),
    additionalProperties,
  };
}

/** The library calls this method on every object, so a property must not have its name. */
const METHOD = "hasOwnProperty";
const HIDDEN_METHOD = `\ue000${METHOD}`;

function hiddenName(name: string): string {
  return name === METHOD ? HIDDEN_METHOD : name;
}

/** Restores property names in the output of the library. */
export function exportedNames(printed: string): string {
  return printed.replaceAll(new RegExp(`^"${HIDDEN_METHOD}"(?=\\??: )`, "gm"), METHOD);
}

/** Wraps a tuple in a union, because the library adds its own comments to bare tuples. */
export function tuple(items: readonly LoweredSchema[], rest: LoweredSchema | null): LoweredSchema {
  const length = { minItems: items.length, ...(rest === null && { maxItems: items.length }) };
  if (items.length === 0 && rest !== null) return { type: "array", items: rest };
  const more = rest === null ? {} : { additionalItems: rest };
  return { anyOf: [{ type: "array", items, ...length, ...more }] };
}

/** The library has no generic types: they are printed as tuples, and changed afterwards. */
function generic(name: "Set" | "Map", types: readonly LoweredSchema[]): LoweredSchema {
  return tuple([{ tsType: markGeneric(name) }, ...types], null);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
