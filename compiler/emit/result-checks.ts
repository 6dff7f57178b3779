// Emits checks of results: a fraction where the type is `int` is an error, because clients in other
// languages cannot read it. Only positions that lead to an `int` are visited. A check returns null
// or the message; paths are built only for faults.

import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { propertyAccess, quote } from "./text.js";

type ShapeOfKind<K extends TypeShape["kind"]> = Extract<TypeShape, { kind: K }>;

export class ResultChecks {
  readonly #types: TypeTable;
  readonly #names = new Map<string, string>();
  readonly #texts: string[] = [];
  #variables = 0;

  constructor(types: TypeTable) {
    this.#types = types;
  }

  /** Name of the function that checks a result; null if nothing in it is an `int`. */
  functionFor(shape: TypeShape): string | null {
    return this.#leadsToInt(shape) ? this.#function(shape) : null;
  }

  /** All functions so far. */
  emit(): string {
    return this.#texts.join("\n");
  }

  #function(shape: TypeShape): string {
    const key = JSON.stringify(shape);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = `int_${this.#names.size + 1}_`;
    this.#names.set(key, name);
    // Reserves its position, because it may refer to itself.
    const index = this.#texts.push("") - 1;
    const resolved = shape.kind === "ref" ? this.#types[shape.name]! : shape;
    const body = this.#statements(resolved, "value", "path").map((line) => `  ${line}\n`);
    const head = `function ${name}(value, path, depth) {\n  if (isTooDeep(depth)) return null;\n`;
    this.#texts[index] = `${head}${body.join("")}  return null;\n}\n`;
    return name;
  }

  #leadsToInt(shape: TypeShape): boolean {
    return listShapeParts(shape, (name) => this.#types[name]!).some(({ kind }) => kind === "int");
  }

  /** @param path expression for the path of `value` */
  #statements(shape: TypeShape, value: string, path: string): string[] {
    switch (shape.kind) {
      case "int":
        return [`if (isFraction(${value})) return integerFault(${path}, ${value});`];
      case "limited":
        return this.#statements(shape.base, value, path);
      case "array":
        return this.#items(shape.items, value, path);
      case "tuple":
        return this.#tuple(shape, value, path);
      case "object":
        return this.#object(shape, value, path);
      case "union":
        return this.#union(shape, value, path);
      default:
        return this.#call(shape, value, path);
    }
  }

  #call(shape: TypeShape, value: string, path: string): string[] {
    if (!this.#leadsToInt(shape)) return [];
    const fault = this.#variable("fault");
    return [
      `const ${fault} = ${this.#function(shape)}(${value}, ${path}, depth + 1);`,
      `if (${fault} !== null) return ${fault};`,
    ];
  }

  /** Functions for nested shapes, so that bodies do not nest. */
  #inner(shape: TypeShape, value: string, path: string): string[] {
    const isPlain = shape.kind === "int" || shape.kind === "limited";
    return isPlain ? this.#statements(shape, value, path) : this.#call(shape, value, path);
  }

  #items(items: TypeShape, value: string, path: string, from = 0): string[] {
    if (!this.#leadsToInt(items)) return [];
    const [list, index] = [this.#variable("list"), this.#variable("i")];
    const inner = this.#inner(items, `${list}[${index}]`, `\`\${${path}}[\${${index}}]\``);
    return [
      `const ${list} = listItems(${value});`,
      `for (let ${index} = ${from}; ${index} < ${list}.length; ${index}++) {`,
      ...inner.map((line) => `  ${line}`),
      "}",
    ];
  }

  #tuple({ items, rest }: ShapeOfKind<"tuple">, value: string, path: string): string[] {
    const list = this.#variable("list");
    const itemChecks = items.flatMap((item, index) =>
      this.#leadsToInt(item)
        ? this.#inner(item, `${list}[${index}]`, `${path} + ${quote(`[${index}]`)}`)
        : [],
    );
    const others = rest === null ? [] : this.#items(rest, value, path, items.length);
    return [
      ...(itemChecks.length > 0 ? [`const ${list} = listItems(${value});`] : []),
      ...itemChecks,
      ...others,
    ];
  }

  #object({ properties, additional }: ShapeOfKind<"object">, value: string, path: string) {
    const fields = this.#variable("fields");
    const propertyChecks = properties.flatMap(({ name, shape }) =>
      this.#leadsToInt(shape)
        ? this.#inner(shape, propertyAccess(fields, name), `${path} + ${quote(`.${name}`)}`)
        : [],
    );
    const others = additional === null ? [] : this.#others(additional, properties, fields, path);
    const lines = [...propertyChecks, ...others].map((line) => `  ${line}`);
    if (lines.length === 0) return [];
    return [`const ${fields} = readFields(${value});`, `if (${fields} !== null) {`, ...lines, "}"];
  }

  #others(
    shape: TypeShape,
    properties: ShapeOfKind<"object">["properties"],
    fields: string,
    path: string,
  ): string[] {
    if (!this.#leadsToInt(shape)) return [];
    const key = this.#variable("key");
    const inner = this.#inner(shape, `${fields}[${key}]`, `\`\${${path}}.\${${key}}\``);
    return [
      `for (const ${key} of Object.keys(${fields})) {`,
      ...properties.map(({ name }) => `  if (${key} === ${quote(name)}) continue;`),
      ...inner.map((line) => `  ${line}`),
      "}",
    ];
  }

  /** A union is at fault if all its members are; a member without an `int` never is. */
  #union({ members }: ShapeOfKind<"union">, value: string, path: string): string[] {
    const others = members.filter((member) => !isScalar(member) || isNumeric(member));
    if (others.length === 0 || !others.every((member) => this.#leadsToInt(member))) return [];
    const faults = others.map((member) => {
      const fault = this.#variable("fault");
      return {
        fault,
        line: `const ${fault} = ${this.#function(member)}(${value}, ${path}, depth + 1);`,
      };
    });
    const all = faults.map(({ fault }) => `${fault} !== null`).join(" && ");
    return [...faults.map(({ line }) => line), `if (${all}) return ${faults[0]!.fault};`];
  }

  #variable(kind: string): string {
    return `${kind}${++this.#variables}`;
  }
}

const SCALARS: ReadonlySet<TypeShape["kind"]> = new Set([
  ...(["int", "float", "str", "bytes", "bool", "null", "literal", "pattern"] as const),
]);

function isScalar({ kind }: TypeShape): boolean {
  return SCALARS.has(kind);
}

/** Condition for a number that only this member can explain. */
function isNumeric(shape: TypeShape): boolean {
  if (shape.kind === "literal") return typeof shape.value === "number";
  return shape.kind === "int" || shape.kind === "float";
}
