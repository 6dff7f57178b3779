// The JSON values of a TypeScript type, independent of the syntax of the type. Named types become
// `ref`s into one table, which preserves recursion and sharing. Values of some classes have a JSON
// representation; `valueClass` is the class that the program uses.

import type { Limits } from "../../argspec/limits/limits.js";
import type { TextValueClass } from "../../argspec/typed/value-classes.js";
import type { ModuleExport } from "./module-export.js";

export type TypeShape =
  | { readonly kind: "int" | "float" | "str" | "bytes" | "bool" | "null" | "json" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  /** Template literal types: `source` is an anchored regular expression. */
  | { readonly kind: "pattern"; readonly source: string }
  | { readonly kind: "array"; readonly items: TypeShape; readonly valueClass?: "Set" | "Map" }
  | {
      readonly kind: "tuple";
      readonly items: readonly TypeShape[];
      /** Number of required `items`. */
      readonly required: number;
      readonly rest: TypeShape | null;
    }
  | {
      readonly kind: "object";
      readonly properties: readonly PropertyShape[];
      /** Shape of additional values (index signature, Record); null if there are none. */
      readonly additional: TypeShape | null;
      /** Anchored regular expression of their keys; absent: any key. */
      readonly keys?: string;
      /** Further limits of their keys; absent: none. */
      readonly keyLimits?: Limits;
      readonly valueClass?: "Map";
      /** Keys of the Map are numbers, written as text. */
      readonly hasNumberKeys?: true;
    }
  | { readonly kind: "union"; readonly members: readonly TypeShape[] }
  /** Values of `base` within `limits`, all of which apply to its kind. */
  | {
      readonly kind: "limited";
      readonly base: TypeShape;
      readonly limits: Limits;
      readonly valueClass?: TextValueClass;
      /** Class whose `fromJSON` creates the value of an argument. */
      readonly maker?: ModuleExport;
      /** Class in `Temporal` whose `from` creates the value of an argument. */
      readonly temporal?: string;
      /** Set if the argument is a `Buffer`. */
      readonly isBuffer?: true;
    }
  | { readonly kind: "ref"; readonly name: string };

export interface PropertyShape {
  readonly name: string;
  readonly optional: boolean;
  readonly shape: TypeShape;
  readonly description: string;
  readonly deprecated?: true;
}

/** Documentation of a named type. */
export type NamedTypeShape = TypeShape & {
  readonly description?: string;
  readonly deprecated?: true;
};

/** Named types of a build by their unique name, sorted by name. */
export type TypeTable = Readonly<Record<string, NamedTypeShape>>;
