// Emits shape checks: one straight-line function per named type, shared by all plugins, and one per
// anonymous shape that needs it. A check returns null, or the position and the fault (`.x (a number
// is required)`); paths are built only for faults.

import type { Limits } from "../../argspec/limits/limits.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { CheckBody, type ShapeChecks } from "./check-body.js";
import { jsonText, quote } from "./text.js";

const NAMED = /^[A-Za-z0-9_]+$/;

/** Collects the checks that a file of converters needs. */
export class CheckFunctions implements ShapeChecks {
  readonly #types: TypeTable;
  readonly #named = new Map<string, string>();
  readonly #anonymous = new Map<string, string>();
  readonly #patterns = new Map<string, string>();
  readonly #limits = new Map<string, string>();
  readonly #alternatives = new Map<string, string>();
  readonly #texts: string[] = [];

  constructor(types: TypeTable) {
    this.#types = types;
  }

  /** Name of the function that checks a shape. */
  functionFor(shape: TypeShape): string {
    if (shape.kind === "ref") {
      return this.#namedFunction(shape.name);
    }
    const key = JSON.stringify(shape);
    const known = this.#anonymous.get(key);
    if (known !== undefined) {
      return known;
    }
    const name = `check_${this.#anonymous.size + 1}_`;
    this.#anonymous.set(key, name);
    this.#addFunction(name, "", shape);
    return name;
  }

  /** All functions so far, in the order of requests. */
  emit(): string {
    const constants = [
      ...[...this.#patterns].map(
        ([source, name]) => `const ${name} = new RegExp(${quote(source)}, "s");\n`,
      ),
      ...[...this.#limits].map(([text, name]) => `const ${name} = limitCheck(${text});\n`),
      ...[...this.#alternatives].map(
        ([check, name]) => `const ${name} = memoizedCheck(${check});\n`,
      ),
    ];
    return constants.join("") + (constants.length > 0 ? "\n" : "") + this.#texts.join("\n");
  }

  /**
   * Returns the name of a function that checks a shape and caches the result of each value.
   * Otherwise a value of a recursive union would be visited `2 ** depth` times: once for each
   * member on every level.
   */
  alternative(shape: TypeShape): string {
    const check = this.functionFor(shape);
    const name = this.#alternatives.get(check) ?? `try_${this.#alternatives.size + 1}_`;
    this.#alternatives.set(check, name);
    return name;
  }

  /** Name of the function that checks the limits of a value of the right kind. */
  limits(limits: Limits): string {
    const text = jsonText(limits);
    const name = this.#limits.get(text) ?? `limits_${this.#limits.size + 1}_`;
    this.#limits.set(text, name);
    return name;
  }

  /** Returns an expression that is true if `value` has the shape. */
  condition(shape: TypeShape, value: string): string {
    switch (shape.kind) {
      case "int":
        return `Number.isSafeInteger(${value})`;
      case "float":
        // JSON.parse reads 1e999 as Infinity, which is not a JSON number.
        return `Number.isFinite(${value})`;
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
        return `(typeof ${value} === "string" && ${this.#patternFor(shape.source)}.test(${value}))`;
      case "limited":
        if (Object.keys(shape.limits).length === 0) return this.condition(shape.base, value);
        return [
          `(${this.condition(shape.base, value)}`,
          `${this.limits(shape.limits)}(${value}) === null)`,
        ].join(" && ");
      case "union":
        return shape.members.map((member) => this.condition(member, value)).join(" || ");
      default:
        return `${this.functionFor(shape)}(${value}) === null`;
    }
  }

  /** Resolves a reference. */
  resolve(shape: TypeShape): TypeShape {
    return shape.kind === "ref" ? this.resolve(this.#shapeOf(shape.name)) : shape;
  }

  #shapeOf(type: string): TypeShape {
    const shape = this.#types[type];
    if (shape === undefined) {
      throw new Error(`type without a shape: ${type}`);
    }
    return shape;
  }

  #namedFunction(type: string): string {
    const known = this.#named.get(type);
    if (known !== undefined) {
      return known;
    }
    const shape = this.#shapeOf(type);
    const name = NAMED.test(type) ? `check_${type}` : `check_${this.#named.size + 1}`;
    this.#named.set(type, name);
    this.#addFunction(name, `// ${type}\n`, shape);
    return name;
  }

  #addFunction(name: string, comment: string, shape: TypeShape): void {
    // Reserve the position before the body requests further functions, so that callers come first.
    const index = this.#texts.push("") - 1;
    const body = new CheckBody(this).write(shape);
    this.#texts[index] = `${comment}function ${name}(value) {\n${body}  return null;\n}\n`;
  }

  #patternFor(source: string): string {
    const name = this.#patterns.get(source) ?? `pattern_${this.#patterns.size + 1}_`;
    this.#patterns.set(source, name);
    return name;
  }
}
