// Types of the compiler as `PlanBuilder` sees them, and the text of plans in generated code.

import { type Plan, PlanBuilder, type View } from "../../argspec/typed/build-plans.js";
import type { ModuleExport } from "../record/module-export.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { jsonText, propertyKey } from "./text.js";

type ShapeView = View<TypeShape>;
type Direction = "arguments" | "results";

export function shapePlans(types: TypeTable, direction: Direction): PlanBuilder<TypeShape> {
  const isConverted = direction === "arguments" ? isArgument : isUnlikeJson;
  return new PlanBuilder((shape) => shapeView(shape, types, direction), isConverted);
}

function isArgument(view: ShapeView): boolean {
  return view.kind === "made" || ("to" in view && view.to !== undefined);
}

/** Results that are written in another form without a plan. */
function isUnlikeJson(view: ShapeView): boolean {
  if (view.kind === "list") return view.to === "Map";
  return view.kind === "text" && (view.to === "bigint" || view.to === "Uint8Array");
}

function shapeView(shape: TypeShape, types: TypeTable, direction: Direction): ShapeView {
  switch (shape.kind) {
    case "str":
    case "bytes":
    case "pattern":
      return { kind: "text" };
    case "literal":
      return { kind: "literal", value: shape.value };
    case "null":
      return { kind: "null" };
    case "array":
      return { kind: "list", first: [], items: shape.items, to: shape.valueClass };
    case "tuple":
      return { kind: "list", first: shape.items, items: shape.rest };
    case "object": {
      const properties = shape.properties.map(
        (property) => [property.name, property.shape] as const,
      );
      const { additional: others, valueClass: to, hasNumberKeys: numbers } = shape;
      return { kind: "fields", properties, others, to, numbers };
    }
    case "union":
      return { kind: "union", members: shape.members };
    case "limited":
      if (shape.maker) {
        // Its place in the text of a plan is filled by `planText`.
        const make = shape.maker as unknown as NonNullable<Plan["make"]>;
        return { kind: "made", base: shape.base, make };
      }
      if (shape.temporal && direction === "arguments") {
        const make = { temporal: shape.temporal } as unknown as NonNullable<Plan["make"]>;
        return { kind: "made", base: shape.base, make };
      }
      if (shape.isBuffer && direction === "arguments") {
        const { isBuffer, ...base } = shape;
        return { kind: "made", base, make: { isBuffer } as unknown as NonNullable<Plan["make"]> };
      }
      if (shape.valueClass) return { kind: "text", to: shape.valueClass };
      return shapeView(shape.base, types, direction);
    case "ref":
      return { kind: "ref", name: shape.name, type: types[shape.name]! };
    default:
      return { kind: "plain" };
  }
}

/** @param reference returns the expression of a class */
export function planText(plan: unknown, reference: (entry: ModuleExport) => string): string {
  if (Array.isArray(plan)) return `[${plan.map((item) => planText(item, reference)).join(", ")}]`;
  if (typeof plan !== "object" || plan === null) return jsonText(plan);
  // Properties of users can have these names: their plans are objects.
  const { temporal, isBuffer } = plan as Readonly<Record<string, unknown>>;
  if (typeof temporal === "string") return `temporalClass(${jsonText(temporal)})`;
  if (isBuffer === true) return "{ fromJSON: (bytes) => toBuffer(bytes) }";
  const members = Object.entries(plan).map(([key, part]) => {
    const isClass = key === "make" && isModuleExport(part);
    return `${propertyKey(key)}: ${isClass ? reference(part) : planText(part, reference)}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function isModuleExport(value: unknown): value is ModuleExport {
  return typeof (value as ModuleExport | null)?.exportPath === "string";
}
