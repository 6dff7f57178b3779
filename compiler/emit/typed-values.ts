// Emits the conversion of class instances: from JSON in arguments, to JSON in results. Other types
// need no conversion.

import type { Plan, PlanBuilder } from "../../argspec/typed/build-plans.js";
import type { PluginRecord, ResultRecord } from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import type { PluginModules } from "./modules.js";
import { planText, shapePlans } from "./shape-view.js";

export class TypedValues {
  readonly #modules: PluginModules;
  readonly #arguments: PlanBuilder<TypeShape>;
  readonly #results: PlanBuilder<TypeShape>;
  /** Names of converters by their expressions. */
  readonly #converters = new Map<string, string>();
  #hasResults = false;

  constructor(types: TypeTable, modules: PluginModules) {
    this.#modules = modules;
    this.#arguments = shapePlans(types, "arguments");
    this.#results = shapePlans(types, "results");
  }

  /** Returns an expression that converts the JSON in `value`; `value` itself if nothing differs. */
  argument(shape: TypeShape | null, value: string, name: string): string {
    const plan = shape && this.#arguments.build(shape);
    if (plan === null) return value;
    const expression = `typedArgument(${this.#text(plan)}, argumentPlans_)`;
    const converter = this.#converters.get(expression) ?? `typed_${this.#converters.size + 1}_`;
    this.#converters.set(expression, converter);
    return `${converter}(${value}, ${name})`;
  }

  /** Returns an expression of the function that converts a result; null if nothing differs. */
  result(result: ResultRecord): string | null {
    const shape = valueShape(result);
    const plan = shape && this.#results.build(shape);
    if (plan === null) return null;
    this.#hasResults = true;
    return `typedResult(${this.#text(plan)}, resultPlans_)`;
  }

  /** All converters so far, and what they share. */
  emit(): string {
    const lists = [
      ["argumentPlans_", this.#arguments.plans, this.#converters.size > 0],
      ["resultPlans_", this.#results.plans, this.#hasResults],
    ] as const;
    const shared = lists.map(([name, plans, isUsed]) =>
      isUsed ? `const ${name} = ${this.#text(plans)};\n` : "",
    );
    const converters = [...this.#converters].map(([text, name]) => `const ${name} = ${text};\n`);
    return [...shared, ...converters].join("");
  }

  #text(plans: Plan | readonly Plan[]): string {
    return planText(plans, (entry) => this.#modules.reference(entry));
  }
}

/** Returns whether a result has values of classes that JSON would show in another form. */
export function isTypedResult({ result }: PluginRecord, types: TypeTable): boolean {
  const shape = valueShape(result);
  return shape !== null && shapePlans(types, "results").build(shape) !== null;
}

/** Returns the shape of a result, or of an item. */
function valueShape({ kind, shape }: ResultRecord): TypeShape | null {
  if (kind === "response") return (shape?.kind === "tuple" && shape.items[1]) || null;
  return kind === "value" || kind === "stream" || kind === "http" ? shape : null;
}
