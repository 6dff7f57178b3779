// Decides whether a value that is known at build time fits a shape, and locates the fault if not.
// Equivalent to the checks that `emit/check-body.ts` generates for run time.

import { type Limits, limitCheck } from "../../argspec/limits/limits.js";
import { describeShape } from "../emit/describe-shape.js";
import { type Composite, findTag, sortMembers } from "../emit/union-members.js";
import { UNKNOWN_VALUE, type ValuePath } from "../record/example-value.js";
import { isObject, isScalarValue } from "../record/scalar-value.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";

export type ShapeFault =
  | { readonly kind: "value"; readonly path: ValuePath; readonly required: string }
  /** The object at `path` has no property of this name. */
  | {
      readonly kind: "key";
      readonly path: ValuePath;
      readonly key: string;
      readonly known: readonly string[];
    };

type ValueFault = Extract<ShapeFault, { kind: "value" }>;
type Fields = Readonly<Record<string, unknown>>;
type ObjectShape = Extract<TypeShape, { kind: "object" }>;
type TupleShape = Extract<TypeShape, { kind: "tuple" }>;

export class ShapeRule {
  readonly #types: TypeTable;
  readonly #hasOpenObjects: boolean;

  /** @param objects whether objects may have properties that their type does not name */
  constructor(types: TypeTable, objects: "open" | "closed") {
    this.#types = types;
    this.#hasOpenObjects = objects === "open";
  }

  /** Returns null if the value fits. */
  fault(shape: TypeShape, value: unknown, path: ValuePath = []): ShapeFault | null {
    if (value === UNKNOWN_VALUE) return null;
    switch (shape.kind) {
      case "ref":
        return this.fault(this.#types[shape.name]!, value, path);
      case "limited": {
        const fault = this.fault(shape.base, value, path);
        return fault ?? limitFault(shape.limits, value, path);
      }
      case "array":
        if (!Array.isArray(value)) return this.#kindFault(shape, path);
        return first(value, (item, index) => this.fault(shape.items, item, [...path, index]));
      case "tuple":
        return Array.isArray(value)
          ? this.#tuple(shape, value, path)
          : this.#kindFault(shape, path);
      case "object":
        return isObject(value) ? this.#object(shape, value, path) : this.#kindFault(shape, path);
      case "union":
        return this.#union(shape.members, value, path);
      default:
        return isScalarValue(shape, value) ? null : this.#kindFault(shape, path);
    }
  }

  /** Resolves a ref. */
  resolve(shape: TypeShape): TypeShape {
    return shape.kind === "ref" ? this.resolve(this.#types[shape.name]!) : shape;
  }

  #tuple(shape: TupleShape, values: readonly unknown[], path: ValuePath): ShapeFault | null {
    const { items, required, rest } = shape;
    if (values.length < required || (rest === null && values.length > items.length)) {
      return this.#kindFault(shape, path);
    }
    return first(values, (value, index) =>
      this.fault(items[index] ?? rest!, value, [...path, index]),
    );
  }

  #object(shape: ObjectShape, value: Fields, path: ValuePath): ShapeFault | null {
    const { properties, additional, keys, keyLimits } = shape;
    const propertyFault = first(properties, ({ name, optional, shape: part }) => {
      if (!Object.hasOwn(value, name))
        return optional ? null : this.#kindFault(part, [...path, name]);
      return this.fault(part, value[name], [...path, name]);
    });
    if (propertyFault !== null) return propertyFault;
    const known = properties.map(({ name }) => name);
    const others = Object.keys(value).filter((key) => !known.includes(key));
    return first(others, (key) => {
      if (additional !== null && keys !== undefined && !new RegExp(keys, "s").test(key)) {
        return { kind: "value", path: [...path, key], required: `a key like ${keys}` };
      }
      const fault = keyLimits && limitFault(keyLimits, key, [...path, key]);
      if (additional !== null && fault) return { ...fault, required: `${fault.required} as key` };
      if (additional !== null) return this.fault(additional, value[key], [...path, key]);
      return this.#hasOpenObjects ? null : { kind: "key", path, key, known };
    });
  }

  #kindFault(shape: TypeShape, path: ValuePath): ShapeFault {
    return { kind: "value", path, required: describeShape(this, shape) };
  }

  #union(shapes: readonly TypeShape[], value: unknown, path: ValuePath): ShapeFault | null {
    const { objects, arrays, others } = sortMembers(this, shapes);
    if (others.some((member) => this.fault(member, value) === null)) return null;
    const fault = this.#kindFault({ kind: "union", members: shapes }, path);
    if (Array.isArray(value)) return this.#oneOf(arrays, value, path, fault);
    if (!isObject(value)) return fault;
    const tag = objects.length > 1 ? findTag(this, objects) : null;
    if (tag === null) return this.#oneOf(objects, value, path, fault);
    const word = value[tag.name];
    const member = objects.find((shape) => tag.values.get(shape)!.some((value) => value === word));
    if (member !== undefined) return this.fault(member, value, path);
    if (word === UNKNOWN_VALUE) return null;
    const words = objects.flatMap((shape) => tag.values.get(shape)!);
    const members = words.map((word): TypeShape => ({ kind: "literal", value: word }));
    return this.#kindFault({ kind: "union", members }, [...path, tag.name]);
  }

  /** @param fault for a value that fits none of several indistinguishable members */
  #oneOf(
    shapes: readonly Composite[],
    value: unknown,
    path: ValuePath,
    fault: ShapeFault,
  ): ShapeFault | null {
    const [only] = shapes;
    if (shapes.length === 1) return this.fault(only!, value, path);
    // A property that is unknown to one member may belong to another.
    const rule = new ShapeRule(this.#types, "open");
    return shapes.some((shape) => rule.fault(shape, value) === null) ? null : fault;
  }
}

/** Returns the first problem, in the order of the items. */
function first<T>(
  parts: readonly T[],
  faultOf: (part: T, index: number) => ShapeFault | null,
): ShapeFault | null {
  for (const [index, part] of parts.entries()) {
    const fault = faultOf(part, index);
    if (fault !== null) return fault;
  }
  return null;
}

function limitFault(limits: Limits, value: unknown, path: ValuePath): ValueFault | null {
  const required = limitCheck(limits)(value);
  if (required === null) return null;
  return {
    kind: "value",
    path,
    required: required.replace(/^ \((.*) (is|are) required\)$/, "$1"),
  };
}
