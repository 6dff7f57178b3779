// Python types from schemas. Objects become TypedDicts, the decoded form of JSON; anonymous ones
// are named by their position. Annotations may refer to later types, so they must not be evaluated
// on import.

import type { Argspec, JsonSchema } from "../argspec.js";
import { readLimits } from "../limits/limits.js";
import { isPlainName, type PythonNames, pascalCase } from "./python-names.js";
import { docstring, indent, literal, plainLine, plainText, stringLiteral } from "./text.js";
import { isHashed } from "./typed-views.js";

const REFERENCE = "#/$defs/";
const ANYTHING = "Any";
/** Tuples of several lengths are written out up to this many characters, because they can nest. */
const MAX_TUPLE_FORMS = 2000;
const PRIMITIVES: ReadonlyMap<unknown, string> = new Map([
  ["boolean", "bool"],
  ["integer", "int"],
  ["null", "None"],
  ["number", "float"],
  ["string", "str"],
]);
const TEXT_CLASSES: ReadonlyMap<unknown, string> = new Map([
  ["Date", "datetime.datetime"],
  ["Uint8Array", "bytes"],
  ["bigint", "int"],
]);
/** Names used in annotations, which class members must not hide. */
const ANNOTATION_WORDS = new Set(
  "Any Dict List Literal None Optional Set Tuple Union bool bytes datetime float int str".split(
    " ",
  ),
);

export class PythonTypes {
  readonly #module: PythonNames;
  readonly #$defs: Argspec["$defs"];
  readonly #named: ReadonlyMap<string, string>;
  /** All declarations so far. */
  readonly #names: Set<string>;
  readonly #declarations: string[] = [];
  /** Names in annotations are quoted, because these annotations are evaluated at once. */
  #isEvaluated = false;

  /** @param named types by their names in `$defs` */
  constructor(
    module: PythonNames,
    named: ReadonlyMap<string, string>,
    $defs: Argspec["$defs"] = {},
  ) {
    this.#module = module;
    this.#$defs = $defs;
    this.#named = named;
    this.#names = new Set(named.values());
  }

  /** Returns all declarations so far, each followed by an empty line. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  /** Declares a type of `$defs` under its name. */
  define(key: string, schema: JsonSchema): void {
    const name = this.#named.get(key)!;
    const comment = textOf(schema);
    if (isRecord(schema)) {
      this.#declareRecord(name, schema, comment);
      return;
    }
    this.#isEvaluated = true;
    const annotation = this.annotation(schema, name);
    this.#isEvaluated = false;
    // An unquoted forward reference would fail; a quoted one alone would be a string.
    const value = annotation.startsWith('"') ? `Union[${annotation}]` : annotation;
    this.#declarations.push(`${name} = ${value}\n${docstring([comment])}`);
  }

  /** @param typeName name for an anonymous object */
  annotation(schema: unknown, typeName: string): string {
    if (!isSchema(schema)) return ANYTHING;
    const { $ref, anyOf, enum: values, type } = schema;
    if (typeof $ref === "string")
      return this.#reference(this.#named.get($ref.slice(REFERENCE.length)));
    if (Array.isArray(anyOf))
      return union(anyOf.map((member) => this.annotation(member, typeName)));
    if (Array.isArray(values)) return union(literals(values));
    if ("const" in schema) return union(literals([schema.const]));
    const valueClass = this.#valueClass(schema, typeName);
    if (valueClass !== null) return valueClass;
    if (type === "array") return this.#array(schema, typeName);
    if (type === "object") return this.#object(schema, typeName);
    return PRIMITIVES.get(type) ?? ANYTHING;
  }

  /** Returns null for a schema whose values are those of JSON. */
  #valueClass(schema: JsonSchema, typeName: string): string | null {
    const { "x-svc-type": name, type, items, additionalProperties } = schema;
    if (type === "string") return TEXT_CLASSES.get(name) ?? null;
    if (type === "object" && name === "Map") {
      const key = schema["x-svc-keys"] === "number" ? "float" : "str";
      return `Dict[${key}, ${this.annotation(additionalProperties, `${typeName}Value`)}]`;
    }
    if (type !== "array" || name === undefined || !isHashed(schema, this.#$defs)) return null;
    if (name === "Set") return `Set[${this.annotation(items, `${typeName}Item`)}]`;
    const [key, value] = (items as JsonSchema).prefixItems as readonly unknown[];
    const texts = [
      this.annotation(key, `${typeName}Key`),
      this.annotation(value, `${typeName}Value`),
    ];
    return `Dict[${texts.join(", ")}]`;
  }

  #reference(name: string | undefined): string {
    if (name === undefined) return ANYTHING;
    return this.#isEvaluated ? `"${name}"` : name;
  }

  #array({ prefixItems, items, minItems }: JsonSchema, typeName: string): string {
    const itemName = `${typeName}Item`;
    if (!Array.isArray(prefixItems)) {
      return items === false ? "Tuple[()]" : `List[${this.annotation(items, itemName)}]`;
    }
    const itemTypes = prefixItems.map((item) => this.annotation(item, itemName));
    const requiredCount = typeof minItems === "number" ? Math.min(minItems, itemTypes.length) : 0;
    const forms = itemTypes.length - requiredCount + 1;
    const isLong = forms > 1 && forms * itemTypes.join(", ").length > MAX_TUPLE_FORMS;
    if (items !== false || isLong) {
      const rest = items === false ? [] : [this.annotation(items, itemName)];
      return `List[${union([...itemTypes, ...rest])}]`;
    }
    const lengths = [...itemTypes, ""].map((_, length) => length).slice(requiredCount);
    return union(
      lengths.map((length) => `Tuple[${itemTypes.slice(0, length).join(", ") || "()"}]`),
    );
  }

  #object(schema: JsonSchema, typeName: string): string {
    if (isRecord(schema)) {
      const name = this.#module.take(typeName);
      this.#names.add(name);
      this.#declareRecord(name, schema, textOf(schema));
      return this.#reference(name);
    }
    const { properties, additionalProperties } = schema;
    const others = this.annotation(additionalProperties, `${typeName}Value`);
    const members = membersOf(properties).map(([key, member]) =>
      this.annotation(member, `${typeName}${pascalCase(key)}`),
    );
    return `Dict[str, ${union([...members, others])}]`;
  }

  /** Declares an object with known members; optional members need a class of their own. */
  #declareRecord(name: string, { properties, required }: JsonSchema, comment: string): void {
    const isEvaluated = this.#isEvaluated;
    this.#isEvaluated = false;
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = membersOf(properties).map(([key, schema]): Member => {
      const annotation = this.annotation(schema, `${name}${pascalCase(key)}`);
      const isRequired = needed.has(key);
      return {
        key,
        annotation,
        isRequired,
        comment: textOf(schema),
      };
    });
    this.#isEvaluated = isEvaluated;
    const always = members.filter(({ isRequired }) => isRequired);
    const sometimes = members.filter(({ isRequired }) => !isRequired);
    if (always.length === 0 || sometimes.length === 0) {
      this.#declarations.push(this.#typedDict(name, members, sometimes.length === 0, comment));
      return;
    }
    const base = this.#module.take(`_${name}Required`);
    this.#declarations.push(this.#typedDict(base, always, true, ""));
    if (sometimes.every((member) => this.#isClassMember(member))) {
      this.#declarations.push(classText(name, base, sometimes, false, comment));
      return;
    }
    const other = this.#module.take(`_${name}Optional`);
    this.#declarations.push(this.#typedDict(other, sometimes, false, ""));
    this.#declarations.push(classText(name, `${base}, ${other}`, [], true, comment));
  }

  #typedDict(name: string, members: readonly Member[], isTotal: boolean, comment: string): string {
    if (members.every((member) => this.#isClassMember(member))) {
      return classText(name, "TypedDict", members, isTotal, comment);
    }
    const lines = members.map(
      ({ key, annotation }) => `    ${stringLiteral(key)}: ${stringLiteral(annotation)},\n`,
    );
    const total = isTotal ? "" : "    total=False,\n";
    const head = `${name} = TypedDict(\n    ${stringLiteral(name)},\n    {\n`;
    return `${head}${indent(lines.join(""))}    },\n${total})\n${docstring([comment])}`;
  }

  /** Whether a member can be written in class syntax: its key is a plain identifier. */
  #isClassMember({ key }: Member): boolean {
    return isPlainName(key) && !ANNOTATION_WORDS.has(key) && !this.#names.has(key);
  }
}

interface Member {
  readonly key: string;
  readonly annotation: string;
  readonly isRequired: boolean;
  readonly comment: string;
}

function classText(
  name: string,
  bases: string,
  members: readonly Member[],
  isTotal: boolean,
  comment: string,
): string {
  const lines = members.map(
    (member) => `${member.key}: ${member.annotation}\n${docstring([member.comment])}`,
  );
  const documentation = docstring([comment]);
  const gap = documentation !== "" && lines.length > 0 ? "\n" : "";
  const body = `${documentation}${gap}${lines.join("")}` || "pass\n";
  return `class ${name}(${bases}${isTotal ? "" : ", total=False"}):\n${indent(body)}`;
}

/** Declares the types of `$defs`. */
export function collectTypes(
  $defs: Argspec["$defs"],
  names: ReadonlyMap<string, string>,
  module: PythonNames,
) {
  const types = new PythonTypes(module, names, $defs);
  for (const [key, schema] of Object.entries($defs)) types.define(key, schema);
  return types;
}

/** The members are known, so further ones need no comment. */
function isRecord({ type, properties, additionalProperties }: JsonSchema): boolean {
  if (type !== "object") return false;
  const isOpen = additionalProperties !== false;
  const isAnything =
    isOpen && (!isSchema(additionalProperties) || Object.keys(additionalProperties).length === 0);
  return isOpen ? isAnything && membersOf(properties).length > 0 : true;
}

function membersOf(properties: unknown): [string, unknown][] {
  return isSchema(properties) ? Object.entries(properties) : [];
}

/** Returns literal types; Python has none for fractional numbers. */
function literals(values: readonly unknown[]): string[] {
  return values.map((value) => {
    if (value === null) return "None";
    if (typeof value === "number" && !Number.isSafeInteger(value)) return "float";
    return typeof value === "object" ? ANYTHING : `Literal[${literal(value)}]`;
  });
}

function union(members: readonly string[]): string {
  const all = [...new Set(members)];
  if (all.length === 0 || all.includes(ANYTHING)) return ANYTHING;
  const isLiteral = (member: string) => member.startsWith("Literal[");
  const values = all.filter(isLiteral).map((member) => member.slice("Literal[".length, -1));
  const others = all.filter((member) => !isLiteral(member) && member !== "None");
  const kinds = values.length === 0 ? others : [`Literal[${values.join(", ")}]`, ...others];
  const union = kinds.length > 1 ? `Union[${kinds.join(", ")}]` : kinds[0];
  if (!all.includes("None")) return union!;
  return union === undefined ? "None" : `Optional[${union}]`;
}

function textOf(schema: unknown): string {
  if (!isSchema(schema)) return "";
  const { description, deprecated } = schema;
  const prose = typeof description === "string" ? plainText(description) : "";
  const limits = limitsText(schema);
  const text = limits === "" ? prose : `${prose}\n\nWithin ${limits}.`.trim();
  return deprecated === true ? `Deprecated. ${text}`.trim() : text;
}

/** Returns text such as `minimum 1, maximum 100` for readers; the server checks the limits. */
export function limitsText(schema: JsonSchema): string {
  if (schema.type === "array" && schema.prefixItems !== undefined) return "";
  const limits = Object.entries(readLimits(schema));
  const texts = limits.map(([word, value]) => (value === true ? word : `${word} ${value}`));
  return plainLine(texts.join(", "));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
