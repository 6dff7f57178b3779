// Types of the properties that a literal `select` names: a key per item. Quoted strings, all
// properties (`*`) and commas within brackets are not analyzed; the properties then have their
// general type. Types only.

import type { ARC_ATTRIBUTES } from "../../store/attributes/arc-attributes.js";
import type { HitView } from "../../store/attributes/attribute.js";
import type { VERTEX_ATTRIBUTES } from "../../store/attributes/vertex-attributes.js";
import type { PropertyValue } from "../../store/property-values.js";

type Row = (typeof VERTEX_ATTRIBUTES)[number] | (typeof ARC_ATTRIBUTES)[number];

/** Values of attributes by name. */
type Attributes = {
  [R in Row as R["name"] & string]: R["read"] extends (hit: HitView) => infer V ? V : never;
};

type Open = { readonly [key: string]: PropertyValue };
type Blank = " " | "\n" | "\t" | "\r";
type Trim<T extends string> = T extends `${Blank}${infer R}`
  ? Trim<R>
  : T extends `${infer R}${Blank}`
    ? Trim<R>
    : T;

/** Items of a text; commas within brackets belong to the item. */
type Items<S extends string> = S extends `${infer A};${infer B}`
  ? Items<A> | Items<B>
  : S extends `${string}(${string}`
    ? Trim<S>
    : S extends `${infer A},${infer B}`
      ? Items<A> | Items<B>
      : Trim<S>;

/** True for texts that are not analyzed. */
type IsOpen<S extends string> = string extends S
  ? true
  : S extends `${string}${"'" | '"' | "[" | "{"}${string}`
    ? true
    : S extends `${string}(${string},${string}`
      ? true
      : S extends `${string},${string}(${string}`
        ? true
        : "*" extends Items<S>
          ? true
          : false;

type KeyOf<I extends string> = I extends `.${string}`
  ? I
  : I extends `${infer Label}:${string}`
    ? Trim<Label>
    : I extends `${infer Name}?${string}`
      ? Trim<Name>
      : I;
type ValueOf<K extends string> = K extends keyof Attributes
  ? Attributes[K]
  : K extends `.${string}`
    ? number
    : PropertyValue;

/** Properties of an entry by the text of `select`; any if there is none. */
export type Selected<S> = S extends string
  ? IsOpen<S> extends true
    ? Open
    : { readonly [K in KeyOf<Items<S>>]: ValueOf<K> }
  : Open;
