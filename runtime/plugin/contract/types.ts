// The types that parameters are declared with. Each name is a TypeScript type, which the compiler
// reads, and a run-time value, which `addPlugin` and `PluginResponse` take.

import type { Wire } from "../../../argspec/wire.js";
import { Float } from "../../base/float.js";

// An optional symbol property is a brand that plain numbers can still be assigned to.
declare const brand: unique symbol;

/** A whole number within the safe integers. */
export type int = number & { readonly [brand]?: "int" };
/** Any finite number; an `int` is one too. */
export type float = number & { readonly [brand]?: "int" | "float" };
/** Text. */
export type str = string;
/** Raw bytes. */
export type bytes = Uint8Array;
/** Whatever JSON can carry. */
export type json = null | boolean | number | string | json[] | { [key: string]: json };

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
/** Called, it gives a number that properties of graphs keep as a float, integral or not. */
export const float: Converter<float> & ((value: number) => Float) = callable(
  new Converter<float>("float"),
  (value: number) => new Float(value),
);
export const str: Converter<str> = new Converter("str");
export const bytes: Converter<bytes> = new Converter("bytes");
export const json: Converter<json> = new Converter("json");

/** The same converter, as a function. */
function callable<T, F extends (value: number) => object>(
  converter: Converter<T>,
  call: F,
): Converter<T> & F {
  const made = Object.setPrototypeOf(call, Converter.prototype) as Converter<T> & F;
  return Object.freeze(Object.assign(made, { wire: converter.wire }));
}
