// The types that parameters are declared with. Each name is a TypeScript type, which the compiler
// reads, and a run-time value, which `addPlugin` and `PluginResponse` take.

import type { FormatName } from "../../../argspec/limits/formats.js";
import type { Wire } from "../../../argspec/wire.js";
import { Float } from "../../base/float.js";

// An optional symbol property is a brand that plain numbers can still be assigned to.
declare const brand: unique symbol;

/** An integer within the safe range. */
export type int = number & { readonly [brand]?: "int" };
/** Any finite number, including an `int`. */
export type float = number & { readonly [brand]?: "int" | "float" };
/** Text. */
export type str = string;
/** Raw bytes. */
export type bytes = Uint8Array;
/** Any value that JSON can represent. */
export type json = null | boolean | number | string | json[] | { [key: string]: json };

// Constraints as part of a type, such as `int & Minimum<1> & Maximum<9>`. Unlike tags in comments,
// they apply wherever the type is used. Their names are those of the tags and of JSON Schema.
declare const limits: unique symbol;
/** A type with constraints; its symbol property never exists at run time. */
export type Limited<L> = { readonly [limits]?: L };

/** Numbers of at least `N`. */
export type Minimum<N extends number> = Limited<{ readonly minimum: N }>;
/** Numbers of at most `N`. */
export type Maximum<N extends number> = Limited<{ readonly maximum: N }>;
/** Numbers above `N`. */
export type ExclusiveMinimum<N extends number> = Limited<{ readonly exclusiveMinimum: N }>;
/** Numbers below `N`. */
export type ExclusiveMaximum<N extends number> = Limited<{ readonly exclusiveMaximum: N }>;
/** Multiples of `N`, which is above 0. */
export type MultipleOf<N extends number> = Limited<{ readonly multipleOf: N }>;
/** Text of at least `N` characters. */
export type MinLength<N extends number> = Limited<{ readonly minLength: N }>;
/** Text of at most `N` characters. */
export type MaxLength<N extends number> = Limited<{ readonly maxLength: N }>;
/** Text in which the regular expression `P` matches; it must run in linear time. */
export type Pattern<P extends string> = Limited<{ readonly pattern: P }>;
/** Text of a format such as `date-time`, `email` or `uuid`. */
export type Format<F extends FormatName> = Limited<{ readonly format: F }>;
/** Lists of at least `N` items. */
export type MinItems<N extends number> = Limited<{ readonly minItems: N }>;
/** Lists of at most `N` items. */
export type MaxItems<N extends number> = Limited<{ readonly maxItems: N }>;
/** Lists in which no item occurs twice. */
export type UniqueItems = Limited<{ readonly uniqueItems: true }>;

/** Names a parameter type or a key type at run time. */
export class Converter<T> {
  /** Carries `T` to the type checker; never set. */
  declare readonly type?: T;
  /** @internal */
  constructor(readonly wire: Wire) {
    Object.freeze(this);
  }

  toString(): string {
    return this.wire;
  }
}

export const int: Converter<int> = new Converter("int");
/** A call returns a number that graphs store as a float, even if it is integral. */
export const float: Converter<float> & ((value: number) => Float) = callable(
  new Converter<float>("float"),
  (value: number) => Object.freeze(new Float(value)),
);
export const str: Converter<str> = new Converter("str");
export const bytes: Converter<bytes> = new Converter("bytes");
export const json: Converter<json> = new Converter("json");

/** The same converter, as a function. */
function callable<T, F extends (value: number) => object>(
  converter: Converter<T>,
  call: F,
): Converter<T> & F {
  const callable = Object.setPrototypeOf(call, Converter.prototype) as Converter<T> & F;
  return Object.freeze(Object.assign(callable, { wire: converter.wire }));
}
