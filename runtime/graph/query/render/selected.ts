// What type the properties of an entry have that `select` names, where its text is written down:
// a key for each item. Texts in quotes, all properties (`*`) and commas within brackets are not
// followed: then properties are what they are without. Types only.

import type { PropertyValue } from "../../store/property-values.js";
import type { VectorComponents } from "../../vectors/vector-parts.js";

/** Attributes by how they are written; all others are numbers. */
interface Attributes {
  readonly ".id": string;
  readonly ".internalid": string;
  readonly ".type": string;
  readonly ".vector": VectorComponents;
  readonly ".arc.dir": string;
  readonly ".arc.type": string;
  readonly ".arc.mod": string;
}

type Open = { readonly [key: string]: PropertyValue };
type Blank = " " | "\n" | "\t" | "\r";
type Trim<T extends string> = T extends `${Blank}${infer R}`
  ? Trim<R>
  : T extends `${infer R}${Blank}`
    ? Trim<R>
    : T;

/** Items of a text; where there are brackets, commas are theirs. */
type Items<S extends string> = S extends `${infer A};${infer B}`
  ? Items<A> | Items<B>
  : S extends `${string}(${string}`
    ? Trim<S>
    : S extends `${infer A},${infer B}`
      ? Items<A> | Items<B>
      : Trim<S>;

/** True for what is not followed. */
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

/** Properties of an entry, by the text of `select`; any without one. */
export type Selected<S> = S extends string
  ? IsOpen<S> extends true
    ? Open
    : { readonly [K in KeyOf<Items<S>>]: ValueOf<K> }
  : Open;
