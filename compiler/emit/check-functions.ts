// Shape checks as generated code: one straight-line function a named type, shared by all plugins,
// and one for each anonymous shape that needs it. A check returns null, or where and what is wrong
// (`.x (a number is required)`); paths are put together only when something is wrong.

import type { PropertyShape, TypeShape, TypeTable } from "../record/type-shape.js";
import { describeShape } from "./shape-words.js";
import { propertyAccess, quote } from "./text.js";

type Complex = Extract<TypeShape, { kind: "array" | "tuple" | "object" }>;

const NAMED = /^[A-Za-z0-9_]+$/;

/** Collects the checks that a file of converters needs. */
export class CheckFunctions {
  private readonly types: TypeTable;
  private readonly named = new Map<string, string>();
  private readonly anonymous = new Map<string, string>();
  private readonly patterns = new Map<string, string>();
  private readonly texts: string[] = [];

  constructor(types: TypeTable) {
    this.types = types;
  }

  /** Name of the function that checks a shape. */
  functionFor(shape: TypeShape): string {
    if (shape.kind === "ref") {
      return this.namedFunction(shape.name);
    }
    const key = JSON.stringify(shape);
    const known = this.anonymous.get(key);
    if (known !== undefined) {
      return known;
    }
    const name = `check_${this.anonymous.size + 1}_`;
    this.anonymous.set(key, name);
    this.addFunction(name, "", shape);
    return name;
  }

  /** Text of all functions so far, in the order in which they were asked for. */
  emit(): string {
    const patterns = [...this.patterns].map(
      ([source, name]) => `const ${name} = new RegExp(${quote(source)}, "s");\n`,
    );
    return patterns.join("") + (patterns.length > 0 ? "\n" : "") + this.texts.join("\n");
  }

  /** An expression that is true when `value` has the shape. */
  condition(shape: TypeShape, value: string): string {
    switch (shape.kind) {
      case "int":
        return `Number.isSafeInteger(${value})`;
      case "float":
        return `typeof ${value} === "number"`;
      case "str":
      case "bytes":
        return `typeof ${value} === "string"`;
      case "bool":
        return `typeof ${value} === "boolean"`;
      case "null":
        return `${value} === null`;
      case "json":
        return `${value} !== undefined`;
      case "literal":
        return `${value} === ${quote(shape.value)}`;
      case "pattern":
        return `(typeof ${value} === "string" && ${this.patternFor(shape.source)}.test(${value}))`;
      case "union":
        return shape.members.map((member) => this.condition(member, value)).join(" || ");
      default:
        return `${this.functionFor(shape)}(${value}) === null`;
    }
  }

  private namedFunction(type: string): string {
    const known = this.named.get(type);
    if (known !== undefined) {
      return known;
    }
    const shape = this.types[type];
    if (shape === undefined) {
      throw new Error(`type without a shape: ${type}`);
    }
    const name = NAMED.test(type) ? `check_${type}` : `check_${this.named.size + 1}`;
    this.named.set(type, name);
    this.addFunction(name, `// ${type}\n`, shape);
    return name;
  }

  private addFunction(name: string, comment: string, shape: TypeShape): void {
    // Its place is taken before its body asks for further functions: callers come first.
    const index = this.texts.push("") - 1;
    const body = new CheckBody(this).write(shape);
    this.texts[index] = `${comment}function ${name}(value) {\n${body}  return null;\n}\n`;
  }

  private patternFor(source: string): string {
    const name = this.patterns.get(source) ?? `pattern_${this.patterns.size + 1}_`;
    this.patterns.set(source, name);
    return name;
  }
}

/** Writes the statements of one check. `path` is the text of an expression, or empty. */
class CheckBody {
  private readonly checks: CheckFunctions;
  private text = "";
  private depth = 1;
  private variables = 0;

  constructor(checks: CheckFunctions) {
    this.checks = checks;
  }

  write(shape: TypeShape): string {
    this.shape(shape, "value", []);
    return this.text;
  }

  private shape(shape: TypeShape, value: string, path: readonly string[]): void {
    switch (shape.kind) {
      case "array":
      case "tuple":
      case "object":
        this.complex(shape, value, path);
        break;
      case "ref": {
        const fault = this.variable("fault");
        this.line(`const ${fault} = ${this.checks.functionFor(shape)}(${value});`);
        this.line(`if (${fault} !== null) return ${joinTexts([...path, fault])};`);
        break;
      }
      case "json":
        if (path.length > 0) {
          this.require(shape, value, path);
        }
        break;
      default:
        this.require(shape, value, path);
    }
  }

  private require(shape: TypeShape, value: string, path: readonly string[]): void {
    const fault = [...path, quote(` (${describeShape(shape)} is required)`)];
    this.line(`if (!(${this.checks.condition(shape, value)})) return ${joinTexts(fault)};`);
  }

  private complex(shape: Complex, value: string, path: readonly string[]): void {
    const test = shape.kind === "object" ? `isObject(${value})` : `Array.isArray(${value})`;
    const fault = joinTexts([...path, quote(` (${describeShape(shape)} is required)`)]);
    this.line(`if (!${test}) return ${fault};`);
    if (shape.kind === "array") {
      this.items(shape.items, value, "0", path);
    } else if (shape.kind === "tuple") {
      this.tuple(shape, value, path);
    } else {
      for (const property of shape.properties) {
        this.property(property, value, path);
      }
      this.additional(shape, value, path);
    }
  }

  private items(shape: TypeShape, value: string, from: string, path: readonly string[]): void {
    if (shape.kind === "json") {
      return;
    }
    const index = this.variable("i");
    const item = this.variable("item");
    this.line(`for (let ${index} = ${from}; ${index} < ${value}.length; ${index}++) {`);
    this.depth++;
    this.line(`const ${item} = ${value}[${index}];`);
    this.shape(shape, item, [...path, quote("["), index, quote("]")]);
    this.depth--;
    this.line("}");
  }

  private tuple(
    shape: Extract<TypeShape, { kind: "tuple" }>,
    value: string,
    path: readonly string[],
  ): void {
    const tooMany = shape.rest === null ? ` || ${value}.length > ${shape.items.length}` : "";
    const fault = joinTexts([...path, quote(` (${describeShape(shape)} is required)`)]);
    this.line(`if (${value}.length < ${shape.required}${tooMany}) return ${fault};`);
    for (const [index, item] of shape.items.entries()) {
      const itemPath = [...path, quote(`[${index}]`)];
      if (index < shape.required) {
        this.shape(item, `${value}[${index}]`, itemPath);
      } else {
        this.block(`if (${value}.length > ${index}) {`, () =>
          this.shape(item, `${value}[${index}]`, itemPath),
        );
      }
    }
    if (shape.rest !== null) {
      this.items(shape.rest, value, String(shape.items.length), path);
    }
  }

  private property(property: PropertyShape, value: string, path: readonly string[]): void {
    const { name, shape } = property;
    if (property.optional && shape.kind === "json") {
      return;
    }
    // Every object inherits a few names; for those only a property of its own counts.
    const read = name in {} ? `own(${value}, ${quote(name)})` : propertyAccess(value, name);
    const field = this.variable("field");
    const fieldPath = [...path, quote(`.${name}`)];
    this.line(`const ${field} = ${read};`);
    if (property.optional) {
      this.block(`if (${field} !== undefined) {`, () => this.shape(shape, field, fieldPath));
    } else {
      this.shape(shape, field, fieldPath);
    }
  }

  private additional(
    shape: Extract<TypeShape, { kind: "object" }>,
    value: string,
    path: readonly string[],
  ): void {
    const further = shape.additional;
    if (further === null || further.kind === "json") {
      return;
    }
    const key = this.variable("key");
    this.block(`for (const ${key} of Object.keys(${value})) {`, () => {
      for (const property of shape.properties) {
        this.line(`if (${key} === ${quote(property.name)}) continue;`);
      }
      const item = this.variable("item");
      this.line(`const ${item} = ${value}[${key}];`);
      this.shape(further, item, [...path, quote("."), `clip(${key})`]);
    });
  }

  private block(open: string, body: () => void): void {
    this.line(open);
    this.depth++;
    body();
    this.depth--;
    this.line("}");
  }

  private variable(kind: string): string {
    return `${kind}${++this.variables}`;
  }

  private line(text: string): void {
    this.text += `${"  ".repeat(this.depth)}${text}\n`;
  }
}

/** Joins the texts of string expressions, merging neighbouring literals. */
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
