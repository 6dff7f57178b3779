// Builds plans, which describe the class instances within a type and their JSON forms. Types of the
// compiler and JSON schemas share this code through a `View`.
//
// The plans of a union's members are merged into one each for strings, arrays and objects, because
// the kind of JSON distinguishes the members. If several members share a kind, a property with
// literals selects one. Without such a property, the value stays JSON and its path is reported.

import type { FieldsPlan, ListPlan, Plan } from "../../client/typescript/operation.js";

export type { Plan };

import type { TextValueClass } from "./value-classes.js";

export type View<T> =
  | { readonly kind: "null" }
  /** A number, a boolean or any JSON. */
  | { readonly kind: "plain" }
  | { readonly kind: "text"; readonly to?: TextValueClass }
  | { readonly kind: "literal"; readonly value: unknown }
  | ListView<T>
  | FieldsView<T>
  | { readonly kind: "union"; readonly members: readonly T[] }
  | { readonly kind: "ref"; readonly name: string; readonly type: T }
  | { readonly kind: "made"; readonly base: T; readonly make: NonNullable<Plan["make"]> };

export interface ListView<T> {
  readonly kind: "list";
  readonly first: readonly T[];
  readonly items: T | null;
  readonly to?: "Set" | "Map" | undefined;
}

export interface FieldsView<T> {
  readonly kind: "fields";
  readonly properties: readonly (readonly [name: string, type: T])[];
  readonly others: T | null;
  readonly to?: "Map" | undefined;
  readonly numbers?: true | undefined;
}

/** A part of a type whose class instances cannot be distinguished from other values. */
export interface PlanConflict {
  readonly path: string;
  readonly words: readonly string[];
}

export class PlanBuilder<T> {
  readonly #viewOf: (type: T) => View<T>;
  readonly #isConverted: (view: View<T>) => boolean;
  /** Shared plans, by the names of the types that they are for. */
  readonly #numbers = new Map<string, number>();
  /** Names of types without values of classes. */
  readonly #plain = new Set<string>();
  readonly plans: Plan[] = [];
  readonly conflicts: PlanConflict[] = [];

  /** @param isConverted whether values of a view itself are converted */
  constructor(viewOf: (type: T) => View<T>, isConverted: (view: View<T>) => boolean) {
    this.#viewOf = viewOf;
    this.#isConverted = isConverted;
  }

  /** Returns null for a type without values of classes. */
  build(type: T, path = ""): Plan | null {
    return this.#planOf([type], path);
  }

  #planOf(types: readonly T[], path: string): Plan | null {
    const seen = new Set<string>();
    if (!types.some((type) => this.#leads(type, seen))) {
      for (const name of seen) this.#plain.add(name);
      return null;
    }
    const views = this.#flatten(types);
    const names = views.map((view) => (view.kind === "ref" ? view.name : null));
    if (views.length === 0 || names.includes(null)) return this.#merged(views, path);
    return { ref: this.#shared(views as readonly RefView<T>[], path) };
  }

  #shared(views: readonly RefView<T>[], path: string): number {
    const key = [...new Set(views.map(({ name }) => name))].sort().join("|");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.plans.push({}) - 1;
    this.#numbers.set(key, number);
    this.plans[number] = this.#merged(views, path);
    return number;
  }

  /** Returns the members of unions except null. */
  #flatten(types: readonly T[]): readonly View<T>[] {
    return types.flatMap((type): readonly View<T>[] => {
      const view = this.#viewOf(type);
      if (view.kind === "union") return this.#flatten(view.members);
      return view.kind === "null" ? [] : [view];
    });
  }

  #resolved(view: View<T>): readonly View<T>[] {
    if (view.kind !== "ref") return [view];
    return this.#flatten([view.type]).flatMap((type) => this.#resolved(type));
  }

  #merged(members: readonly View<T>[], path: string): Plan {
    const views = members.flatMap((view) => this.#resolved(view));
    const [only] = views;
    if (views.length === 1 && only!.kind === "made") {
      return { ...this.#planOf([only!.base], path), make: only!.make };
    }
    if (views.some(({ kind }) => kind === "made")) {
      this.conflicts.push({ path, words: ["an instance of a class"] });
      return {};
    }
    const text = this.#text(views, path);
    const list = this.#list(views.filter(isList), path);
    const fields = this.#fields(views.filter(isFields), path);
    return { ...(text && { text }), ...(list && { list }), ...(fields && { fields }) };
  }

  #text(views: readonly View<T>[], path: string): TextValueClass | undefined {
    const classes = views.flatMap((view) => {
      if (view.kind === "text") return [view.to];
      return view.kind === "literal" && typeof view.value === "string" ? [undefined] : [];
    });
    return this.#same(classes, path);
  }

  /** Returns what all have in common, and reports a difference. */
  #same<C extends string>(classes: readonly (C | undefined)[], path: string): C | undefined {
    const all = new Set(classes);
    if (all.size <= 1) return classes[0];
    this.conflicts.push({ path, words: [...all].filter((word) => word !== undefined) });
    return undefined;
  }

  #list(views: readonly ListView<T>[], path: string): ListPlan | null {
    if (views.length === 0) return null;
    const to = this.#same(
      views.map((view) => view.to),
      path,
    );
    const length = Math.max(...views.map(({ first }) => first.length));
    const at = (index: number) => views.flatMap(({ first, items }) => first[index] ?? items ?? []);
    const first = Array.from({ length }, (_, index) =>
      this.#planOf(at(index), `${path}[${index}]`),
    );
    const items = this.#planOf(at(length), `${path}[]`);
    const isPlain = first.every((plan) => plan === null);
    if (to === undefined && items === null && isPlain) return null;
    return { ...(!isPlain && { first }), ...(items && { items }), ...(to && { to }) };
  }

  #fields(views: readonly FieldsView<T>[], path: string): FieldsPlan | null {
    if (views.length === 0) return null;
    const before = this.conflicts.length;
    const merged = this.#mergedFields(views, path);
    if (this.conflicts.length === before || views.length === 1) return merged;
    const cases = this.#cases(views);
    if (cases === null) return merged;
    this.conflicts.length = before;
    const plans = [...cases.of].map(([word, view]): [string, FieldsPlan] => [
      word,
      this.#mergedFields([view], path) ?? {},
    ]);
    return { tag: cases.tag, cases: Object.fromEntries(plans) };
  }

  #mergedFields(views: readonly FieldsView<T>[], path: string): FieldsPlan | null {
    const to = this.#same(
      views.map((view) => view.to),
      path,
    );
    const names = [...new Set(views.flatMap(({ properties }) => properties.map(([name]) => name)))];
    const others = this.#planOf(
      views.flatMap((view) => view.others ?? []),
      `${path}[key]`,
    );
    const known = names.flatMap((name): [string, Plan | null][] => {
      const types = views.flatMap(({ properties, others: rest }) => {
        const property = properties.find(([key]) => key === name);
        return property ? [property[1]] : (rest ?? []);
      });
      const plan = this.#planOf(types as readonly T[], `${path}.${name}`);
      return plan === null && others === null ? [] : [[name, plan]];
    });
    if (to === undefined && others === null && known.length === 0) return null;
    const numbers = views.every((view) => view.numbers);
    return {
      ...(known.length > 0 && { known: Object.fromEntries(known) }),
      ...(others && { others }),
      ...(to && { to }),
      ...(numbers && { numbers }),
    };
  }

  /** Finds a property whose literals differ between all members. */
  #cases(views: readonly FieldsView<T>[]) {
    for (const [tag] of views[0]!.properties) {
      const words = views.flatMap((view) =>
        this.#literals(view, tag).map((word) => ({ word, view })),
      );
      const isIn = (view: FieldsView<T>) => words.some((entry) => entry.view === view);
      const of = new Map(words.map(({ word, view }) => [word, view]));
      if (views.every(isIn) && of.size === words.length) return { tag, of };
    }
    return null;
  }

  #literals({ properties }: FieldsView<T>, name: string): readonly string[] {
    const property = properties.find(([key]) => key === name);
    if (property === undefined) return [];
    const views = this.#flatten([property[1]]).flatMap((view) => this.#resolved(view));
    const texts = views.map((view) => (view.kind === "literal" ? String(view.value) : null));
    return texts.includes(null) ? [] : (texts as readonly string[]);
  }

  /** Returns whether a type has values of classes; those in `seen` have been searched. */
  #leads(type: T, seen: Set<string>): boolean {
    const view = this.#viewOf(type);
    if (this.#isConverted(view)) return true;
    if (view.kind !== "ref") return partsOf(view).some((part) => this.#leads(part, seen));
    if (seen.has(view.name) || this.#plain.has(view.name)) return false;
    return this.#leads(view.type, seen.add(view.name));
  }
}

type RefView<T> = Extract<View<T>, { kind: "ref" }>;

function isList<T>(view: View<T>): view is ListView<T> {
  return view.kind === "list";
}

function isFields<T>(view: View<T>): view is FieldsView<T> {
  return view.kind === "fields";
}

function partsOf<T>(view: View<T>): readonly T[] {
  switch (view.kind) {
    case "list":
      return [...view.first, ...(view.items === null ? [] : [view.items])];
    case "fields": {
      const types = view.properties.map(([, type]) => type);
      return view.others === null ? types : [...types, view.others];
    }
    case "union":
      return view.members;
    case "made":
      return [view.base];
    default:
      return [];
  }
}
