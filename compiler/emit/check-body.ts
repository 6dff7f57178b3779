// Emits the statements of one shape check. A fault returns immediately with its path; valid values
// cause no string operations.

import type { Limits } from "../../argspec/limits/limits.js";
import { describeKeys } from "../record/key-patterns.js";
import type { PropertyShape, TypeShape } from "../record/type-shape.js";
import { describeShape } from "./describe-shape.js";
import { propertyAccess, quote } from "./text.js";
import { type Composite, findTag, sortMembers } from "./union-members.js";

const JSON_VALUE: TypeShape = { kind: "json" };

type Tuple = Extract<TypeShape, { kind: "tuple" }>;

/** Declarations that the statements of a check refer to. */
export interface ShapeChecks {
  /** Name of the function that checks a shape. */
  functionFor(shape: TypeShape): string;
  /** Name of the function that checks the limits of a value of the right kind. */
  limits(limits: Limits): string;
  /** Name of the function that checks a shape and remembers the result of each value. */
  alternative(shape: TypeShape): string;
  /** Returns an expression that is true if `value` has the shape. */
  condition(shape: TypeShape, value: string): string;
  /** Resolves a reference. */
  resolve(shape: TypeShape): TypeShape;
}

/** Writes the statements of one check. `path` consists of string expressions to be joined. */
export class CheckBody {
  readonly #checks: ShapeChecks;
  #text = "";
  #depth = 1;
  #variables = 0;

  constructor(checks: ShapeChecks) {
    this.#checks = checks;
  }

  write(shape: TypeShape): string {
    this.#shape(shape, "value", []);
    return this.#text;
  }

  #shape(shape: TypeShape, value: string, path: readonly string[]): void {
    switch (shape.kind) {
      case "array":
      case "tuple":
      case "object": {
        const test = shape.kind === "object" ? `isObject(${value})` : `Array.isArray(${value})`;
        this.#line(`if (!${test}) return ${required(path, describeShape(this.#checks, shape))};`);
        this.#parts(shape, value, path);
        break;
      }
      case "ref":
        if (this.#checks.resolve(shape).kind === "json") {
          this.#shape(JSON_VALUE, value, path);
        } else {
          this.#parts(shape, value, path);
        }
        break;
      case "union":
        this.#union(shape.members, value, path);
        break;
      case "limited": {
        if (shape.valueClass !== undefined) {
          this.#require(shape, value, path);
          break;
        }
        this.#shape(shape.base, value, path);
        if (Object.keys(shape.limits).length === 0) break;
        const fault = this.#variable("fault");
        this.#line(`const ${fault} = ${this.#checks.limits(shape.limits)}(${value});`);
        this.#line(`if (${fault} !== null) return ${joinTexts([...path, fault])};`);
        break;
      }
      case "json":
        if (path.length > 0) {
          this.#require(shape, value, path);
        }
        break;
      default:
        this.#require(shape, value, path);
    }
  }

  #require(shape: TypeShape, value: string, path: readonly string[]): void {
    const fault = required(path, describeShape(this.#checks, shape));
    this.#line(`if (!(${this.#checks.condition(shape, value)})) return ${fault};`);
  }

  /** Checks the contents of a value whose kind has been checked. */
  #parts(shape: Composite, value: string, path: readonly string[]): void {
    if (shape.kind === "array") {
      this.#items(shape.items, value, "0", path);
    } else if (shape.kind === "tuple") {
      this.#tuple(shape, value, path);
    } else if (shape.kind === "object") {
      for (const property of shape.properties) {
        this.#property(property, value, path);
      }
      this.#additional(shape, value, path);
    } else if (shape.kind === "limited") {
      this.#shape(shape, value, path);
    } else {
      const fault = this.#variable("fault");
      this.#line(`const ${fault} = ${this.#checks.functionFor(shape)}(${value});`);
      this.#line(`if (${fault} !== null) return ${joinTexts([...path, fault])};`);
    }
  }

  /**
   * The kind of the value narrows the possible members. If one remains, its check locates the
   * fault.
   */
  #union(shapes: readonly TypeShape[], value: string, path: readonly string[]): void {
    const { objects, arrays, others } = sortMembers(this.#checks, shapes);
    if (others.some((member) => this.#checks.resolve(member).kind === "json")) {
      this.#shape(JSON_VALUE, value, path);
      return;
    }
    const conditions = others.map((member) => this.#checks.condition(member, value));
    const fault = required(path, describeShape(this.#checks, { kind: "union", members: shapes }));
    const isOther = conditions.length > 0 ? `if (!(${conditions.join(" || ")})) ` : "";
    if (objects.length + arrays.length === 0) {
      this.#line(`${isOther}return ${fault};`);
      return;
    }
    let open = "";
    if (objects.length > 0) {
      this.#line(`if (isObject(${value})) {`);
      this.#indented(() => this.#oneOfObjects(objects, value, path));
      open = "} else ";
    }
    if (arrays.length > 0) {
      this.#line(`${open}if (Array.isArray(${value})) {`);
      this.#indented(() => this.#oneOf(arrays, "an array", value, path));
    }
    this.#line(`} else ${isOther}{`);
    this.#indented(() => this.#line(`return ${fault};`));
    this.#line("}");
  }

  #oneOfObjects(shapes: readonly Composite[], value: string, path: readonly string[]): void {
    const tag = shapes.length > 1 ? findTag(this.#checks, shapes) : null;
    if (tag === null) {
      this.#oneOf(shapes, "an object", value, path);
      return;
    }
    const words = shapes.flatMap((shape) => tag.values.get(shape)!);
    const members: TypeShape[] = words.map((word) => ({ kind: "literal", value: word }));
    this.#line(`switch (${property(value, tag.name)}) {`);
    this.#indented(() => {
      for (const shape of shapes) {
        const cases = tag.values.get(shape)!.map((word) => `case ${quote(word)}:`);
        this.#block(`${cases.join(" ")} {`, () => {
          this.#parts(shape, value, path);
          this.#line("break;");
        });
      }
      this.#line("default:");
      const tagPath = [...path, quote(`.${tag.name}`)];
      const fault = required(tagPath, describeShape(this.#checks, { kind: "union", members }));
      this.#indented(() => this.#line(`return ${fault};`));
    });
    this.#line("}");
  }

  /** One of several indistinguishable members must fit. */
  #oneOf(shapes: readonly Composite[], kind: string, value: string, path: readonly string[]): void {
    const [only] = shapes;
    if (shapes.length === 1) {
      this.#parts(only!, value, path);
      return;
    }
    const conditions = shapes.map(
      (shape) => `${this.#checks.alternative(shape)}(${value}) === null`,
    );
    const fault = required(path, `${kind} of one of ${shapes.length} forms`);
    this.#line(`if (!(${conditions.join(" || ")})) return ${fault};`);
  }

  #items(shape: TypeShape, value: string, from: string, path: readonly string[]): void {
    if (shape.kind === "json") {
      return;
    }
    const index = this.#variable("i");
    const item = this.#variable("item");
    this.#block(`for (let ${index} = ${from}; ${index} < ${value}.length; ${index}++) {`, () => {
      this.#line(`const ${item} = ${value}[${index}];`);
      this.#shape(shape, item, [...path, quote("["), index, quote("]")]);
    });
  }

  #tuple(shape: Tuple, value: string, path: readonly string[]): void {
    const wrong = wrongLength(shape, `${value}.length`);
    if (wrong !== "") {
      this.#line(`if (${wrong}) return ${required(path, describeShape(this.#checks, shape))};`);
    }
    for (const [index, item] of shape.items.entries()) {
      const itemPath = [...path, quote(`[${index}]`)];
      if (index < shape.required) {
        this.#shape(item, `${value}[${index}]`, itemPath);
      } else {
        this.#block(`if (${value}.length > ${index}) {`, () =>
          this.#shape(item, `${value}[${index}]`, itemPath),
        );
      }
    }
    if (shape.rest !== null) {
      this.#items(shape.rest, value, String(shape.items.length), path);
    }
  }

  #property(
    { name, shape, optional }: PropertyShape,
    value: string,
    path: readonly string[],
  ): void {
    if (optional && shape.kind === "json") {
      return;
    }
    const field = this.#variable("field");
    const fieldPath = [...path, quote(`.${name}`)];
    this.#line(`const ${field} = ${property(value, name)};`);
    if (optional) {
      this.#block(`if (${field} !== undefined) {`, () => this.#shape(shape, field, fieldPath));
    } else {
      this.#shape(shape, field, fieldPath);
    }
  }

  #additional(
    shape: Extract<TypeShape, { kind: "object" }>,
    value: string,
    path: readonly string[],
  ): void {
    const { additional: further, keys, keyLimits } = shape;
    const isAnyKey = keys === undefined && keyLimits === undefined;
    if (further === null || (further.kind === "json" && isAnyKey)) {
      return;
    }
    const key = this.#variable("key");
    this.#block(`for (const ${key} of Object.keys(${value})) {`, () => {
      for (const property of shape.properties) {
        this.#line(`if (${key} === ${quote(property.name)}) continue;`);
      }
      const memberPath = [...path, quote("."), `truncateForMessage(${key})`];
      if (keys !== undefined) {
        const isKey = this.#checks.condition({ kind: "pattern", source: keys }, key);
        this.#line(`if (!(${isKey})) return ${required(memberPath, describeKeys(keys))};`);
      }
      if (keyLimits !== undefined) this.#keyLimits(keyLimits, key, memberPath);
      const item = this.#variable("item");
      this.#line(`const ${item} = ${value}[${key}];`);
      this.#shape(further, item, memberPath);
    });
  }

  #keyLimits(limits: Limits, key: string, path: readonly string[]): void {
    const fault = this.#variable("fault");
    this.#line(`const ${fault} = ${this.#checks.limits(limits)}(${key});`);
    const text = `${fault}.slice(0, -1) + " as key)"`;
    this.#line(`if (${fault} !== null) return ${joinTexts([...path, text])};`);
  }

  #block(open: string, body: () => void): void {
    this.#line(open);
    this.#indented(body);
    this.#line("}");
  }

  #indented(body: () => void): void {
    this.#depth++;
    body();
    this.#depth--;
  }

  #variable(kind: string): string {
    return `${kind}${++this.#variables}`;
  }

  #line(text: string): void {
    this.#text += `${"  ".repeat(this.#depth)}${text}\n`;
  }
}

/** Returns the fault of a value at `path` that does not meet the requirement. */
function required(path: readonly string[], requirement: string): string {
  return joinTexts([...path, quote(` (${requirement} is required)`)]);
}

/** Names on Object.prototype need an own-property check. */
function property(value: string, name: string): string {
  return name in {} ? `ownProperty(${value}, ${quote(name)})` : propertyAccess(value, name);
}

/** Returns a condition for invalid tuple lengths; empty if all lengths are valid. */
function wrongLength({ items, required, rest }: Tuple, length: string): string {
  if (rest === null && required === items.length) {
    return `${length} !== ${required}`;
  }
  const wrong = [
    ...(required > 0 ? [`${length} < ${required}`] : []),
    ...(rest === null ? [`${length} > ${items.length}`] : []),
  ];
  return wrong.join(" || ");
}

/** Joins string expressions, merging adjacent literals. */
function joinTexts(parts: readonly string[]): string {
  const merged: string[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last !== undefined && isLiteral(last) && isLiteral(part)) {
      merged[merged.length - 1] = last.slice(0, -1) + part.slice(1);
    } else {
      merged.push(part);
    }
  }
  return merged.join(" + ");
}

function isLiteral(expression: string): boolean {
  return expression.startsWith('"');
}
